import Rings
import Signal

/// The render half of the engine. It executes the commands that are due, mixes the decoded frames of all voices, and
/// reports to the control thread.
///
/// Only the render thread calls it. Nothing here waits, allocates, locks, throws or logs; problems become reports.
/// `@_noLocks` makes the compiler check that.
final class Mixer {
  /// The next frame to render, on the session's timeline.
  private(set) var position: FrameTime

  private var commands: RingReader<RenderCommand>
  private var reports: RingWriter<RenderReport>
  /// Commands that are not yet due.
  private var agenda: RenderCommandQueue
  /// One voice per slot.
  private let voices: UnsafeMutablePointer<Voice>
  private let voiceCount: Int
  /// The slots of the voices that play, sorted by ordinal: the first `playingCount` entries. Floating-point addition is
  /// not associative, so only a fixed order gives the same bits in every render.
  private let playing: UnsafeMutablePointer<Int>
  private var playingCount = 0
  private var duckFades: DuckFades
  // Each of these gains is the fade of the last command for it.
  private var master = Fade.unity
  private var transportFade = Fade.unity
  private var closingFade = Fade.unity
  private var musicVolume = Fade.unity
  private var overlayVolume = Fade.unity
  private var effectVolume = Fade.unity
  private var gains = GainBuffer()
  /// The starts and ends of voices for which the report ring had no room, in order: the first `unreportedCount`
  /// entries. They must not be lost: starts are events, and control releases a voice only when its end has been
  /// reported. A voice has at most one of each, because control reads both before it uses the voice again. Only a rewind
  /// drops them: control may use any voice again then.
  private let unreported: UnsafeMutablePointer<RenderReport>
  private var unreportedCount = 0
  /// How many other reports were lost since the last one of them was sent, and the frame of the first.
  private var lost: (count: Int32, at: FrameTime) = (0, 0)
  /// See `takeEarlyEnd`.
  private var hasEarlyEnd = false
  /// Frames that a gap may last before it is reported as stalled, while its end is not yet known.
  private let stallLimit: FrameCount
  /// The sum of each bus, as long as the last render; nil if nobody reads them.
  private let busSums: BusSums?
  /// The first frame of the current segment in them.
  private var sumOffset = 0

  /// - Parameters:
  ///   - position: the session frame to render first.
  ///   - agendaCapacity: the most commands that wait for their frames; more stay in their ring.
  ///   - voices: `voiceCount` initialised slots; the mixer deinitialises and frees them.
  ///   - stallLimit: frames that a gap may last before it is reported as stalled.
  ///   - sums: the most frames of a render if the sums of the buses are kept; nil if they are not.
  init(
    from position: FrameTime, commands: consuming RingReader<RenderCommand>,
    reports: consuming RingWriter<RenderReport>,
    agendaCapacity: Int, voices: UnsafeMutablePointer<Voice>, voiceCount: Int,
    stallLimit: FrameCount, summingBuses sums: Int? = nil
  ) {
    self.position = position
    self.commands = commands
    self.reports = reports
    agenda = RenderCommandQueue(capacity: agendaCapacity)
    self.voices = voices
    self.voiceCount = voiceCount
    self.stallLimit = stallLimit
    busSums = sums.map { BusSums(capacity: $0) }
    playing = .allocate(capacity: voiceCount)
    unreported = .allocate(capacity: 2 * voiceCount)
    duckFades = DuckFades(capacity: voiceCount + DuckFades.spare)
  }

  deinit {
    voices.deinitialize(count: voiceCount)
    voices.deallocate()
    playing.deallocate()
    unreported.deallocate()
    busSums?.deallocate()
  }

  /// Renders the next `count` frames and overwrites `mix` with them.
  @_noLocks func render(into mix: UnsafeMutablePointer<Frame>, count: Int) {
    collect()
    reportRest()
    var done = 0
    while done < count {
      executeDue()
      var segment = count &- done
      if GainBuffer.capacity < segment { segment = GainBuffer.capacity }
      // A segment ends at the next command, so that every command takes effect at its exact frame.
      let untilNext = agenda.nextFrame &- position
      if untilNext < FrameCount(segment) { segment = Int(untilNext) }
      if let busSums {
        busSums.clear(from: done, count: segment)
        sumOffset = done
      }
      render(segment: mix + done, count: segment)
      done &+= segment
    }
  }

  /// The frames that a bus has added to the last render; nil if they are not kept.
  func sum(of bus: Bus) -> UnsafePointer<Frame>? { busSums.map { UnsafePointer($0.sum(of: bus)) } }

  /// Whether all voices that play or start within the next `count` frames have decoded these frames. Voices that are
  /// already late are ignored, so that they don't delay the others.
  @_noLocks func hasBuffered(_ count: Int) -> Bool {
    collect()
    if !playingVoicesHaveBuffered(count, late: false) { return false }
    return agenda.startsAreDecoded(before: position &+ FrameCount(count), of: voices)
  }

  /// Whether the voices that are late have caught up and have decoded the next `count` frames.
  @_noLocks func hasCaughtUp(_ count: Int) -> Bool { playingVoicesHaveBuffered(count, late: true) }

  @_noLocks private func playingVoicesHaveBuffered(_ count: Int, late: Bool) -> Bool {
    var index = 0
    while index < playingCount {
      let slot = playing[index]
      if voices[slot].isLate == late, !voices[slot].hasBuffered(count) { return false }
      index &+= 1
    }
    return true
  }

  /// Whether a sound that was shorter than planned has ended since the last call. An offline render then asks control
  /// to act before it continues.
  @_noLocks func takeEarlyEnd() -> Bool {
    let has = hasEarlyEnd
    hasEarlyEnd = false
    return has
  }

  /// Whether the ring of any voice is half empty, so that the decoding threads should be woken.
  var needsData: Bool {
    @_noLocks get {
      var index = 0
      while index < playingCount {
        if voices[playing[index]].needsData { return true }
        index &+= 1
      }
      return false
    }
  }

  /// Moves commands from their ring to the agenda, as long as the agenda has room.
  @_noLocks private func collect() {
    while !agenda.isFull {
      guard let command = commands.pop() else { return }
      agenda.insert(command)
    }
  }

  /// Executes the commands that are due at `position`. A command for an earlier frame has arrived late, and is
  /// reported.
  @_noLocks private func executeDue() {
    while let command = agenda.take(dueAt: position) {
      if command.at < position { report(.late(voice: command.started, at: command.at, by: position &- command.at)) }
      switch command.action {
      case .start(let part): start(part)
      case .duck(let owner, let fade): duckFades.set(fade, of: owner, at: position)
      case .volume(.music, let fade): musicVolume = following(musicVolume, fade)
      case .volume(.overlays, let fade): overlayVolume = following(overlayVolume, fade)
      case .volume(.effects, let fade): effectVolume = following(effectVolume, fade)
      case .master(let fade): master = following(master, fade)
      case .transportFade(let fade): transportFade = following(transportFade, fade)
      case .closingFade(let fade): closingFade = following(closingFade, fade)
      }
    }
  }

  /// The fade that replaces `current`. If `next` starts at the current position or later, it starts from the current
  /// gain, so that the gain has no step. If it started earlier, it is used unchanged: control sends it again after a
  /// rewind.
  @_noLocks private func following(_ current: Fade, _ next: Fade) -> Fade {
    if next.start < position { return next }
    var next = next
    next.from = current.gain(at: position)
    return next
  }

  /// Rewinds to `frame`, the first frame that the output can still replace. All commands are dropped: control sends
  /// those from `frame` on again, including the starts of voices that are playing.
  @_noLocks func rewind(to frame: FrameTime) {
    while commands.pop() != nil {}
    agenda.removeAll()
    duckFades.removeAll()
    playingCount = 0
    unreportedCount = 0
    if frame <= lost.at { lost.count = 0 }
    (master, transportFade, closingFade) = (Fade.unity, Fade.unity, Fade.unity)
    (musicVolume, overlayVolume, effectVolume) = (Fade.unity, Fade.unity, Fade.unity)
    var slot = 0
    while slot < voiceCount {
      voices[slot].rewind(to: frame)
      slot &+= 1
    }
    position = frame
  }

  /// Starts a voice, or continues it after a rewind, and inserts it into `playing` by its ordinal.
  @_noLocks private func start(_ part: VoiceStart) {
    let slot = Int(part.voice)
    let begins = voices[slot].start(part, at: position)
    var index = playingCount
    while 0 < index, part.ordinal < voices[playing[index &- 1]].ordinal {
      playing[index] = playing[index &- 1]
      index &-= 1
    }
    playing[index] = slot
    playingCount &+= 1
    if begins { reportSurely(.started(voice: part.voice, at: position)) }
  }

  /// Renders frames during which no command is due; `count` is at most `GainBuffer.capacity`.
  @_noLocks private func render(segment mix: UnsafeMutablePointer<Frame>, count: Int) {
    var index = 0
    while index < count {
      mix[index] = Frame(left: 0, right: 0)
      index &+= 1
    }
    duckFades.prune(before: position)
    index = 0
    while index < playingCount {
      add(voice: playing[index], to: mix, count: count)
      index &+= 1
    }
    gains.begin(1, count: count)
    gains.multiply(by: master, from: position)
    gains.multiply(by: transportFade, from: position)
    gains.multiply(by: closingFade, from: position)
    gains.scale(mix)
    position &+= FrameCount(count)
    removeEnded()
  }

  /// Adds one voice to the mix, and reports its gaps and its end.
  @_noLocks private func add(voice slot: Int, to mix: UnsafeMutablePointer<Frame>, count: Int) {
    voices[slot].setGains(&gains, from: position, count: count)
    multiplyBus(of: slot)
    let before = voices[slot].remaining
    let gap: FrameCount
    if let busSums {
      // The same sum: a voice is added to silence first.
      gap = voices[slot].add(to: busSums.begin(count: count), count: count, gains: gains)
      busSums.add(to: voices[slot].bus, from: sumOffset, and: mix, count: count)
    } else {
      gap = voices[slot].add(to: mix, count: count, gains: gains)
    }
    if voices[slot].hasStalled(for: stallLimit, within: count) { report(.stalled(voice: Int32(slot), at: position)) }
    if 0 < gap { report(.starved(voice: Int32(slot), at: position, frames: gap)) }
    if !voices[slot].isPlaying {
      let remaining = voices[slot].remaining
      let played = remaining == 0 ? before : before &- remaining
      if remaining != 0 { hasEarlyEnd = true }
      reportSurely(.ended(voice: Int32(slot), at: position &+ played, missing: remaining))
    }
  }

  /// Multiplies by the volume of the voice's bus; only the music is ducked.
  @_noLocks private func multiplyBus(of slot: Int) {
    switch voices[slot].bus {
    case .music:
      gains.multiply(by: musicVolume, from: position)
      duckFades.multiply(&gains, from: position)
    case .overlays: gains.multiply(by: overlayVolume, from: position)
    case .effects: gains.multiply(by: effectVolume, from: position)
    }
  }

  /// Removes the voices that have ended from `playing`; the others keep their order.
  @_noLocks private func removeEnded() {
    var kept = 0
    var index = 0
    while index < playingCount {
      if voices[playing[index]].isPlaying {
        playing[kept] = playing[index]
        kept &+= 1
      }
      index &+= 1
    }
    playingCount = kept
  }

  /// Sends the reports that had no room before, as far as there is room now.
  @_noLocks private func reportRest() {
    var sent = 0
    while sent < unreportedCount, reports.push(unreported[sent]) { sent &+= 1 }
    var index = sent
    while index < unreportedCount {
      unreported[index &- sent] = unreported[index]
      index &+= 1
    }
    unreportedCount &-= sent
    if 0 < lost.count, reports.push(.lost(count: lost.count, at: lost.at)) { lost.count = 0 }
  }

  /// Sends the start or the end of a voice to control, later if the ring is full.
  @_noLocks private func reportSurely(_ report: RenderReport) {
    if unreportedCount == 0, reports.push(report) { return }
    unreported[unreportedCount] = report
    unreportedCount &+= 1
  }

  /// Sends another report to control. If the ring is full, the report is lost, and the loss is reported later.
  @_noLocks private func report(_ report: RenderReport) {
    if reports.push(report) { return }
    if lost.count == 0 { lost.at = position }
    lost.count &+= 1
  }
}

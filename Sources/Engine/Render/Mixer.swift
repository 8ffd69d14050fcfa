import Rings
import Signal

/// The render half of the engine: turns what the feeds have decoded, and the commands that are due, into sound.
///
/// One thread renders. Nothing here waits, allocates, locks, throws or logs; trouble is counted and reported.
final class Mixer {
  /// The next frame to render, on the session's timeline.
  private(set) var position: FrameTime

  private var commands: RingReader<RenderCommand>
  private var reports: RingWriter<RenderReport>
  private var agenda: Agenda
  private let voices: UnsafeMutablePointer<Voice>
  private let voiceCount: Int
  /// The slots that sound, by ordinal.
  private let sounding: UnsafeMutablePointer<Int>
  private var soundingCount = 0
  private var ducks: Ducks
  private var master = Fade.unity
  private var gate = Fade.unity
  private var musicVolume = Fade.unity
  private var overlayVolume = Fade.unity
  private var effectVolume = Fade.unity
  private var gains = GainBuffer()
  /// Frames of a gap after which it is told, before it is known how long it will be.
  private let patience: FrameCount

  init(
    from position: FrameTime, commands: consuming RingReader<RenderCommand>,
    reports: consuming RingWriter<RenderReport>,
    agendaCapacity: Int, voices: UnsafeMutablePointer<Voice>, voiceCount: Int,
    patience: FrameCount
  ) {
    self.position = position
    self.commands = commands
    self.reports = reports
    agenda = Agenda(capacity: agendaCapacity)
    self.voices = voices
    self.voiceCount = voiceCount
    self.patience = patience
    sounding = .allocate(capacity: voiceCount)
    ducks = Ducks(capacity: voiceCount + Ducks.leaving)
  }

  deinit {
    voices.deinitialize(count: voiceCount)
    voices.deallocate()
    sounding.deallocate()
  }

  /// Renders the next `count` frames over whatever `mix` holds.
  @_noLocks func render(into mix: UnsafeMutablePointer<Frame>, count: Int) {
    collect()
    var done = 0
    while done < count {
      carryOutDue()
      var stretch = count &- done
      if GainBuffer.capacity < stretch { stretch = GainBuffer.capacity }
      let untilNext = agenda.nextFrame &- position
      if untilNext < FrameCount(stretch) { stretch = Int(untilNext) }
      render(stretch: mix + done, count: stretch)
      done &+= stretch
    }
  }

  /// Whether every voice that sounds, or will begin, within the next `count` frames has them. Voices that are late
  /// already are left out, so that the others go on.
  @_noLocks func holds(_ count: Int) -> Bool {
    collect()
    if !holdsSounding(count, late: false) { return false }
    return agenda.holdsStarts(within: position &+ FrameCount(count), of: voices)
  }

  /// Whether the voices that are late have caught up and have the next `count` frames.
  @_noLocks func hasCaughtUp(_ count: Int) -> Bool { holdsSounding(count, late: true) }

  @_noLocks private func holdsSounding(_ count: Int, late: Bool) -> Bool {
    var index = 0
    while index < soundingCount {
      let slot = sounding[index]
      if voices[slot].isLate == late, !voices[slot].holds(count) { return false }
      index &+= 1
    }
    return true
  }

  /// Whether a feed should be woken to fill a ring that is half empty.
  var isHungry: Bool {
    @_noLocks get {
      var index = 0
      while index < soundingCount {
        if voices[sounding[index]].isHungry { return true }
        index &+= 1
      }
      return false
    }
  }

  /// Takes over the commands that have come, as far as the agenda has room.
  @_noLocks private func collect() {
    while !agenda.isFull {
      guard let command = commands.pop() else { return }
      agenda.insert(command)
    }
  }

  @_noLocks private func carryOutDue() {
    while let command = agenda.take(dueAt: position) {
      if command.at < position { report(.late(voice: command.started, at: command.at, by: position &- command.at)) }
      switch command.action {
      case .start(let part): start(part)
      case .duck(let owner, let fade): ducks.set(fade, of: Int(owner), at: position)
      case .volume(.music, let fade): musicVolume = following(musicVolume, fade)
      case .volume(.overlays, let fade): overlayVolume = following(overlayVolume, fade)
      case .volume(.effects, let fade): effectVolume = following(effectVolume, fade)
      case .master(let fade): master = following(master, fade)
      case .gate(let fade): gate = following(gate, fade)
      }
    }
  }

  /// A fade that begins now goes on from where the one before it is; one that has begun before is taken as it was.
  @_noLocks private func following(_ current: Fade, _ next: Fade) -> Fade {
    if next.start < position { return next }
    var next = next
    next.from = current.gain(at: position)
    return next
  }

  /// Goes back to `frame`, of which nobody has heard more: whatever is to sound from there on is commanded anew.
  @_noLocks func rewind(to frame: FrameTime) {
    while commands.pop() != nil {}
    agenda.removeAll()
    ducks.removeAll()
    soundingCount = 0
    (master, gate) = (Fade.unity, Fade.unity)
    (musicVolume, overlayVolume, effectVolume) = (Fade.unity, Fade.unity, Fade.unity)
    var slot = 0
    while slot < voiceCount {
      voices[slot].rewind(to: frame)
      slot &+= 1
    }
    position = frame
  }

  @_noLocks private func start(_ part: VoiceStart) {
    let slot = Int(part.voice)
    voices[slot].start(part, at: position)
    var place = soundingCount
    while 0 < place, part.ordinal < voices[sounding[place &- 1]].ordinal {
      sounding[place] = sounding[place &- 1]
      place &-= 1
    }
    sounding[place] = slot
    soundingCount &+= 1
    if !part.isUnderWay { report(.started(voice: part.voice, at: position)) }
  }

  @_noLocks private func render(stretch mix: UnsafeMutablePointer<Frame>, count: Int) {
    var index = 0
    while index < count {
      mix[index] = Frame(left: 0, right: 0)
      index &+= 1
    }
    ducks.prune(before: position)
    index = 0
    while index < soundingCount {
      add(voice: sounding[index], to: mix, count: count)
      index &+= 1
    }
    gains.begin(1, count: count)
    gains.multiply(by: master, from: position)
    gains.multiply(by: gate, from: position)
    gains.scale(mix)
    position &+= FrameCount(count)
    dismissEnded()
  }

  @_noLocks private func add(voice slot: Int, to mix: UnsafeMutablePointer<Frame>, count: Int) {
    voices[slot].setGains(&gains, from: position, count: count)
    multiplyBus(of: slot)
    let before = voices[slot].remaining
    let gap = voices[slot].add(to: mix, count: count, gains: gains)
    if voices[slot].hasStalled(for: patience, within: count) { report(.stalled(voice: Int32(slot), at: position)) }
    if 0 < gap { report(.starved(voice: Int32(slot), at: position, frames: gap)) }
    if !voices[slot].isPlaying {
      let remaining = voices[slot].remaining
      let played = remaining == 0 ? before : before &- remaining
      report(.ended(voice: Int32(slot), at: position &+ played, missing: remaining))
    }
  }

  /// Music steps back for others; overlays and effects don't.
  @_noLocks private func multiplyBus(of slot: Int) {
    switch voices[slot].bus {
    case .music:
      gains.multiply(by: musicVolume, from: position)
      ducks.multiply(&gains, from: position)
    case .overlays: gains.multiply(by: overlayVolume, from: position)
    case .effects: gains.multiply(by: effectVolume, from: position)
    }
  }

  @_noLocks private func dismissEnded() {
    var kept = 0
    var index = 0
    while index < soundingCount {
      if voices[sounding[index]].isPlaying {
        sounding[kept] = sounding[index]
        kept &+= 1
      }
      index &+= 1
    }
    soundingCount = kept
  }

  /// A full ring loses the report: control then reads late, which it counts itself.
  @_noLocks private func report(_ report: RenderReport) { _ = reports.push(report) }
}

import Engine
import Schedule
import Signal
import Sounds

/// Executes a schedule: it sends the clips to the mixer and to the timeline before the renderer reaches them, and passes on
/// to the timeline what the mixer reports of sounds that don't play as planned. After an edit it compares clips by their identifiers: clips that remain are updated,
/// removed clips release their voices, and new clips are opened.
///
/// All methods run on the control thread.
struct Executor: ~Copyable {
  var timeline: EventTimeline
  private(set) var schedule: Schedule
  /// The session frame at which the last sound ends; nil if an open stage determines it.
  private(set) var end: FrameTime?
  /// The frames of the stages if no further command follows.
  private(set) var plannedTimes: PlannedTimes
  var settings: Settings
  /// The frame at which an offline render waits: the frame of a pause, or the frame of script commands that have not
  /// been executed.
  var limit: FrameTime = .endless
  /// The errors that have been emitted so far, in the order of their frames.
  private(set) var damage: [(frame: FrameTime, error: SourceError)] = []
  /// A track that is due and can't be opened, perhaps only now. Nothing after it is planned until the schedule skips it.
  var unplayable: (clip: Clip, isTransient: Bool)?

  let rate: SampleRate
  /// Whether the render is offline. Loading then takes no time on the virtual clock.
  let isVirtual: Bool
  var mixerControl: MixerControl
  var voices = VoiceTable()
  /// Voices whose damage has been reported.
  var reported: Set<Int32> = []
  /// Voices that have begun to play.
  var begun: Set<Int32> = []
  /// Reports that are kept back until their frames have been heard.
  var reports: [RenderReport] = []
  var ducking = Ducking()
  private let opener: SoundOpener
  private var clips: ClipSequence
  /// All clips that begin before this session frame have been sent to the mixer or are being opened.
  private var planned: FrameTime
  /// The session frame of the start or of the last halt.
  private(set) var origin: FrameTime
  /// Sounds that were opened before an edit for the clips that it adds.
  private var primed: [PrimedSource] = []
  /// The clips that have begun and get a new voice in this edit, see `VoiceTable.outdated`.
  private var renewed: Set<ClipID> = []
  /// The number of loads so far.
  private var loads = 0
  /// The clips whose loads have failed for a cause that may pass, and were begun again.
  private var retried: Set<ClipID> = []
  /// The session frame that was heard in the last pass.
  var heard: FrameTime
  /// Opens sounds on another thread, so that a slow file does not block control; nil offline, where opening blocks.
  private let load: Load?

  /// Opens a sound on another thread. `arrive` receives the result later, with the same ID.
  typealias Load = @Sendable (PrimedSource.Need, LoadID) -> Void

  /// Seconds per planning step.
  static let step = 0.5
  /// Seconds between the mixed frame and the frame up to which clips are planned: enough time to open a slow file.
  static let lookahead = 3.0

  init(
    _ replayed: Replayed, skipped: [Programme.Skipped], opener: SoundOpener, load: Load?,
    mixerControl: consuming MixerControl,
    pace: Pace
  ) {
    let start = replayed.journal.frame
    rate = replayed.schedule.rate
    (self.opener, self.load) = (opener, load)
    isVirtual = pace == .players
    self.mixerControl = mixerControl
    (schedule, settings) = (replayed.schedule, replayed.settings)
    plannedTimes = PlannedTimes(replayed.schedule.programme)
    (planned, origin, heard) = (start, start, start)
    clips = schedule.clips(from: start)
    timeline = EventTimeline(schedule, from: start)
    // A file output that starts in the middle has exactly the samples of the whole file. A live output fades in to
    // prevent a click.
    if !isVirtual, let head = clips.head, head.begin < start {
      settings.transportFade = .rising(at: start, over: schedule.ramp.length, schedule.ramp.curve)
    }
    settings.command(&self.mixerControl, at: start)
    for skipped in skipped {
      count(skipped.reason, at: start)
      timeline.note(Self.events(skipping: skipped.title, because: .failed(skipped.reason)), at: skipped.place)
    }
    end = schedule.end
    if let end { self.mixerControl.renderSync.end(at: max(start, end)) }
  }

  /// Counts an error of a source. A later pass may find an error of an earlier frame.
  mutating func count(_ error: SourceError, at frame: FrameTime) {
    let index = damage.lastIndex { $0.frame <= frame }.map { $0 + 1 } ?? 0
    damage.insert((frame, error), at: index)
  }

  var renderSync: RenderSync { mixerControl.renderSync }

  /// Whether the unplayable track can be skipped now. Offline this waits until the render has reached the planned
  /// frame, so that the result does not depend on the timing of the threads.
  var canPassOver: Bool { unplayable != nil && (!isVirtual || renderSync.waitingFrame == planned) }

  /// Sends every clip that begins within the lookahead, and sets the frame up to which the render may advance.
  mutating func plan() {
    var isStuck = false
    while !isStuck, planned < renderSync.mixedFrame + rate.frames(Self.lookahead) { isStuck = !planStep() }
    // If a clip waits for a voice, the render may advance to the clip's beginning, because other voices may end before
    // it. If none does, the clip is skipped.
    let isWaiting = isStuck && unplayable == nil
    // The mixer reads commands only while it advances, so it must advance by at least one frame.
    let sent = max(origin + 1, mixerControl.sendRest())
    renderSync.advance(to: min(edge, sent, isWaiting ? clips.head?.begin ?? planned : planned))
  }

  /// Whether the output may be finished before the next pass.
  var mayEnd: Bool { renderSync.hasStopped || renderSync.endFrame <= planned }

  /// Plans the next step: sends what the clips that begin in it need.
  ///
  /// - Returns: false if a clip has to wait for a voice, or if a track is unplayable.
  private mutating func planStep() -> Bool {
    let next = planned + rate.frames(Self.step)
    // A clip that begins after the end is never opened: otherwise its load events would depend on when the end becomes
    // known.
    let end = min(next, renderSync.endFrame)
    while unplayable == nil, let clip = clips.head, clip.begin < end {
      switch voices.step(for: clip, from: origin) {
      case .over: break
      case .awaited(let clip):
        // A clip that is late already holds up nothing, see `edge`.
        if clip.begin < origin { timeline.playhead.addLate(clip) } else { timeline.playhead.add(clip) }
      case .release: ducking.command(clip, from: origin, on: &mixerControl)
      case .resume(let voice, let clip):
        timeline.playhead.add(clip)
        mixerControl.restart(voice, clip.part, at: origin)
        ducking.command(clip, from: origin, on: &mixerControl)
      case .open(let entered):
        guard hasFree(clip.layer.bus) || isLost(clip) else { return false }
        timeline.playhead.add(entered)
        load(entered)
      }
      clips.drop()
    }
    if unplayable != nil { return false }
    planned = next
    return true
  }

  /// The last frame that the render may reach: the offline limit, or the beginning of the first clip that is still
  /// loading. A clip that was late already when the renderer was halted holds up nothing.
  private var edge: FrameTime {
    min(limit, voices.awaited.values.map(\.begin).filter { origin <= $0 }.min() ?? .endless)
  }

  /// Whether the bus has a free voice. Clips that are still loading count as using one.
  private func hasFree(_ bus: Bus) -> Bool {
    voices.awaited.values.count { $0.layer.bus == bus } < mixerControl.freeCount(bus)
  }

  /// Whether the render has reached the clip's beginning and no voice has become free.
  private mutating func isLost(_ clip: Clip) -> Bool {
    if renderSync.mixedFrame < clip.begin { return false }
    let isWaiting = renderSync.waitingFrame == clip.begin
    if isVirtual, isWaiting { collectReports() }
    return isWaiting || clip.begin < renderSync.mixedFrame
  }

  /// The session frame of events that occur now. In a render it does not depend on the timing of the threads.
  private var now: FrameTime { isVirtual ? max(origin, planned - rate.frames(Self.lookahead) + 1) : heard }

  /// The sound that was opened for the clip before the edit.
  private mutating func takePrimed(_ clip: Clip) -> PrimedSource? {
    let need = PrimedSource.Need(clip)
    for index in primed.indices {
      guard let found = primed[index].suiting(need, exactly: isVirtual) else { continue }
      primed.remove(at: index)
      return found
    }
    return nil
  }

  /// Opens the sound of a clip, unless it was opened before the edit. Every load that begins also ends.
  private mutating func load(_ clip: Clip) {
    let opened = takePrimed(clip)
    // A clip that only gets a new voice has been loaded already.
    if renewed.contains(clip.id), case .success(let sound)? = opened?.result { return start(clip, sound.value) }
    if let opened, opened.isTold { return receive(opened.result, for: clip, nil) }
    let (need, id) = (PrimedSource.Need(clip), nextLoad())
    timeline.note(.loadStarted(clip, id), at: now)
    if let opened {
      receive(opened.result, for: clip, id)
    } else if let load {
      voices.awaited[id] = clip
      load(need, id)
    } else {
      let opened = Result { () throws(SourceError) in Loaded(value: try opener.cache.open(need), seconds: 0) }
      receive(opened.mapError { .failed($0) }, for: clip, id)
    }
  }

  /// Receives the result of a load that ran on another thread. Ignores a load for which no clip waits any more.
  mutating func arrive(_ result: LoadTicket<PrimedSound>.Result, for id: LoadID) {
    if let clip = voices.awaited.removeValue(forKey: id) { receive(result, for: clip, id) }
  }

  /// Starts the clip if its sound is open. After a failure that may pass, its sound is opened once more; otherwise it is
  /// skipped.
  ///
  /// - Parameter id: nil if the end of the load has been reported.
  private mutating func receive(_ result: LoadTicket<PrimedSound>.Result, for clip: Clip, _ id: LoadID?) {
    if let id { end(event(ending: id, of: clip.title, with: result.map(\.seconds)), of: clip, id) }
    switch result {
    case .success(let opened): start(clip, opened.value)
    case .failure(let failure):
      if case .timedOut(let seconds) = failure, clip.layer == .music, clip.fadeIn != nil {
        let from = timeline.playhead.playing(at: now)?.title
        timeline.note(
          .emitted(.crossfadeTimeout(from: from, to: clip.title, milliseconds: 1_000 * seconds), of: clip), at: now)
      }
      if failure.isTransient, retried.insert(clip.id).inserted { return load(clip) }
      skip(clip, because: failure)
      if clip.entry != nil { unplayable = (clip, failure.isTransient) }
    }
  }

  /// The event that ends a load.
  ///
  /// - Parameter result: the seconds that it took, or why it failed.
  func event(ending id: LoadID, of title: String, with result: Result<Double, LoadError>) -> PlayerEvent {
    switch result {
    case .success(let seconds): .loadCompleted(title: title, id: id, milliseconds: isVirtual ? 0 : 1_000 * seconds)
    case .failure(let failure): failure.event(title: title, id: id)
    }
  }

  private mutating func end(_ event: PlayerEvent, of clip: Clip, _ id: LoadID) {
    timeline.note(.loadEnded(clip, id, event), at: now)
  }

  /// Leases a voice for an opened sound and starts it; skips the clip if no voice is free.
  private mutating func start(_ clip: Clip, _ sound: PrimedSound) {
    guard let voice = mixerControl.lease(clip.layer.bus) else {
      return skip(clip, because: .failed(.tooManySounds(title: clip.title)))
    }
    mixerControl.start(voice, clip.part, ordinal: clip.id.ordinal, from: sound)
    voices.playing[voice] = clip
    if renewed.contains(clip.id) { begun.insert(voice) }
    ducking.command(clip, from: origin, on: &mixerControl)
  }

  /// Skips a clip whose sound can't be played. That is reported when it is the clip's turn.
  private mutating func skip(_ clip: Clip, because failure: LoadError) {
    let frame = max(clip.begin, now)
    voices.over.insert(clip.id)
    timeline.playhead.skip(clip.id)
    count(failure.sourceError(of: clip.title), at: frame)
    for event in Self.events(skipping: clip.title, because: failure) {
      timeline.note(.emitted(event, of: clip), at: frame)
    }
  }

  private static func events(skipping title: String, because failure: LoadError) -> [PlayerEvent] {
    [.trackSkipped(title: title, reason: failure.sourceError(of: title)), .error(failure.error(loading: title))]
  }

  /// The ID of a load that a command has made.
  mutating func nextLoad() -> LoadID {
    loads += 1
    return LoadID(loads)
  }
}

// MARK: Edits during playback

extension Executor {
  /// Halts the renderer, and processes its reports up to the frame of the halt.
  ///
  /// - Returns: the first session frame that can still be changed; nil if the renderer has ended.
  mutating func halt() -> FrameTime? {
    guard let frame = mixerControl.halt() else { return nil }
    collectReports(heardUpTo: frame)
    reports = []
    return frame
  }

  /// Resumes after a halt with an edited schedule.
  ///
  /// - Parameters:
  ///   - primed: sounds of the edited schedule that are already open.
  ///   - pausedAt: the frame at which the session is paused; nil if it plays.
  ///   - closing: the frame at which a command ends the session; nil if none does.
  mutating func resume(
    from frame: FrameTime, with primed: [PrimedSource], _ schedule: Schedule, pausedAt: FrameTime?, closing: FrameTime?
  ) {
    self.primed = primed
    // The halt dropped the commands after `frame`, so they are sent again at least as far as before.
    let reach = max(planned, frame + rate.frames(Self.lookahead))
    (origin, planned) = (frame, frame)
    self.schedule = schedule
    end = schedule.end
    clips = schedule.clips(from: frame)
    // A session whose last sound the pause has ended stays paused until the listener resumes it.
    let last = end.map { $0 == pausedAt ? $0 + 1 : $0 }
    renderSync.end(at: closing ?? last ?? .endless)
    settings.command(&mixerControl, at: frame)
    compare(upTo: reach + rate.frames(Self.step))
    while planned < reach, planStep() {}
    (self.primed, renewed) = ([], [])
    plan()
    // Only the status needs them, and the listener waits for the plan.
    plannedTimes = PlannedTimes(schedule.programme)
  }

  /// Releases the voices of clips that the edited schedule no longer contains.
  private mutating func compare(upTo reach: FrameTime) {
    let known = schedule.clips(from: origin).prefix { $0.begin < min(reach, renderSync.endFrame) }
    let names = Set(known.map(\.id))
    ducking.forget(allBut: names)
    timeline.playhead.update(known, at: origin)
    retried.formIntersection(names)
    for clip in voices.outdated(by: known, from: origin) where clip.begin < origin && reopen(clip.entered(at: origin)) {
      renewed.insert(clip.id)
    }
    let awaited = voices.awaited
    for voice in voices.replace(by: known, from: origin, renewing: renewed) {
      reported.remove(voice)
      begun.remove(voice)
      mixerControl.release(voice)
    }
    for (id, clip) in awaited.sorted(by: { $0.key.number < $1.key.number }) where voices.awaited[id] == nil {
      end(.loadFailed(title: clip.title, id: id, .cancelled), of: clip, id)
    }
  }

  /// Whether the sound of a clip is open for a new voice. Live, only sounds that were opened before the edit are: a
  /// track must not stop because its file can't be read again in time.
  private mutating func reopen(_ clip: Clip) -> Bool {
    let need = PrimedSource.Need(clip)
    if primed.contains(where: { $0.suiting(need, exactly: isVirtual)?.isOpen ?? false }) { return true }
    guard isVirtual, let sound = try? opener.cache.open(need) else { return false }
    primed.append(PrimedSource(need: need, result: .success(Loaded(value: sound, seconds: 0))))
    return true
  }

  /// The clips of an edited schedule that play at `frame` or begin within one step after it, that have no voice yet,
  /// and that are neither loading nor skipped; and those whose sounds have to be opened again.
  func arrivals(in schedule: Schedule, at frame: FrameTime) -> [Clip] {
    let known = voices.known
    var arrivals: [Clip] = []
    for clip in schedule.clips(from: frame) {
      if frame + rate.frames(Self.step) < clip.begin { break }
      let isKnown = known.contains(clip.id)
      guard frame < clip.end, !isKnown || !voices.outdated(by: [clip], from: frame).isEmpty else { continue }
      var clip = clip
      clip.entryFrame = max(clip.begin, clip.at < frame ? frame : clip.at)
      // A clip that continues doesn't fade in again.
      if isKnown { clip.fadeIn = nil }
      arrivals.append(clip)
    }
    return arrivals
  }
}

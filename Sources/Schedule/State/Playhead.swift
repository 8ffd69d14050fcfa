package import Signal

/// Walks through a schedule and says what happens at which frame: stages, music, overlays, gongs and the player's state.
///
/// It is a value: the same schedule, edits and facts always give the same events. The clips are added in the order of
/// their beginnings, before their frames are reached. What a schedule can't know is added like an edit: a sound that can't
/// be played, ends early or begins late, and a command that is opening one.
package struct Playhead: Sendable {
  /// An event, its session frame, and the index of its stage; nil before the first one.
  package typealias Occurrence = (at: FrameTime, stage: Int?, event: ScheduleEvent)

  private let rate: SampleRate
  private var stageNames: [String]
  private var music: MusicReport
  private var overlays = OverlayReport()
  private var captions: CaptionReport
  /// The clips that have not begun, by their first frames.
  private var upcoming: ArraySlice<Clip> = []
  /// The music and the overlays that play.
  private var sounding: [ClipID: Clip] = [:]
  /// The earliest end in `sounding`; `.endless` if there is none.
  private var nextClipEnd: FrameTime = .endless
  /// The clips whose sounds were not open in time.
  private var late: [ClipID: Clip] = [:]
  /// The stages that have not begun.
  private var upcomingStages: [StageLayout]
  /// Index of the current stage; nil before the first one.
  package private(set) var stage: Int?
  /// Whether the current stage has music, as it is planned.
  package private(set) var hasMusic = true
  /// The values of `Schedule.visit` for `stage` and for `upcomingStages`.
  private var (visit, upcomingVisit) = (0, 0)
  /// Number of navigations so far.
  private var move: Int
  /// The session frame of the start or of the last edit.
  private var start: FrameTime

  package init(_ schedule: Schedule, from start: FrameTime) {
    self.start = start
    rate = schedule.rate
    (music, captions) = (MusicReport(rate: rate), CaptionReport(rate: rate))
    stageNames = schedule.programme.stages.map(\.name)
    (move, upcomingVisit) = (schedule.stageMusic.move, schedule.visit)
    upcomingStages = schedule.layouts.filter { schedule.stage <= $0.stage }
    dropOverStages(by: start)
  }

  /// Removes the stages before the one that plays at `frame`.
  private mutating func dropOverStages(by frame: FrameTime) {
    while let next = upcomingStages.dropFirst().first, next.begin <= frame { upcomingStages.removeFirst() }
  }

  /// A stage, and the session frame at which it is entered.
  package typealias StageEntry = (name: String, at: FrameTime)

  /// The stages that have not begun, as they follow if there is no further edit.
  package var stagesToCome: [StageEntry] {
    upcomingStages.map { (stageNames[$0.stage], max(start, $0.begin)) }
  }

  /// The last state that was reported.
  package var state: PlayerState { music.state }

  /// The state at a frame of the walk: the last reported one, with the progress of a crossfade at this frame.
  package func state(at frame: FrameTime) -> PlayerState {
    guard case .crossfading(let from, let to, _) = state, let progress = music.progress(at: frame) else { return state }
    return .crossfading(from: from, to: to, progress: progress)
  }

  /// The last transition that the table of states refused; nil if there is none.
  package var refusal: RefusedTransition? { music.refusal }
  /// The current track, or the one that is being prepared if none plays yet.
  package var current: Clip? { music.current }
  /// The overlays that have begun and not ended, including paused ones.
  package var openOverlays: [Clip] { overlays.clips }

  /// Position in the current track in seconds; nil without a track.
  package func position(at frame: FrameTime) -> Double? { music.position(at: frame) }

  /// The track that plays at a frame: title, position and length in seconds; nil in silence.
  package func playing(at frame: FrameTime) -> (title: String, position: Double, duration: Double?)? {
    music.playing(at: frame)
  }

  /// Reports the progress of crossfades ten times a second, or only once; all events before `frame` have been returned.
  package mutating func reportProgress(inTenths isFine: Bool, from frame: FrameTime) {
    music.reportProgress(inTenths: isFine, from: frame)
  }
}

// MARK: What is to come

extension Playhead {
  /// Adds a clip, after every clip that was added before and begins earlier. One that has begun before the last edit is
  /// known, and one without a frame is not heard.
  package mutating func add(_ clip: Clip) { if start <= clip.begin, clip.begin < clip.end { upcoming.append(clip) } }

  /// Adds a clip whose beginning has passed while its sound was being opened.
  package mutating func addLate(_ clip: Clip) { late[clip.id] = clip }

  /// A clip that was added begins later than planned, because its command reached the mixer too late.
  package mutating func postpone(_ id: ClipID) {
    guard let index = upcoming.firstIndex(where: { $0.id == id }) else { return }
    late[id] = upcoming.remove(at: index)
  }

  /// A late clip begins at `frame`.
  package mutating func begin(_ id: ClipID, at frame: FrameTime) {
    guard var clip = late.removeValue(forKey: id) else { return }
    clip.entryFrame = frame
    let index = upcoming.firstIndex { (frame, id.ordinal) < ($0.begin, $0.id.ordinal) } ?? upcoming.endIndex
    upcoming.insert(clip, at: index)
  }

  /// A clip is never heard.
  package mutating func skip(_ id: ClipID) {
    late[id] = nil
    upcoming.removeAll { $0.id == id }
  }

  /// A clip ends at `frame`, earlier than planned.
  package mutating func end(_ id: ClipID, at frame: FrameTime) {
    guard let clip = sounding[id], frame < clip.end else { return }
    sounding[id]?.length = max(0, frame - clip.at)
    captions.replace(by: sounding.values, at: frame)
    nextClipEnd = min(nextClipEnd, frame)
  }

  /// Applies a schedule that was edited at `frame`. Events before `frame` have been returned and don't change. The clips
  /// that begin from there on have to be added again.
  ///
  /// - Parameters:
  ///   - shown: the frame whose music is current after the edit: `frame`, or the end of the ramp into a pause.
  ///   - isPaused: whether the music is paused after the edit.
  ///   - strategy: how a paused crossfade continues; nil if none is paused.
  ///   - age: seconds of the clock by which a paused crossfade becomes stale.
  /// - Returns: the events that the edit causes.
  package mutating func replan(
    _ schedule: Schedule, at frame: FrameTime, showing shown: FrameTime, isPaused: Bool,
    resuming strategy: ResumeStrategy? = nil, age: Double = 0
  ) -> [Occurrence] {
    start = frame
    stageNames = schedule.programme.stages.map(\.name)
    upcoming = []
    upcomingStages = schedule.layouts.filter { stage in
      schedule.visit == visit ? self.stage.map { $0 < stage.stage } ?? true : schedule.stage <= stage.stage
    }
    if stage == nil { dropOverStages(by: frame) }
    (move, upcomingVisit) = (schedule.stageMusic.move, schedule.visit)
    let changed = occurrences(overlays.replan(schedule, at: shown), at: frame)
    var events: [ScheduleEvent] = []
    var shownSchedule = schedule
    shownSchedule.advance(to: shown, keeping: frame)
    // A stage to which a paused session has moved is reported before its track.
    while isPaused, let next = upcomingStages.first, next.stage <= shownSchedule.stage, next.begin <= shown {
      events += startStage(isEdited: true)
    }
    let isOver = schedule.stage == stage && !schedule.hasMusic
    music.ending = schedule.stage == stage ? Self.fadeOut(of: schedule.layout) : nil
    var clips = shownSchedule.music(at: shown)
    if isPaused, clips.isEmpty, schedule.hasMusic {
      // The last track ends within the ramp into the pause.
      let pausedAt = min(frame, music.pausedAt ?? frame)
      var paused = schedule
      paused.advance(to: frame, keeping: pausedAt)
      clips = paused.music(at: pausedAt)
    }
    events += music.replace(
      by: clips, heardUpTo: shown, isPaused: isPaused, at: frame, resuming: strategy, age: age)
    if isOver { events += music.startSilence() }
    return changed + occurrences(events, at: frame)
  }

  /// Updates the clips that play from an edited schedule: those that it no longer contains end at `frame`.
  ///
  /// - Parameter clips: the clips of the schedule that begin before `frame`, and possibly later ones.
  package mutating func update(_ clips: some Sequence<Clip>, at frame: FrameTime) {
    if sounding.isEmpty, late.isEmpty { return }
    let (old, oldLate) = (sounding, late)
    (sounding, late) = ([:], [:])
    for clip in clips {
      if old[clip.id] != nil { sounding[clip.id] = clip }
      if oldLate[clip.id] != nil, clip.begin < frame { late[clip.id] = clip }
    }
    for (id, var clip) in old where sounding[id] == nil {
      clip.length = max(0, min(clip.length, frame - clip.at))
      sounding[id] = clip
    }
    nextClipEnd = sounding.values.map(\.end).min() ?? .endless
    captions.replace(by: sounding.values, at: frame)
  }

  /// The planned fade-out of the session's last stage; nil for any other stage.
  private static func fadeOut(of stage: StageLayout) -> Fade? {
    stage.music.ending.flatMap { $0.kind == .fadeOut ? $0.fade : nil }
  }

  /// A command or a signal ends the session with `fade`.
  package mutating func finish(with fade: Fade) -> [ScheduleEvent] { music.finish(with: fade) }

  /// The output has ended, with the session or because of `failure`.
  package mutating func conclude(_ failure: PlayerError?) -> [ScheduleEvent] { music.conclude(failure) }

  /// The sound of a clip is being opened for the first time.
  package mutating func prepare(_ clip: Clip) -> [ScheduleEvent] { clip.layer == .music ? music.prepare(clip) : [] }

  /// A command is opening the track of a crossfade.
  package mutating func prepareCrossfade(to clip: Clip) -> [ScheduleEvent] { music.prepareCrossfade(to: clip) }

  /// The prepared crossfade will not happen.
  package mutating func abandonCrossfade() -> [ScheduleEvent] { music.abandonCrossfade() }
}

// MARK: The walk

extension Playhead {
  /// A point of the walk: a session frame, and how far the walk has come in it.
  package struct Point: Sendable, Hashable, Comparable {
    /// The order within a frame: stages and ends, then loads, then beginnings and steps of the music.
    enum Turn: Int, Sendable {
      case ends, loads, beginnings
    }

    let frame: FrameTime
    let turn: Turn

    /// Nothing of the frame has happened.
    package static func start(of frame: FrameTime) -> Point { Point(frame: frame, turn: .ends) }

    /// The stages and ends of the frame have happened.
    package static func loads(of frame: FrameTime) -> Point { Point(frame: frame, turn: .loads) }

    package static func < (one: Point, other: Point) -> Bool {
      (one.frame, one.turn.rawValue) < (other.frame, other.turn.rawValue)
    }
  }

  /// The session frame of the next event; `.endless` if there is none.
  package var nextFrame: FrameTime { min(nextEnd, nextBeginning) }

  /// Removes and returns the events of the next item; nil if it does not come before `point`. Playback, renders and
  /// `Schedule.events(in:)` all advance by this method.
  package mutating func takeEvents(before point: Point) -> [Occurrence]? {
    let (end, beginning) = (nextEnd, nextBeginning)
    if end <= beginning { return .start(of: end) < point ? takeEnd(at: end) : nil }
    return Point(frame: beginning, turn: .beginnings) < point ? takeBeginning(at: beginning) : nil
  }

  /// The session frame of the next stage or end.
  private var nextEnd: FrameTime {
    min(stageFrame, nextClipEnd, music.completionFrame, overlays.nextEnd?.frame ?? .endless)
  }

  /// The session frame of the next beginning or step of the music.
  private var nextBeginning: FrameTime { min(upcoming.first?.begin ?? .endless, captions.nextFrame, music.nextFrame) }

  private var stageFrame: FrameTime { upcomingStages.first.map { max(start, $0.begin) } ?? .endless }

  /// Returns the events of the next item at frame `now`, the frame of `nextEnd`. Simultaneous items come in this order:
  /// ends of paused overlays, stage, end of a crossfade, ends of clips.
  private mutating func takeEnd(at now: FrameTime) -> [Occurrence] {
    if let (id, frame) = overlays.nextEnd, frame == now { return occurrences(overlays.end(id), at: now, of: id) }
    if stageFrame == now {
      let events = startStage()
      return occurrences(events, at: now)
    }
    if music.completionFrame == now { return occurrences(music.advance(to: now, isSettled: false), at: now) }
    let ended = sounding.values.filter { $0.end <= now }.sorted { $0.id.ordinal < $1.id.ordinal }
    for clip in ended {
      sounding[clip.id] = nil
      captions.end(clip.id)
    }
    nextClipEnd = sounding.values.map(\.end).min() ?? .endless
    return ended.flatMap { occurrences(end($0, at: now), at: now, of: $0.id) }
  }

  /// Returns the events of the next item at frame `now`, the frame of `nextBeginning`: beginnings, then sentences, then
  /// the music.
  private mutating func takeBeginning(at now: FrameTime) -> [Occurrence] {
    if let clip = upcoming.first, clip.begin == now {
      upcoming.removeFirst()
      return occurrences(begin(clip, at: now), at: now, of: clip.id)
    }
    if captions.nextFrame == now { return captions.take(at: now).flatMap { occurrences([$1], at: now, of: $0) } }
    return occurrences(music.advance(to: now, isSettled: true), at: now)
  }

  private func occurrences(_ events: [ScheduleEvent], at now: FrameTime, of clip: ClipID? = nil) -> [Occurrence] {
    events.map { (now, clip?.stage ?? stage, $0) }
  }

  /// - Parameter isEdited: whether an edit starts the stage. `music.replace` then updates the music.
  private mutating func startStage(isEdited: Bool = false) -> [ScheduleEvent] {
    let layout = upcomingStages.removeFirst()
    (stage, visit, hasMusic) = (layout.stage, upcomingVisit, layout.music.first != nil)
    music.ending = Self.fadeOut(of: layout)
    let duration = layout.end.map { rate.seconds($0 - layout.begin) }
    let started = ScheduleEvent.stageStarted(name: stageNames[layout.stage], index: layout.stage, duration: duration)
    return [started] + (isEdited ? [] : music.leavePausedStage(for: layout.opening(after: move)))
      + (hasMusic ? [] : music.startSilence())
  }

  private mutating func begin(_ clip: Clip, at now: FrameTime) -> [ScheduleEvent] {
    captions.start(clip, at: now)
    // Gongs ring out, so their ends are no events; but nothing is said after them.
    if clip.layer == .effect, clip.captions.isEmpty { return [.gong(title: clip.title)] }
    sounding[clip.id] = clip
    nextClipEnd = min(nextClipEnd, clip.end)
    if clip.layer == .effect { return [.gong(title: clip.title)] }
    if clip.layer == .overlay { return overlays.start(clip) }
    return music.begin(clip, at: now, isFromEarlierStage: clip.stage != stage)
  }

  private mutating func end(_ clip: Clip, at now: FrameTime) -> [ScheduleEvent] {
    switch (clip.layer, clip.isPaused) {
    case (.music, false): music.end(clip, at: now)
    case (.overlay, false): overlays.end(clip.id.firstPart)
    case (.overlay, true): overlays.pause(clip, at: now)
    case (.music, true), (.effect, _): []
    }
  }
}

import Schedule
import Signal
import Sounds

/// Turns the mixer's reports and the schedule into events, ordered by session frame. It is a value: the same frames and
/// reports always give the same events. Used on the control thread.
struct EventTimeline: Sendable {
  /// Something that becomes an event once its frame has been heard.
  enum Note: Sendable {
    case loadStarted(Clip, LoadID)
    /// The event that ends a load.
    case loadEnded(Clip, LoadID, PlayerEvent)
    case started(Clip)
    case ended(Clip)
    /// An event of a clip, or of the current stage.
    case emitted(PlayerEvent, of: Clip? = nil)
  }

  private struct Entry: Sendable {
    var at: FrameTime
    var note: Note

    /// Index of the stage of the note's clip; nil if the current stage applies.
    var stage: Int? {
      switch note {
      case .loadStarted(let clip, _), .loadEnded(let clip, _, _), .started(let clip), .ended(let clip): clip.stage
      case .emitted(_, let clip): clip?.stage
      }
    }

    /// Order within one frame: loads first, beginnings last. It does not depend on when loads end or reports arrive.
    var rank: Int {
      switch note {
      case .loadStarted, .loadEnded: Self.loadRank
      case .ended, .emitted: 1
      case .started: 2
      }
    }

    static let loadRank = 0

    /// Clips that begin in one frame are ordered by the plan, not by which was opened first.
    var order: UInt128 { if case .started(let clip) = note { clip.id.ordinal } else { 0 } }
  }

  /// Who reads the events that occur many times a second. Each of them wakes the player.
  struct Audience: Sendable {
    /// Whether positions are reported ten times a second instead of once.
    var readsPositions: Bool
    /// Whether the progress of crossfades is reported ten times a second instead of once.
    var readsProgress: Bool
  }

  /// An event with its session frame and the index of its stage.
  typealias Emission = (at: FrameTime, stage: Int?, event: PlayerEvent)

  private let rate: SampleRate
  /// A slice, so that removing the first entry is cheap.
  private var entries: ArraySlice<Entry> = []
  /// The counts of the session so far. `Transport` adds the time played and the number of damaged sounds to a copy.
  var totals: Totals
  /// Derives the state and the music events.
  var music: MusicStateTracker
  /// The stages whose `stage.started` event has not been emitted.
  private var upcomingStages: [StageLayout]
  private let stageNames: [String]
  /// Music clips that are paused separately. Their next part is a resumption, not a beginning.
  private var paused: Set<ClipID> = []
  /// The overlays that have begun and not ended, including paused ones.
  var overlays = OpenOverlays()
  /// The events of tracks that were left out before the start, at their turn: before a later track of their stage
  /// begins, or when the stage ends.
  private var leftOut: [(stage: Int, number: Int, events: [PlayerEvent])] = []
  /// Index of the current stage; nil before the first one.
  private(set) var stage: Int?
  /// The values of `Schedule.visit` for `stage` and for `upcomingStages`.
  private var (visit, upcomingVisit) = (0, 0)
  /// Frames per second.
  private let second: FrameCount
  /// The number of positions per second (1 or 10), and the number of the next position, counted from session frame 0.
  private var pace: FrameCount = 1
  private var ticks: FrameCount
  private var nextPosition: FrameTime { ticks * second / pace }
  /// The session frame of the start or of the last edit.
  private var start: FrameTime
  /// All events before this session frame have been emitted.
  private var reported: FrameTime = .min

  init(_ schedule: Schedule, from start: FrameTime) {
    self.start = start
    rate = schedule.rate
    second = rate.frames(1)
    totals = Totals(played: 0)
    music = MusicStateTracker(rate: rate)
    ticks = start / second + 1
    stageNames = schedule.programme.stages.map(\.name)
    upcomingVisit = schedule.visit
    upcomingStages = schedule.layouts.filter { schedule.stage <= $0.stage }
    while let next = upcomingStages.dropFirst().first, next.begin <= start { upcomingStages.removeFirst() }
  }

  /// Sets how often positions and the progress of crossfades are reported: only as often as a reader needs them.
  mutating func follow(_ audience: Audience) {
    let wanted: FrameCount = audience.readsPositions ? 10 : 1
    if wanted != pace {
      // The tenths before the next whole second are skipped: events up to it may already have been emitted.
      ticks = (ticks + pace - 1) / pace * wanted
      pace = wanted
    }
    music.reportProgress(inTenths: audience.readsProgress, from: reported)
  }

  /// Applies a schedule that was edited at `frame`. Events before `frame` have been emitted and don't change.
  ///
  /// - Parameters:
  ///   - shown: the frame whose music is current after the edit: `frame`, or the end of the ramp into a pause.
  ///   - isPaused: whether the music is paused after the edit.
  ///   - strategy: how a paused crossfade continues; nil if none is paused.
  ///   - age: seconds of the clock by which a paused crossfade becomes stale.
  /// - Returns: the events that the edit causes.
  mutating func replan(
    _ schedule: Schedule, at frame: FrameTime, showing shown: FrameTime, isPaused: Bool,
    resuming strategy: ResumeStrategy?, age: Double
  ) -> [PlayerEvent] {
    start = frame
    upcomingStages = schedule.layouts.filter { stage in
      schedule.visit == visit ? self.stage.map { $0 < stage.stage } ?? true : schedule.stage <= stage.stage
    }
    if stage == nil {
      while let next = upcomingStages.dropFirst().first, next.begin <= frame { upcomingStages.removeFirst() }
    }
    upcomingVisit = schedule.visit
    ticks = max(ticks, frame / second * pace)
    var shownSchedule = schedule
    shownSchedule.advance(to: shown, keeping: frame)
    // A stage to which a paused session has moved is reported before its track.
    var emitted: [PlayerEvent] = []
    while isPaused, let next = upcomingStages.first, next.stage <= shownSchedule.stage, next.begin <= shown {
      emitted += startStage(isEdited: true)
    }
    let isOver = schedule.stage == stage && !schedule.hasMusic
    music.fadeOut = schedule.stage == stage ? Self.fadeOut(of: schedule.layout) : nil
    var clips = shownSchedule.music(at: shown)
    if isPaused, clips.isEmpty, schedule.hasMusic {
      // The last track ends within the ramp into the pause.
      let pausedAt = min(frame, music.pause?.at ?? frame)
      var paused = schedule
      paused.advance(to: frame, keeping: pausedAt)
      clips = paused.music(at: pausedAt)
    }
    emitted += music.replace(by: clips, isPaused: isPaused, at: frame, resuming: strategy, age: age)
    totals.tracks += Self.tracks(in: emitted)
    return emitted + (isOver ? music.startSilence() : [])
  }

  private static func tracks(in events: [PlayerEvent]) -> Int {
    events.count { if case .track = $0 { true } else { false } }
  }

  /// The planned fade-out of the session's last stage; nil for any other stage.
  private static func fadeOut(of stage: StageLayout) -> Fade? {
    stage.music.ending.flatMap { $0.kind == .fadeOut ? $0.fade : nil }
  }

  /// Inserts a note by frame and kind. Equal ones keep the order of the calls; beginnings follow the schedule.
  mutating func note(_ note: Note, at frame: FrameTime) {
    let entry = Entry(at: frame, note: note)
    let key = (frame, entry.rank, entry.order)
    let index = entries.lastIndex { ($0.at, $0.rank, $0.order) <= key }.map { $0 + 1 } ?? entries.startIndex
    entries.insert(entry, at: index)
  }

  /// Takes the events of a sound that was left out before the start: for the turn of a track, otherwise for now.
  mutating func note(_ events: [PlayerEvent], at place: (stage: Int, number: Int)?) {
    guard let place else { return events.forEach { note(.emitted($0), at: start) } }
    leftOut.append((place.stage, place.number, events))
  }

  /// Removes and returns the events of the tracks of a stage whose turn has come: those before the track that begins,
  /// whose index in the playlist as written is `number`, or all if none follows.
  private mutating func takeLeftOut(of stage: Int?, before number: Int?) -> [PlayerEvent] {
    let isDue = { (track: (stage: Int, number: Int, events: [PlayerEvent])) in
      track.stage == stage && number.map { track.number < $0 } ?? true
    }
    let due = leftOut.filter(isDue)
    if !due.isEmpty { leftOut.removeAll(where: isDue) }
    return due.flatMap(\.events)
  }

  /// The session frame of the next event; `.endless` if there is none.
  var nextFrame: FrameTime {
    min(nextEntry, nextPosition, music.nextFrame, stageFrame, overlays.nextEnd?.frame ?? .endless)
  }

  private var nextEntry: FrameTime { entries.first?.at ?? .endless }

  private var stageFrame: FrameTime {
    upcomingStages.first.map { max(start, $0.begin) } ?? .endless
  }

  /// Returns all events before `frame`, in order.
  ///
  /// - Parameter tellsLoads: whether loads at `frame` itself are included: they may last while nothing is heard.
  mutating func advance(to frame: FrameTime, tellsLoads: Bool = false) -> [Emission] {
    var emitted: [Emission] = []
    while nextFrame < frame { emitted += step(at: nextFrame) }
    if tellsLoads { emitted += loads(at: frame) }
    reported = max(reported, frame)
    return emitted
  }

  /// The events of loads at a frame, which need not be heard.
  private mutating func loads(at frame: FrameTime) -> [Emission] {
    var emitted: [Emission] = []
    while let first = entries.first, first.at == frame, first.rank == Entry.loadRank {
      entries.removeFirst()
      emitted += emit(first, at: frame).map { (frame, first.stage ?? stage, $0) }
    }
    return emitted
  }

  /// The events of the next item at frame `now`, each with its own stage or, after the step, the current one.
  private mutating func step(at now: FrameTime) -> [Emission] {
    let (own, events) = takeNext(at: now)
    return events.map { (now, own ?? stage, $0) }
  }

  /// The events of the next item at frame `now`, and their stage if they belong to a clip. Simultaneous items come in
  /// this order: ends of paused overlays, stage, end of a crossfade, notes, music, position.
  private mutating func takeNext(at now: FrameTime) -> (stage: Int?, events: [PlayerEvent]) {
    if let (id, frame) = overlays.nextEnd, frame == now { return (id.stage, overlays.end(id)) }
    if stageFrame == now {
      let events = takeLeftOut(of: stage, before: nil)
      return events.isEmpty ? (nil, startStage()) : (stage, events)
    }
    if music.completionFrame == now { return (nil, music.refresh(at: now)) }
    if nextEntry == now {
      let entry = entries.removeFirst()
      return (entry.stage, emit(entry, at: now))
    }
    if music.nextFrame == now { return (nil, music.advance(to: now)) }
    defer { ticks += 1 }
    return (nil, [music.position(at: now, isSecond: ticks % pace == 0)])
  }

  /// - Parameter isEdited: whether an edit starts the stage. `music.replace` then updates the music.
  private mutating func startStage(isEdited: Bool = false) -> [PlayerEvent] {
    let layout = upcomingStages.removeFirst()
    (stage, visit) = (layout.stage, upcomingVisit)
    music.fadeOut = Self.fadeOut(of: layout)
    let duration = layout.end.map { rate.seconds($0 - layout.begin) }
    let started = PlayerEvent.stageStarted(name: stageNames[layout.stage], index: layout.stage, duration: duration)
    return [started] + (isEdited ? [] : music.leavePausedStage(for: layout.opening))
      + (layout.music.first == nil ? takeLeftOut(of: layout.stage, before: nil) + music.startSilence() : [])
  }

  private mutating func emit(_ entry: Entry, at now: FrameTime) -> [PlayerEvent] {
    switch entry.note {
    case .loadStarted(let clip, let id):
      return [.loadStarted(title: clip.title, id: id)] + (clip.layer == .music ? music.prepare(clip) : [])
    case .loadEnded(_, _, let event): return [event]
    case .started(let clip): return start(clip, at: now)
    case .ended(let clip): return end(clip, at: now)
    case .emitted(let event, _): return [event]
    }
  }

  private mutating func start(_ clip: Clip, at now: FrameTime) -> [PlayerEvent] {
    if clip.isContinued, paused.remove(clip.id.firstPart) != nil { return [] }
    switch clip.layer {
    case .music:
      let emitted = music.start(clip, at: now, isFromEarlierStage: clip.stage != stage)
      totals.tracks += Self.tracks(in: emitted)
      return takeLeftOut(of: clip.stage, before: clip.number ?? 0) + emitted
    case .overlay:
      let emitted = overlays.start(clip)
      totals.overlays += emitted.count { if case .overlayStarted = $0 { true } else { false } }
      return emitted
    case .effect:
      totals.gongs += 1
      return [.gong(title: clip.title)]
    }
  }

  private mutating func end(_ clip: Clip, at now: FrameTime) -> [PlayerEvent] {
    switch clip.layer {
    case .music:
      guard clip.isPaused else { return music.end(clip, at: now) }
      paused.insert(clip.id.firstPart)
      return []
    case .overlay: return clip.isPaused ? overlays.pause(clip, at: now) : overlays.end(clip.id.firstPart)
    case .effect: return []
    }
  }

  /// Returns the remaining events up to the session's last frame, and the ends of the loads and of all overlays.
  mutating func close(at frame: FrameTime) -> [Emission] {
    var emitted = advance(to: frame)
    while nextEntry == frame { emitted += step(at: frame) }
    emitted += takeLeftOut(of: stage, before: nil).map { (frame, stage, $0) }
    let begun = Set(entries.compactMap { if case .loadStarted(_, let id) = $0.note { id } else { nil } })
    for entry in entries {
      guard case .loadEnded(_, let id, let event) = entry.note, !begun.contains(id) else { continue }
      emitted.append((frame, entry.stage ?? stage, event))
    }
    return emitted + overlays.clips.map { (frame, $0.stage ?? stage, .overlayEnded(title: $0.title)) }
  }
}

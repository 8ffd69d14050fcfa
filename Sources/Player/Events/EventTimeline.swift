import Schedule
import Signal
import Sounds

/// Orders the events of the schedule, of loads and of damaged sounds by session frame. It is a value: the same frames and
/// notes always give the same events. Used on the control thread.
struct EventTimeline: Sendable {
  /// Something that becomes an event once its frame has been heard.
  enum Note: Sendable {
    case loadStarted(Clip, LoadID)
    /// The event that ends a load.
    case loadEnded(Clip, LoadID, PlayerEvent)
    /// An event of a clip, or of the current stage.
    case emitted(PlayerEvent, of: Clip? = nil)
  }

  private struct Entry: Sendable {
    var at: FrameTime
    var note: Note

    /// Index of the stage of the note's clip; nil if the current stage applies.
    var stage: Int? {
      switch note {
      case .loadStarted(let clip, _), .loadEnded(let clip, _, _): clip.stage
      case .emitted(_, let clip): clip?.stage
      }
    }

    var isOfLoad: Bool { if case .emitted = note { false } else { true } }
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

  /// Gives the events of the schedule.
  var playhead: Playhead
  /// The notes by frame; in one frame those of loads come first. A slice, so that removing the first is cheap.
  private var entries: ArraySlice<Entry> = []
  /// The counts of the session so far. `Transport` adds the time played and the number of damaged sounds to a copy.
  var totals = Totals(played: 0)
  /// The stages that have been entered.
  private var entered: [Playhead.StageEntry] = []
  /// The stages that have been entered, and those that follow if there is no further edit.
  var stages: [Playhead.StageEntry] { entered + playhead.stagesToCome }
  /// The events of tracks that were left out before the start, at their turn: before a later track of their stage
  /// begins, or when the stage ends.
  private var leftOut: [(stage: Int, number: Int, events: [PlayerEvent])] = []
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
    second = schedule.rate.frames(1)
    playhead = Playhead(schedule, from: start)
    ticks = start / second + 1
  }

  /// Index of the current stage; nil before the first one.
  var stage: Int? { playhead.stage }

  /// Sets how often positions and the progress of crossfades are reported: only as often as a reader needs them.
  mutating func follow(_ audience: Audience) {
    let wanted: FrameCount = audience.readsPositions ? 10 : 1
    if wanted != pace {
      // The tenths before the next whole second are skipped: events up to it may already have been emitted.
      ticks = (ticks + pace - 1) / pace * wanted
      pace = wanted
    }
    playhead.reportProgress(inTenths: audience.readsProgress, from: reported)
  }

  /// Applies a schedule that was edited at `frame`, see `Playhead.replan`.
  ///
  /// - Returns: the events that the edit causes.
  mutating func replan(
    _ schedule: Schedule, at frame: FrameTime, showing shown: FrameTime, isPaused: Bool,
    resuming strategy: ResumeStrategy?, age: Double
  ) -> [Emission] {
    start = frame
    ticks = max(ticks, frame / second * pace)
    let changes = playhead.replan(
      schedule, at: frame, showing: shown, isPaused: isPaused, resuming: strategy, age: age)
    return changes.map { ($0.at, $0.stage, count($0.event, at: $0.at)) }
  }

  /// Inserts a note by frame and kind. Equal ones keep the order of the calls.
  mutating func note(_ note: Note, at frame: FrameTime) {
    let entry = Entry(at: frame, note: note)
    let index = entries.lastIndex { $0.at < frame || $0.at == frame && ($0.isOfLoad || !entry.isOfLoad) }
    entries.insert(entry, at: index.map { $0 + 1 } ?? entries.startIndex)
  }

  /// Takes the events of a sound that was left out before the start: for the turn of a track, otherwise for now.
  mutating func note(_ events: [PlayerEvent], at place: (stage: Int, number: Int)?) {
    guard let place else { return events.forEach { note(.emitted($0), at: start) } }
    leftOut.append((place.stage, place.number, events))
  }

  /// Removes and returns the events of the tracks of a stage whose turn has come: those before the track that begins,
  /// whose index in the playlist as written is `number`, or all if none follows.
  private mutating func takeLeftOut(of stage: Int?, before number: Int? = nil) -> [PlayerEvent] {
    let isDue = { (track: (stage: Int, number: Int, events: [PlayerEvent])) in
      track.stage == stage && number.map { track.number < $0 } ?? true
    }
    let due = leftOut.filter(isDue)
    if !due.isEmpty { leftOut.removeAll(where: isDue) }
    return due.flatMap(\.events)
  }

  /// The session frame of the next event; `.endless` if there is none.
  var nextFrame: FrameTime { min(nextEntry, nextPosition, playhead.nextFrame) }

  private var nextEntry: FrameTime { entries.first?.at ?? .endless }

  /// Returns all events before `frame`, in order. Simultaneous ones come in this order: stages and ends, notes,
  /// beginnings and steps of the music, position.
  ///
  /// - Parameter tellsLoads: whether loads at `frame` itself are included: they may last while nothing is heard.
  mutating func advance(to frame: FrameTime, tellsLoads: Bool = false) -> [Emission] {
    var emitted: [Emission] = []
    while min(nextEntry, nextPosition) < frame {
      if nextEntry <= nextPosition {
        emitted += walk(before: .loads(of: nextEntry)) + takeNote()
      } else {
        emitted += walk(before: .start(of: nextPosition + 1)) + [takePosition()]
      }
    }
    emitted += walk(before: .start(of: frame))
    while tellsLoads, let first = entries.first, first.at == frame, first.isOfLoad { emitted += takeNote() }
    reported = max(reported, frame)
    return emitted
  }

  /// The events of the schedule before a point.
  private mutating func walk(before point: Playhead.Point) -> [Emission] {
    var emitted: [Emission] = []
    var before = stage
    while let occurrences = playhead.takeEvents(before: point) {
      for occurrence in occurrences { emitted += emissions(occurrence, after: before) }
      before = stage
    }
    return emitted
  }

  /// The position in the track that plays at the frame of the next position.
  private mutating func takePosition() -> Emission {
    defer { ticks += 1 }
    let (now, playing) = (nextPosition, playhead.playing(at: nextPosition))
    let event = PlayerEvent.position(
      track: playing?.title, position: playing?.position, duration: playing?.duration, isSecond: ticks % pace == 0)
    return (now, stage, event)
  }

  /// An event of the schedule, after those of the tracks that were left out before it.
  ///
  /// - Parameter before: index of the stage that was current.
  private mutating func emissions(_ occurrence: Playhead.Occurrence, after before: Int?) -> [Emission] {
    let (now, stage, event) = occurrence
    var due: [Emission] = []
    if case .stageStarted = event { due = takeLeftOut(of: before).map { (now, before, $0) } }
    if case .track(_, let number, _, _) = event {
      due = takeLeftOut(of: stage, before: number).map { (now, stage, $0) }
    }
    let emitted = due + [(now, stage, count(event, at: now))]
    guard case .stageStarted = event, !playhead.hasMusic else { return emitted }
    return emitted + takeLeftOut(of: stage).map { (now, stage, $0) }
  }

  /// The event for readers, after it has been counted.
  private mutating func count(_ event: ScheduleEvent, at frame: FrameTime) -> PlayerEvent {
    switch event {
    case .stageStarted(let name, _, _): entered.append((name, frame))
    case .track: totals.tracks += 1
    case .overlayStarted: totals.overlays += 1
    case .gong: totals.gongs += 1
    default: break
    }
    return PlayerEvent(event)
  }

  /// The events of the first note.
  private mutating func takeNote() -> [Emission] {
    let entry = entries.removeFirst()
    var events: [PlayerEvent] = []
    switch entry.note {
    case .loadStarted(let clip, let id):
      events = [.loadStarted(title: clip.title, id: id)] + playhead.prepare(clip).map { PlayerEvent($0) }
    case .loadEnded(_, _, let event), .emitted(let event, _): events = [event]
    }
    return events.map { (entry.at, entry.stage ?? stage, $0) }
  }

  /// Returns the remaining events up to the session's last frame, and the ends of the loads and of all overlays.
  mutating func close(at frame: FrameTime) -> [Emission] {
    var emitted = advance(to: frame)
    while nextEntry == frame { emitted += takeNote() }
    emitted += takeLeftOut(of: stage).map { (frame, stage, $0) }
    let begun = Set(entries.compactMap { if case .loadStarted(_, let id) = $0.note { id } else { nil } })
    for entry in entries {
      guard case .loadEnded(_, let id, let event) = entry.note, !begun.contains(id) else { continue }
      emitted.append((frame, entry.stage ?? stage, event))
    }
    return emitted + playhead.openOverlays.map { (frame, $0.stage ?? stage, .overlayEnded(title: $0.title)) }
  }
}

extension PlayerEvent {
  init(_ event: ScheduleEvent) {
    self =
      switch event {
      case .stageStarted(let name, let index, let duration): .stageStarted(name: name, index: index, duration: duration)
      case .state(let state, let previous): .state(state, previous: previous)
      case .track(let title, let index, let pass, let duration):
        .track(title: title, index: index, pass: pass, duration: duration)
      case .crossfadeStarted(let from, let to, let duration): .crossfadeStarted(from: from, to: to, duration: duration)
      case .crossfadeProgress(let progress): .crossfadeProgress(progress)
      case .crossfadePaused(let progress, let strategy): .crossfadePaused(progress: progress, strategy)
      case .crossfadeResumed(let progress, let strategy): .crossfadeResumed(progress: progress, strategy)
      case .crossfadeCompleted: .crossfadeCompleted
      case .crossfadeCancelled: .crossfadeCancelled
      case .overlayStarted(let title): .overlayStarted(title: title)
      case .overlayEnded(let title): .overlayEnded(title: title)
      case .overlayPaused(let title): .overlayPaused(title: title)
      case .overlayResumed(let title): .overlayResumed(title: title)
      case .gong(let title): .gong(title: title)
      case .caption(let text, let title, let duration): .caption(text, title: title, duration: duration)
      }
  }
}

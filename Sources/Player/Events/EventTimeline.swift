import Engine
import Schedule
import Signal

/// Tells a performance as events in the order of their frames: what the mixer reports, and what the plan says of the
/// time between. A value: frames and reports go in, events come out, the same ones every time.
struct EventTimeline: Sendable {
  /// Something that becomes an event when its frame has been heard.
  enum Note: Sendable {
    case loadStarted(Clip)
    case loadCompleted(Clip, milliseconds: Double)
    case started(Clip)
    case ended(Clip)
    case told(PlayerEvent)
  }

  private struct Entry: Sendable {
    var at: FrameTime
    var note: Note

    /// Of the clip that it is about.
    var stage: Int? {
      switch note {
      case .loadStarted(let clip), .loadCompleted(let clip, _), .started(let clip),
        .ended(let clip):
        clip.stage
      case .told: nil
      }
    }

    /// In one frame loads come first and beginnings last, however planning and the mixer's reports take turns.
    var rank: Int {
      switch note {
      case .loadStarted, .loadCompleted: 0
      case .ended, .told: 1
      case .started: 2
      }
    }

    /// What begins in one frame is told in the order of its planning, whichever was opened first.
    var order: Int { if case .started(let clip) = note { clip.id.ordinal } else { 0 } }
  }

  /// A stage that is to begin, or has.
  private struct Opening: Sendable {
    var layout: StageLayout
    var name: String
    var isLast: Bool
  }

  private let rate: SampleRate
  /// Called with a frame, the index of the stage that an event belongs to, and the event.
  typealias Teller = (FrameTime, Int?, PlayerEvent) -> Void

  private var entries: [Entry] = []
  /// Those before this index have been told.
  private var told = 0
  private(set) var totals: Totals
  private(set) var music: MusicStateTracker
  /// The stages that are yet to begin.
  private var openings: [Opening] = []
  /// What has been paused alone: its next part is no beginning.
  private var paused: Set<ClipID> = []
  /// Overlays that have begun and not ended, those paused with them.
  private var overlays: [ClipID: Clip] = [:]
  /// The stage under way.
  private(set) var stage: Int?
  private let second: FrameCount
  /// How often a second the position is told, and how often it has been since the session's frame 0.
  private var pace: FrameCount = 1
  private var ticks: FrameCount
  private var nextPosition: FrameTime { ticks * second / pace }
  private var start: FrameTime

  init(_ schedule: Schedule, from start: FrameTime) {
    self.start = start
    rate = schedule.rate
    second = rate.frames(1)
    totals = Totals(played: 0)
    music = MusicStateTracker(rate: rate)
    ticks = start / second + 1
    openings = Self.openings(of: schedule, isUnderWayToo: true)
    while let next = openings.dropFirst().first, next.layout.begin <= start { openings.removeFirst() }
  }

  /// From now on the position is told ten times a second, at whole tenths.
  mutating func tellTenths() {
    guard pace == 1 else { return }
    // Of the second that ends with the next position, what is left lies behind what has been told.
    pace = 10
    ticks *= pace
  }

  private static func openings(of schedule: Schedule, isUnderWayToo: Bool) -> [Opening] {
    schedule.layouts.filter { schedule.stage < $0.stage || isUnderWayToo && $0.stage == schedule.stage }.map {
      Opening(
        layout: $0, name: schedule.programme.stages[$0.stage].name,
        isLast: $0.stage + 1 == schedule.programme.stages.count)
    }
  }

  /// The schedule has been edited from `frame` on; what was reported before stays.
  ///
  /// - Parameters:
  ///   - shown: the frame whose music is current after the edit: `frame`, or where a pause comes to rest.
  ///   - isPaused: whether the music stands still after the edit.
  ///   - age: seconds of the clock by which a paused crossfade becomes stale.
  /// - Returns: what the edit itself does to the music.
  mutating func replan(
    _ schedule: Schedule, at frame: FrameTime, showing shown: FrameTime, isPaused: Bool, age: Double
  ) -> [PlayerEvent] {
    start = frame
    openings = Self.openings(of: schedule, isUnderWayToo: schedule.stage != stage)
    ticks = max(ticks, frame / second * pace)
    var shownSchedule = schedule
    shownSchedule.advance(to: shown, keeping: frame)
    // A stage that waits for the end of a pause is reported before the track that waits there.
    var told: [PlayerEvent] = []
    while isPaused, let next = openings.first, next.layout.stage <= shownSchedule.stage, next.layout.begin <= shown {
      told += startStage(isEdited: true)
    }
    let isOver = schedule.stage == stage && !schedule.hasMusic
    let isLast = schedule.stage == schedule.programme.stages.count - 1 && stage == schedule.stage
    told += music.replace(
      by: shownSchedule.music(at: shown), fadeOut: isLast ? Self.fadeOut(of: schedule.layout) : nil, isPaused: isPaused,
      at: frame, age: age)
    totals.tracks += Self.tracks(in: told)
    return told + (isOver ? music.fallSilent() : [])
  }

  private static func tracks(in events: [PlayerEvent]) -> Int {
    events.count { if case .track = $0 { true } else { false } }
  }

  /// Of the session's last stage.
  private static func fadeOut(of stage: StageLayout) -> Fade? {
    guard case .fadeOut(let end, let shape)? = stage.music.departure else { return nil }
    let begin = max(stage.begin, end - shape.length)
    return begin < end ? .falling(at: begin, over: end - begin, .linear) : nil
  }

  /// Adds a note; beginnings of one frame are told in the order of the plan, others of one kind as they come.
  mutating func note(_ note: Note, at frame: FrameTime) {
    let entry = Entry(at: frame, note: note)
    let key = (frame, entry.rank, entry.order)
    let place = entries[told...].lastIndex { ($0.at, $0.rank, $0.order) <= key }.map { $0 + 1 } ?? told
    entries.insert(entry, at: place)
  }

  /// The frame at which there is something to tell next.
  var nextFrame: FrameTime {
    min(nextEntry, nextPosition, music.nextFrame, stageFrame)
  }

  private var nextEntry: FrameTime { told < entries.count ? entries[told].at : .endless }

  private var stageFrame: FrameTime {
    openings.first.map { max(start, $0.layout.begin) } ?? .endless
  }

  /// Everything that is to be told before `frame`.
  mutating func advance(to frame: FrameTime, tell: Teller) {
    while nextFrame < frame {
      let now = nextFrame
      for (stage, event) in step(at: now) { tell(now, stage ?? self.stage, event) }
    }
  }

  var lastStateName: String { music.state.name }

  /// What is told next, with the stage that it belongs to where that isn't the one under way.
  private mutating func step(at now: FrameTime) -> [(Int?, PlayerEvent)] {
    if stageFrame == now { return startStage().map { (nil, $0) } }
    if music.completionFrame == now { return music.advance(to: now).map { (nil, $0) } }
    if nextEntry == now {
      let entry = takeEntry()
      return tell(entry, at: now).map { (entry.stage, $0) }
    }
    if music.nextFrame == now { return music.advance(to: now).map { (nil, $0) } }
    ticks += 1
    return [(nil, music.position(at: now))]
  }

  private mutating func takeEntry() -> Entry {
    let entry = entries[told]
    told += 1
    if 1_000 < told, entries.count < 2 * told {
      entries.removeFirst(told)
      told = 0
    }
    return entry
  }

  private mutating func startStage(isEdited: Bool = false) -> [PlayerEvent] {
    let opening = openings.removeFirst()
    let layout = opening.layout
    stage = layout.stage
    if opening.isLast { music.plan(fadeOut: Self.fadeOut(of: layout)) }
    let duration = layout.end.map { rate.seconds($0 - layout.begin) }
    let started = PlayerEvent.stageStarted(name: opening.name, index: layout.stage, duration: duration)
    return [started] + (isEdited ? [] : music.leavePausedStage())
      + (layout.music.first == nil ? music.fallSilent() : [])
  }

  private mutating func tell(_ entry: Entry, at now: FrameTime) -> [PlayerEvent] {
    switch entry.note {
    case .loadStarted(let clip):
      return [.loadStarted(title: clip.title)] + (clip.layer == .music ? music.prepare(clip) : [])
    case .loadCompleted(let clip, let milliseconds):
      return [.loadCompleted(title: clip.title, milliseconds: milliseconds)]
    case .started(let clip): return start(clip, at: now)
    case .ended(let clip): return end(clip, at: now)
    case .told(let event): return [event]
    }
  }

  private mutating func start(_ clip: Clip, at now: FrameTime) -> [PlayerEvent] {
    if clip.isContinued, paused.remove(clip.id.playing) != nil {
      return clip.layer == .overlay ? [.overlayResumed(title: clip.title)] : []
    }
    switch clip.layer {
    case .music:
      let told = music.start(clip, at: now, isBeneath: clip.stage != stage)
      totals.tracks += Self.tracks(in: told)
      return told
    case .overlay:
      totals.overlays += 1
      overlays[clip.id.playing] = clip
      return [.overlayStarted(title: clip.title)]
    case .effect:
      totals.gongs += 1
      return [.gong(title: clip.title)]
    }
  }

  private mutating func end(_ clip: Clip, at now: FrameTime) -> [PlayerEvent] {
    if clip.isPaused {
      paused.insert(clip.id.playing)
      return clip.layer == .overlay ? [.overlayPaused(title: clip.title)] : []
    }
    return switch clip.layer {
    case .music: music.end(clip, at: now)
    case .overlay: overlays.removeValue(forKey: clip.id.playing).map { [.overlayEnded(title: $0.title)] } ?? []
    case .effect: []
    }
  }

  /// Tells what is left at the session's last frame.
  mutating func close(at frame: FrameTime, tell: Teller) {
    advance(to: frame, tell: tell)
    while nextEntry == frame {
      for (stage, event) in step(at: frame) { tell(frame, stage ?? self.stage, event) }
    }
    for clip in overlays.values.sorted(by: { $0.id.ordinal < $1.id.ordinal }) {
      tell(frame, clip.stage ?? stage, .overlayEnded(title: clip.title))
    }
    music.close()
  }

  mutating func count(underruns: Int = 0, starved: Int = 0, late: Int = 0, damaged: Int = 0) {
    totals.shortfalls.underruns += underruns
    totals.shortfalls.starved += starved
    totals.shortfalls.late += late
    totals.damaged += damaged
  }

  /// What the listener has asked for, at its frame.
  mutating func prepareCrossfade(to next: Clip) -> [PlayerEvent] { music.prepareCrossfade(to: next) }

  mutating func abandonCrossfade() -> [PlayerEvent] { music.abandonCrossfade() }

  mutating func fadeOut(at frame: FrameTime, over length: FrameCount) -> [PlayerEvent] {
    music.finish(at: frame, over: length)
  }

  /// The output is done: with the session, or for good.
  mutating func conclude(_ failure: SinkError?) -> [PlayerEvent] { music.conclude(failure) }
}

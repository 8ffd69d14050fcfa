import Engine
import Signal

/// Tells a performance as events in the order of their frames: what the mixer reports, and what the plan says of the
/// time between. A value: frames and reports go in, events come out, the same ones every time.
struct Narrator: Sendable {
  /// Something that becomes an event when its frame has been heard.
  enum Note: Sendable {
    case loadStarted(Placement)
    case loadCompleted(Placement, milliseconds: Double)
    case started(Placement)
    case ended(Placement)
    case told(PlayerEvent)
  }

  private struct Entry: Sendable {
    var at: FrameTime
    var note: Note

    /// Of the placement that it is about.
    var stage: Int? {
      switch note {
      case .loadStarted(let placement), .loadCompleted(let placement, _), .started(let placement),
        .ended(let placement):
        placement.stage
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
    var order: Int { if case .started(let placement) = note { placement.serial } else { 0 } }
  }

  /// A stage that is to begin, or has.
  private struct Opening: Sendable {
    var index: Int
    var stage: Programme.Stage
    var isLast: Bool
  }

  private let rate: SampleRate
  /// Called with a frame, the index of the stage that an event belongs to, and the event.
  typealias Teller = (FrameTime, Int?, PlayerEvent) -> Void

  private var entries: [Entry] = []
  /// Those before this index have been told.
  private var told = 0
  private(set) var totals: Totals
  private(set) var music: MusicNarration
  /// The stages that are yet to begin.
  private var openings: [Opening] = []
  /// The stage under way.
  private(set) var stage: Int?
  private let second: FrameCount
  /// How often a second the position is told, and how often it has been since the session's frame 0.
  private var pace: FrameCount = 1
  private var ticks: FrameCount
  private var nextPosition: FrameTime { ticks * second / pace }
  private var start: FrameTime

  init(_ score: Score, from start: FrameTime) {
    self.start = start
    rate = score.rate
    second = rate.frames(1)
    totals = Totals(played: 0)
    music = MusicNarration(rate: rate)
    ticks = start / second + 1
    openings = Self.openings(of: score, from: score.stage)
    while let next = openings.dropFirst().first, next.stage.begin <= start { openings.removeFirst() }
  }

  /// From now on the position is told ten times a second, at whole tenths.
  mutating func tellTenths() {
    guard pace == 1 else { return }
    // Of the second that ends with the next position, what is left lies behind what has been told.
    pace = 10
    ticks *= pace
  }

  private static func openings(of score: Score, from stage: Int) -> [Opening] {
    (stage..<max(stage, score.run.upperBound)).map {
      Opening(index: $0, stage: score.programme.stages[$0], isLast: $0 + 1 == score.programme.stages.count)
    }
  }

  /// The score has been changed from `frame` on; what was told before stays told.
  ///
  /// - Parameter edited: where what is new in it begins: at `frame`, but for a pause that is yet to come to rest.
  /// - Returns: what the change itself does to the music.
  mutating func replan(_ score: Score, at frame: FrameTime, edited: FrameTime) -> [PlayerEvent] {
    start = frame
    openings = Self.openings(of: score, from: score.stage == stage ? score.stage + 1 : score.stage)
    music.forget(from: frame)
    ticks = max(ticks, frame / second * pace)
    let last = score.programme.stages.count - 1
    if stage == last { planFadeOut(of: score.programme.stages[last], from: frame) }
    let isOver = score.stage == stage && score.line.current == nil && score.line.next == nil
    return music.replan(placements: score.music(at: edited)) + (isOver ? music.fallSilent() : [])
  }

  /// Of the session's last stage; where that has begun already, what is left of it.
  private mutating func planFadeOut(of stage: Programme.Stage, from frame: FrameTime) {
    guard case .fadeOut(let end, let shape)? = stage.music.departure, frame < end else { return }
    let begin = max(frame, end - shape.length)
    music.fadeOut(at: begin, over: end - begin, isUnderWay: begin == frame)
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
    openings.first.map { max(start, $0.stage.begin) } ?? .endless
  }

  /// Everything that is to be told before `frame`.
  mutating func advance(to frame: FrameTime, tell: Teller) {
    while nextFrame < frame {
      let now = nextFrame
      for (stage, event) in step(at: now) { tell(now, stage ?? self.stage, event) }
    }
  }

  var lastStateName: String { music.lastName }

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

  private mutating func startStage() -> [PlayerEvent] {
    let opening = openings.removeFirst()
    let stage = opening.stage
    self.stage = opening.index
    if opening.isLast { planFadeOut(of: stage, from: max(start, stage.begin)) }
    let duration = stage.end.map { rate.seconds($0 - stage.begin) }
    let started = PlayerEvent.stageStarted(name: stage.name, index: opening.index, duration: duration)
    return stage.music.first == nil ? [started] + music.fallSilent() : [started]
  }

  private mutating func tell(_ entry: Entry, at now: FrameTime) -> [PlayerEvent] {
    switch entry.note {
    case .loadStarted(let placement):
      return [.loadStarted(title: placement.title)] + (placement.layer == .music ? music.prepare(placement) : [])
    case .loadCompleted(let placement, let milliseconds):
      return [.loadCompleted(title: placement.title, milliseconds: milliseconds)]
    case .started(let placement): return start(placement, at: now)
    case .ended(let placement): return end(placement, at: now)
    case .told(let event): return [event]
    }
  }

  private mutating func start(_ placement: Placement, at now: FrameTime) -> [PlayerEvent] {
    if placement.isTakenUp { return [] }
    switch placement.layer {
    case .music:
      let told = music.start(placement, at: now, isBeneath: placement.stage != stage)
      // One that is sought in goes on.
      if told.contains(where: { if case .track = $0 { true } else { false } }) { totals.tracks += 1 }
      return told
    case .overlay:
      totals.overlays += 1
      return [.overlayStarted(title: placement.title)]
    case .effect:
      totals.gongs += 1
      return [.gong(title: placement.title)]
    }
  }

  private mutating func end(_ placement: Placement, at now: FrameTime) -> [PlayerEvent] {
    if placement.isSetAside { return [] }
    return switch placement.layer {
    case .music: music.end(placement, at: now)
    case .overlay: [.overlayEnded(title: placement.title)]
    case .effect: []
    }
  }

  /// Tells what is left at the session's last frame.
  mutating func close(at frame: FrameTime, tell: Teller) {
    advance(to: frame, tell: tell)
    while nextEntry == frame {
      for (stage, event) in step(at: frame) { tell(frame, stage ?? self.stage, event) }
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
  mutating func prepareCrossfade(to next: Placement) -> [PlayerEvent] { music.prepareCrossfade(to: next) }

  mutating func abandonCrossfade() -> [PlayerEvent] { music.abandonCrossfade() }

  mutating func pause(at frame: FrameTime, age: Double) -> [PlayerEvent] { music.pause(at: frame, age: age) }

  /// - Parameter shift: frames that the music is later than it was to be.
  mutating func resume(at frame: FrameTime, shift: FrameCount, age: Double) -> [PlayerEvent] {
    music.resume(at: frame, shift: shift, age: age)
  }

  mutating func fadeOut(at frame: FrameTime, over length: FrameCount) -> [PlayerEvent] {
    music.finish(at: frame, over: length)
  }

  /// The output is done: with the session, or for good.
  mutating func conclude(_ failure: SinkError?) -> [PlayerEvent] { music.conclude(failure) }
}

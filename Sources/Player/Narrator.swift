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
  }

  let programme: Programme
  private var entries: [Entry] = []
  private(set) var totals: Totals
  private var music: MusicNarration
  private var nextStage = 0
  private var nextPosition: FrameTime
  private let second: FrameCount
  private let start: FrameTime

  init(_ programme: Programme, from start: FrameTime) {
    self.programme = programme
    self.start = start
    second = programme.rate.frames(1)
    totals = Totals(played: 0)
    music = MusicNarration(rate: programme.rate)
    nextPosition = (start / second + 1) * second
    nextStage = max(0, (programme.stages.lastIndex { $0.begin <= start } ?? 0))
  }

  /// Adds a note; those of one frame are told in the order of their coming.
  mutating func note(_ note: Note, at frame: FrameTime) {
    let place = entries.lastIndex { $0.at <= frame }.map { $0 + 1 } ?? 0
    entries.insert(Entry(at: frame, note: note), at: place)
  }

  /// The frame at which there is something to tell next.
  var nextFrame: FrameTime {
    min(entries.first?.at ?? .endless, nextPosition, music.nextFrame, stageFrame)
  }

  private var stageFrame: FrameTime {
    nextStage < programme.stages.count ? max(start, programme.stages[nextStage].begin) : .endless
  }

  /// Everything that is to be told before `frame`.
  mutating func advance(to frame: FrameTime, tell: (FrameTime, PlayerEvent) -> Void) {
    while nextFrame < frame {
      let now = nextFrame
      for event in step(at: now) { tell(now, event) }
    }
  }

  var lastStateName: String { music.lastName }

  private mutating func step(at now: FrameTime) -> [PlayerEvent] {
    if stageFrame == now { return startStage() }
    if entries.first?.at == now { return tell(entries.removeFirst(), at: now) }
    if music.nextFrame == now { return music.advance(to: now) }
    nextPosition += second
    return [music.position(at: now)]
  }

  private mutating func startStage() -> [PlayerEvent] {
    let stage = programme.stages[nextStage]
    let isLast = nextStage + 1 == programme.stages.count
    if isLast, case .fadeOut(let end, let shape)? = stage.music.departure {
      music.fadeOut(at: end - shape.length, over: shape.length)
    }
    nextStage += 1
    let duration = stage.end.map { programme.rate.seconds($0 - stage.begin) }
    let started = PlayerEvent.stageStarted(name: stage.name, index: nextStage - 1, duration: duration)
    return stage.music.tracks.isEmpty ? [started] + music.fallSilent() : [started]
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
    switch placement.layer {
    case .music:
      totals.tracks += 1
      return music.start(placement, at: now)
    case .overlay:
      totals.overlays += 1
      return [.overlayStarted(title: placement.title)]
    case .effect:
      totals.gongs += 1
      return [.gong(title: placement.title)]
    }
  }

  private mutating func end(_ placement: Placement, at now: FrameTime) -> [PlayerEvent] {
    switch placement.layer {
    case .music: music.end(placement, at: now)
    case .overlay: [.overlayEnded(title: placement.title)]
    case .effect: []
    }
  }

  /// Tells what is left at the session's last frame.
  mutating func close(at frame: FrameTime, tell: (FrameTime, PlayerEvent) -> Void) {
    advance(to: frame, tell: tell)
    while entries.first?.at == frame { for event in step(at: frame) { tell(frame, event) } }
    music.close()
  }

  mutating func count(underruns: Int = 0, damaged: Int = 0) {
    totals.underruns += underruns
    totals.damaged += damaged
  }
}

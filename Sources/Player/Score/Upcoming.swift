import Signal

/// The placements of a score in the order of their frames, one at a time: a week of music takes no memory.
struct Upcoming: Sendable {
  /// One ordered source of placements; its head is the next one.
  private struct Lane: Sendable {
    enum Source: Sendable {
      case music(MusicPlan.Passages, stage: Int)
      case cues(ArraySlice<Placement>, stage: Int?)
      case series(OverlaySeries)
    }

    var source: Source
    var head: Placement?

    init(_ source: Source) {
      self.source = source
      advance()
    }

    mutating func advance() {
      switch source {
      case .music(var passages, let stage):
        head = passages.next()
        head?.stage = stage
        source = .music(passages, stage: stage)
      case .cues(var cues, let stage):
        head = cues.popFirst()
        if let stage { head?.stage = stage }
        source = .cues(cues, stage: stage)
      case .series(var series):
        head = series.head
        series.index += 1
        source = .series(series)
      }
    }
  }

  private let programme: Programme
  private let run: Range<Int>
  private let postponed: FrameTime
  private var lanes: [Lane]
  private var nextStage: Int

  init(_ score: Score) {
    programme = score.programme
    run = score.run
    postponed = score.postponed
    nextStage = score.stage + 1
    lanes = [Lane(.cues(score.underWay.sorted { $0.serial < $1.serial }[...], stage: nil))]
    lanes.append(Lane(.cues(Self.rest(of: score.sessionCues, from: score.from), stage: nil)))
    for line in score.lines where !(score.pausedMusic != nil && line.stage == score.stage) {
      guard let turn = line.next else { continue }
      lanes.append(Lane(.music(programme.stages[line.stage].music.passages(from: turn), stage: line.stage)))
    }
    for stage in score.cueStages {
      lanes.append(Lane(.cues(Self.rest(of: programme.stages[stage].cues, from: score.from), stage: stage)))
    }
    lanes += score.series.map { Lane(.series($0)) }
    openStages()
  }

  /// The next placement; nil when there is none.
  var head: Placement? {
    guard var head = earliest.flatMap({ lanes[$0].head }) else { return nil }
    if head.layer != .music, head.serial == 0, head.begin < postponed {
      head = head.shifted(by: postponed - head.begin)
    }
    return head
  }

  /// Goes on to the one after it.
  mutating func drop() {
    guard let lane = earliest else { return }
    lanes[lane].advance()
    if lanes[lane].head == nil { lanes.remove(at: lane) }
    openStages()
  }

  /// Whether something would be entered in its middle at `frame`.
  func hasSounding(at frame: FrameTime) -> Bool {
    var rest = self
    while let head = rest.head, head.begin < frame {
      if frame < head.end { return true }
      rest.drop()
    }
    return false
  }

  /// Of equals the lane that came first: music before cues, and earlier stages before later ones.
  private var earliest: Int? {
    lanes.indices.filter { lanes[$0].head != nil }
      .min { (lanes[$0].head?.begin ?? .endless) < (lanes[$1].head?.begin ?? .endless) }
  }

  /// A stage's lanes are opened when nothing comes before it any more.
  private mutating func openStages() {
    while nextStage < run.upperBound {
      let stage = programme.stages[nextStage]
      if let next = head?.begin, next < stage.begin { return }
      if let turn = stage.music.first { lanes.append(Lane(.music(stage.music.passages(from: turn), stage: nextStage))) }
      lanes.append(Lane(.cues(stage.cues[...], stage: nextStage)))
      nextStage += 1
    }
  }

  private static func rest(of cues: [Placement], from frame: FrameTime) -> ArraySlice<Placement> {
    cues[(cues.firstIndex { frame <= $0.at } ?? cues.endIndex)...]
  }
}

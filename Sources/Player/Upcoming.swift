import Signal

/// The placements of a programme in the order of their frames, one at a time: a week of music takes no memory.
struct Upcoming: Sendable {
  /// One ordered source of placements; its head is the next one.
  private struct Lane: Sendable {
    var passages: MusicPlan.Passages?
    var cues: ArraySlice<Placement>
    var stage: Int?
    var head: Placement?

    init(passages: MusicPlan.Passages?, cues: [Placement], stage: Int?) {
      self.passages = passages
      self.cues = cues[...]
      self.stage = stage
      advance()
    }

    mutating func advance() {
      head = passages.map { _ in passages?.next() } ?? cues.popFirst()
      if let stage { head?.stage = stage }
    }
  }

  private let programme: Programme
  private var lanes: [Lane]
  private var nextStage = 0

  init(_ programme: Programme) {
    self.programme = programme
    lanes = [Lane(passages: nil, cues: programme.cues, stage: nil)]
    openStages()
  }

  /// The next placement; nil when there is none.
  var head: Placement? { earliest.flatMap { lanes[$0].head } }

  /// Goes on to the one after it.
  mutating func drop() {
    guard let lane = earliest else { return }
    lanes[lane].advance()
    if lanes[lane].head == nil { lanes.remove(at: lane) }
    openStages()
  }

  /// Of equals the lane that came first: music before cues, and earlier stages before later ones.
  private var earliest: Int? {
    lanes.indices.filter { lanes[$0].head != nil }
      .min { (lanes[$0].head?.at ?? .endless) < (lanes[$1].head?.at ?? .endless) }
  }

  /// A stage's lanes are opened when nothing comes before it any more.
  private mutating func openStages() {
    while nextStage < programme.stages.count {
      let stage = programme.stages[nextStage]
      if let next = head?.at, next < stage.begin { return }
      lanes.append(Lane(passages: stage.music.passages, cues: [], stage: nextStage))
      lanes.append(Lane(passages: nil, cues: stage.cues, stage: nextStage))
      nextStage += 1
      if stage.end == nil { return }
    }
  }
}

import Player
import Signal

/// The music of a stage as it is told: every passage, but of long repetitions the first two passes and the last
/// passage alone.
struct MusicOutline: Sequence, IteratorProtocol {
  enum Line {
    case passage(Placement)
    /// Instead of so many passes, the last of which may be cut; nil where they have no end.
    case passes(Int?, until: FrameTime)
  }

  private let plan: MusicPlan
  private let last: MusicPlan.Turn?
  private var passages: MusicPlan.Passages
  private var previous: FrameTime = 0
  private var isOver = false

  init(of plan: MusicPlan) {
    self.plan = plan
    passages = plan.passages
    if let departure = plan.departure {
      last = plan.turn(at: departure.end - 1)
    } else {
      last = plan.naturalLength == .endless ? nil : plan.turn(at: plan.begin + plan.naturalLength - 1)
    }
  }

  mutating func next() -> Line? {
    guard !isOver, let passage = passages.next() else { return nil }
    defer { previous = passage.at }
    guard let entry = passage.entry, entry.pass == 2, plan.repetition == .track || entry.index == 0 else {
      return .passage(passage)
    }
    return rest(of: entry, from: passage.at) ?? .passage(passage)
  }

  /// Jumps to the last passage of a repetition whose third pass begins at a frame; nil where it isn't worth it.
  private mutating func rest(of entry: PlaylistEntry, from third: FrameTime) -> Line? {
    guard let final = lastTurn(repeating: entry, from: third) else {
      isOver = true
      return .passes(nil, until: .endless)
    }
    if final.entry.pass < 3 { return nil }
    passages = plan.passages(from: final)
    var ahead = passages
    return .passes(final.entry.pass - 1, until: ahead.next()?.end ?? .endless)
  }

  private func lastTurn(repeating entry: PlaylistEntry, from third: FrameTime) -> MusicPlan.Turn? {
    if plan.repetition == .playlist || last?.entry.index == entry.index { return last }
    guard let count = plan.repeatCount else { return nil }
    return plan.turn(at: third + FrameCount(count - 2) * (third - previous))
  }
}

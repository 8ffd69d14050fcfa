public import Signal

/// When the stages sound if the listener lets them: a position in the session that skips and repeats do not falsify.
public struct PlannedTimes: Sendable {
  /// Those up to the first open stage, and that one; behind it nothing is known.
  private let stages: [(begin: FrameTime, end: FrameTime?)]
  private let count: Int
  /// Of the last sound; nil where an open stage decides.
  public let end: FrameTime?

  public init(_ programme: Programme) {
    stages = programme.layOut(from: 0, at: 0).map { ($0.begin, $0.end) }
    count = programme.stages.count
    end = programme.end
  }

  /// The frame for which it was planned what sounds so many frames behind a stage's beginning; nil where nothing is known.
  public func frame(ofStage index: Int, after frames: FrameCount) -> FrameTime? {
    guard stages.indices.contains(index) else { return nil }
    let (begin, stageEnd) = stages[index]
    let limit = index == count - 1 ? end : stageEnd
    return min(begin + max(0, frames), limit ?? .endless)
  }
}

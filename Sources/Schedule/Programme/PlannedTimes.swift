package import Signal

/// The planned frames of the stages, assuming that the listener gives no commands. A position that is derived from them
/// does not depend on what the listener has skipped or repeated.
package struct PlannedTimes: Sendable {
  /// The stages up to and including the first open one. Frames after an open stage are unknown. The session's last
  /// stage lasts as long as the last sound.
  private let stages: [(begin: FrameTime, end: FrameTime?)]
  /// The frame at which the last sound ends; nil if any stage is open.
  package let end: FrameTime?

  package init(_ programme: Programme) {
    let schedule = Schedule(programme)
    let (end, last) = (schedule.end, programme.stages.count - 1)
    stages = schedule.layouts.map { ($0.begin, $0.stage == last ? end : $0.end) }
    self.end = end
  }

  /// The planned session frame of a position in a stage.
  ///
  /// - Parameter frames: frames since the stage's beginning. The result never exceeds the planned end of the stage.
  /// - Returns: nil for a stage after an open one.
  package func frame(ofStage index: Int, after frames: FrameCount) -> FrameTime? {
    guard stages.indices.contains(index) else { return nil }
    let (begin, end) = stages[index]
    return min(begin + max(0, frames), end ?? .endless)
  }
}

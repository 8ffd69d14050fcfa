import Signal

/// An overlay that the listener has asked for, with its repeats in closed form.
struct OverlaySeries: Sendable {
  var first: Placement
  /// Frames from one repeat's beginning to the next one's.
  var period: FrameCount
  /// Nil for as long as the stage lasts.
  var count: Int?
  /// The frame behind which none begins.
  var until: FrameTime = .endless
  /// Repeats before this one have begun.
  var index = 0

  /// The next one; nil behind the last.
  var head: Placement? {
    if let count, count <= index { return nil }
    let shift = period.multipliedReportingOverflow(by: FrameCount(index))
    guard !shift.overflow, first.at + shift.partialValue < until else { return nil }
    return first.shifted(by: shift.partialValue)
  }

  func shifted(by frames: FrameCount) -> OverlaySeries {
    var moved = self
    moved.first = first.shifted(by: frames)
    return moved
  }

  mutating func advance(to frame: FrameTime) {
    while let head, head.begin < frame { index += 1 }
  }
}

internal import Signal

/// The underruns of a stream. Used under the connection's lock. Times are microseconds of the monotonic clock.
///
/// The server reports an underrun when the device requests more than the stream has. That may be half a second before
/// the missing frame is due to be heard. The underrun counts only if the frame is still missing then.
final class Underruns {
  private var past = 0
  /// The first missing frame of the current underrun, or of one that is about to begin, and when it is due.
  private var current: (frame: FrameTime, due: UInt64)?

  /// Whether the stream runs out of sound, or has none.
  var isReported: Bool { current != nil }

  func reported(_ frame: FrameTime, due: UInt64) { current = (frame, due) }

  /// Frames up to `position` were sent. If they include the missing frame before it is due, nothing will be missing.
  func sent(to position: FrameTime, now: UInt64) {
    if let missing = current, missing.frame < position, now < missing.due { current = nil }
  }

  /// The server plays again.
  ///
  /// - Returns: seconds of silence that were heard; nil if there were none.
  func ended(now: UInt64) -> Double? {
    guard let ended = current.take(), ended.due < now else { return nil }
    past += 1
    return Double(now - ended.due) / 1e6
  }

  /// The stream is replaced by another one.
  func forget() { current = nil }

  func count(now: UInt64) -> Int { past + (current.map { $0.due < now ? 1 : 0 } ?? 0) }
}

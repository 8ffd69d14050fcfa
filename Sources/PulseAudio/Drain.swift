internal import CPulse
internal import Engine
internal import Signal

/// The end of a stream, or of a wait: the stream plays to its last frame, its sound is retracted before, or a `write` is
/// interrupted.
///
/// Everything is called under the connection's lock.
final class Drain {
  /// Seconds that a drain may take in addition to the sound itself.
  private static let margin = 1.0
  private static let marginAfterRetraction = 0.4

  private let link: StreamLink
  private let sent: SentSound
  /// Whether underflows no longer count, because the sound was retracted or ends.
  private(set) var isEnding = false
  /// Whether the sound was retracted: further writes are dropped.
  private(set) var isRetracted = false
  /// Whether the current or the next `write` must return without waiting.
  private var isInterrupted = false
  /// The position at which a retraction has ended the stream; nil while it plays.
  private var retractedAt: FrameTime?
  /// Whether a second retraction has found that the server does not answer. Then nothing waits for it any longer.
  private var isGivenUp = false

  init(of link: StreamLink, _ sent: SentSound) { (self.link, self.sent) = (link, sent) }

  /// The position after the last frame that is to be heard.
  var position: FrameTime { retractedAt ?? sent.replay.end }

  /// Whether the stream may wait for the server.
  var mayWait: Bool { !isRetracted && !isInterrupted }

  func begin() { (isEnding, isInterrupted) = (true, false) }

  /// Makes the current `write`, or else the next one, return without waiting.
  func interrupt() { isInterrupted = !isEnding }

  /// A `write` returns.
  func written() { isInterrupted = false }

  /// - Returns: whether the sound was retracted before.
  func retract() -> Bool {
    defer { (isRetracted, isEnding) = (true, true) }
    return isRetracted
  }

  /// The stream ends at `end`.
  func cut(at end: FrameTime) { retractedAt = end }

  /// The stream ends within `ramp` frames after `start`: sends the fade-out and silence in place of the sound.
  func fadeOut(from start: FrameTime, over ramp: FrameCount) {
    let start = max(start, sent.replay.oldest)
    let last = min(start + max(0, ramp), position)
    cut(at: last)
    sent.fadeOut(from: start, to: last)
  }

  /// The server does not answer: a drain no longer waits for it.
  func giveUp() { isGivenUp = true }

  /// Requests a drain of the server, and waits for it for as long as the rest of the sound lasts and one more second,
  /// whatever progress the server reports.
  ///
  /// - Parameter rest: requests the position, and returns the seconds that are left until the last frame is heard.
  /// - Returns: whether the server has played everything.
  func play(rest: () -> Double) -> Bool {
    guard link.isReady, let operation = link.requestDrain() else { return false }
    defer { pa_operation_unref(operation) }
    // A retraction during the drain shortens the sound, and with it the time limit.
    var end: FrameTime?
    repeat {
      end = retractedAt
      wait(for: operation, upTo: rest()) { retractedAt == end && !isGivenUp }
    } while retractedAt != end
    if pa_operation_get_state(operation) == PA_OPERATION_DONE { return true }
    pa_operation_cancel(operation)
    return false
  }

  /// Waits while `needed` is true. Time during which the stream is corked or its device suspended is not counted, unless
  /// the sound was retracted.
  private func wait(for operation: OpaquePointer, upTo rest: Double, while needed: () -> Bool) {
    let isRunning = { self.link.isReady && pa_operation_get_state(operation) == PA_OPERATION_RUNNING }
    var left = rest + (isRetracted ? Self.marginAfterRetraction : Self.margin)
    while 0 < left, needed(), isRunning() {
      let (wasStopped, start) = (link.isStopped, pa_rtclock_now())
      link.connection.wait(upTo: left) { needed() && isRunning() && link.isStopped == wasStopped }
      if !wasStopped || isRetracted { left -= Double(pa_rtclock_now() - start) / 1e6 }
    }
  }
}

package import Player

extension ControlClient {
  /// Seconds to wait for a reply. The queue may be busy with a slow load.
  package static let replyTimeout = 15.0

  /// The current metrics of the player's queue; an error if the player does not record them. Reading them is not counted
  /// as an operation and causes no event.
  package func metrics() throws(ControlError) -> QueueMetrics {
    let answer = try ControlAnswer(try ask(#"{"do":"status","metrics":true}"#, within: Self.replyTimeout))
    if let problem = answer.error { throw .refused(cause: problem) }
    guard let metrics = answer.metrics else {
      throw .refused(cause: "its metrics are not recorded; start it with metrics")
    }
    return metrics
  }

  /// Resets the counters of the player's queue.
  package func resetMetrics() throws(ControlError) {
    let answer = try ControlAnswer(try ask(#"{"do":"metrics","reset":true}"#, within: Self.replyTimeout))
    if let problem = answer.error { throw .refused(cause: problem) }
    guard answer.ok else { throw .disconnected(cause: "it did not reset its counters") }
  }

  /// Waits for `seconds`, or until the player ends. Lines that the player sends in the meantime are dropped.
  ///
  /// - Returns: false if the player has ended.
  package func isRunning(for seconds: Double) -> Bool {
    do throws(ControlError) {
      return try next(within: seconds) != nil
    } catch {
      if case .noAnswer = error { return true }
      return false
    }
  }
}

extension ControlClient {
  /// How long a player may take to answer, in seconds: its queue may be busy with a slow load.
  package static let patience = 15.0

  /// The figures of the player's queue, as they are now; asking changes none, and nobody else is told.
  package func metrics() throws(ControlError) -> MetricsReport {
    let answer = try ControlAnswer(try ask(#"{"do":"status","metrics":true}"#, within: Self.patience))
    guard let metrics = answer.metrics else {
      throw .disconnected(cause: answer.error ?? "it tells no metrics")
    }
    return MetricsReport(metrics: metrics, origin: .running)
  }

  /// Has the queue of the player counted anew.
  package func resetMetrics() throws(ControlError) {
    let answer = try ControlAnswer(try ask(#"{"do":"metrics","reset":true}"#, within: Self.patience))
    guard answer.ok else { throw .disconnected(cause: answer.error ?? "it counts on") }
  }

  /// Waits between two looks at the player.
  ///
  /// - Returns: false when the player has ended.
  package func goesOn(for seconds: Double) -> Bool {
    do throws(ControlError) {
      return try next(within: seconds) != nil
    } catch {
      if case .noAnswer = error { return true }
      return false
    }
  }
}

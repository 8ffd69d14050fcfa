public import Engine

/// The result of a session.
public struct Performance: Sendable {
  public var reason: FinishReason
  public var totals: Totals
  /// The errors of sources that were damaged, truncated or skipped.
  public var damage: [SourceError]
  /// The error that ended the output; nil if it did not fail.
  public var failure: SinkError?
}

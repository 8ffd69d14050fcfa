public import Engine

/// How a session went.
public struct Performance: Sendable {
  public var reason: FinishReason
  public var totals: Totals
  /// Sources that did not deliver what the plan counted on.
  public var damage: [SourceError]
  public var failure: SinkError?
}

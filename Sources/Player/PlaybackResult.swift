package import Engine
public import Sounds

/// How a session ended, and what was played.
public struct PlaybackResult: Sendable, Hashable {
  /// Why the session ended.
  public var reason: FinishReason
  /// What was played.
  public var totals: Totals
  /// Each sound that was damaged, truncated or skipped, in the order in which they were found.
  public var damage: [SourceError]
  /// The error that ended the output; nil if it did not fail.
  package var failure: SinkError?
}

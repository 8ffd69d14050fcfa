package import Engine
package import Sounds

/// The result of a session.
package struct PlaybackResult: Sendable {
  package var reason: FinishReason
  package var totals: Totals
  /// The errors of sources that were damaged, truncated or skipped.
  package var damage: [SourceError]
  /// The error that ended the output; nil if it did not fail.
  package var failure: SinkError?
}

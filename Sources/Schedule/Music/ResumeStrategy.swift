/// How a paused crossfade continues. The case names are values of the saved position.
public enum ResumeStrategy: String, Sendable, Hashable, Codable, CaseIterable {
  /// The rest takes as long as it would have taken without the pause.
  case continueFromProgress
  /// The rest takes at most one second. It applies if at least half of the crossfade was complete, or if the pause was
  /// longer than five minutes.
  case quickFinish

  /// The progress (0…1) from which a crossfade is finished quickly.
  package static let threshold = 0.5

  /// The strategy for a crossfade that was paused at `progress`, 0…1.
  package init(progress: Double) { self = progress < Self.threshold ? .continueFromProgress : .quickFinish }
}

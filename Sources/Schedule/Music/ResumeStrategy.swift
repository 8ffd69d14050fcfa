/// How a paused crossfade goes on.
public enum ResumeStrategy: String, Sendable, Hashable, Codable, CaseIterable {
  /// What is left of it takes the time that it would have taken.
  case continueFromProgress
  /// What is left of it is over in a second.
  case quickFinish

  /// The progress from which on a crossfade is hurried.
  public static let threshold = 0.5

  /// For a crossfade that was paused at `progress`.
  public init(progress: Double) { self = progress < Self.threshold ? .continueFromProgress : .quickFinish }
}

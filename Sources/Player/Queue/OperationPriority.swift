/// Who goes first in the queue; equals keep their order.
public enum OperationPriority: Int, Sendable, Comparable, CaseIterable {
  /// Playlist edits and configuration.
  case low
  /// Navigation.
  case normal
  /// Transport: play, pause, stop, finish.
  case high
  /// What the system demands, such as a lost output.
  case critical

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// As logs and metrics write it.
  public var name: String {
    switch self {
    case .low: "low"
    case .normal: "normal"
    case .high: "high"
    case .critical: "critical"
    }
  }
}

/// Who goes first in the queue; equals keep their order.
public enum OperationPriority: Int, Sendable, Comparable, CaseIterable {
  /// What is done ahead: preloads, and work on the caches.
  case low
  /// Navigation, and changes of what is to come.
  case normal
  /// Transport: play, pause, resume, finish.
  case high
  /// A stop, and what the system demands: another program that needs silence, an output that is gone, a computer that goes
  /// to sleep. It asks whatever runs to stop.
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

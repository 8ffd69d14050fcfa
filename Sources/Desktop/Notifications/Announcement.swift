import Player

/// An event of a session that the desktop shows as a notification.
enum Announcement: Sendable, Hashable {
  /// The output is lost, and the session waits for it.
  case outputLost
  case outputRestored
  /// The session has ended after it has played for so many seconds.
  case ended(FinishReason, seconds: Double)

  /// Returns nil if the event is not announced.
  init?(_ event: PlayerEvent) {
    switch event {
    case .output(.lost, _): self = .outputLost
    case .output(.restored, _): self = .outputRestored
    case .sessionFinished(let reason, let totals): self = .ended(reason, seconds: totals.played)
    default: return nil
    }
  }

  /// The text, without the characters `<` and `&`, which some desktops interpret as markup; nil if the previous
  /// notification is only withdrawn.
  var text: String? {
    switch self {
    case .outputLost: "The output is lost. The session continues when it is back."
    case .outputRestored: nil
    case .ended(.completed, let seconds): "The session has ended after \(Self.clock(seconds))."
    case .ended(.outputFailed, let seconds): "The session ended early after \(Self.clock(seconds)): the output failed."
    case .ended(_, let seconds): "The session was stopped after \(Self.clock(seconds))."
    }
  }

  /// Whether it is shown even if notifications are silenced, and stays until it is replaced.
  var isUrgent: Bool { self == .outputLost }

  /// `12:30` or `1:02:03`.
  private static func clock(_ seconds: Double) -> String {
    let whole = Int(exactly: max(0, seconds).rounded()) ?? 0
    let (hours, minutes) = (whole / 3_600, whole / 60 % 60)
    let pair = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    return (0 < hours ? "\(hours):\(pair(minutes))" : "\(minutes)") + ":" + pair(whole % 60)
  }
}

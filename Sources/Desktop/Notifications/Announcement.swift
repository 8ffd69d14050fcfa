import Player

/// What the desktop announces about a session.
enum Announcement: Sendable, Hashable {
  /// Nothing is heard any more, and the session waits for its output.
  case outputLost
  case outputRestored
  /// - `seconds`: the part of the session that was played.
  case ended(FinishReason, seconds: Double)

  /// Nil if the event is not announced.
  init?(_ event: PlayerEvent) {
    switch event {
    case .output(.lost): self = .outputLost
    case .output(.restored): self = .outputRestored
    case .sessionFinished(let reason, let totals): self = .ended(reason, seconds: totals.played)
    default: return nil
    }
  }

  /// One sentence, without the characters that some desktops take for markup; nil if nothing is shown.
  var text: String? {
    switch self {
    case .outputLost: "The output is lost. The session waits until it is back."
    case .outputRestored: nil
    case .ended(.completed, let seconds): "The session has ended after \(Self.clock(seconds))."
    case .ended(.outputFailed, let seconds): "The session broke off after \(Self.clock(seconds)): the output is lost."
    case .ended(_, let seconds): "The session was ended after \(Self.clock(seconds))."
    }
  }

  /// Whether it is shown although notifications are silenced, and until it is replaced.
  var isUrgent: Bool { self == .outputLost }

  /// `12:30` or `1:02:03`.
  private static func clock(_ seconds: Double) -> String {
    let whole = Int(exactly: max(0, seconds).rounded()) ?? 0
    let (hours, minutes) = (whole / 3_600, whole / 60 % 60)
    let pair = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    return (0 < hours ? "\(hours):\(pair(minutes))" : "\(minutes)") + ":" + pair(whole % 60)
  }
}

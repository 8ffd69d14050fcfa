import Engine
import Schedule
import Sounds

extension CommandReport {
  /// The name in events and metrics.
  package var name: String { if case .ended(let outcome) = self { outcome.name } else { "accepted" } }

  var members: JSONLine {
    switch self {
    case .accepted, .ended(.done), .ended(.coalesced): [:]
    case .ended(.cancelled(let other)): ["by": other]
    case .ended(.rejected(let error)):
      ["code": error.code, "reason": error.description, "recoverable": error.isRecoverable]
    }
  }
}

extension OutputChange {
  var name: String {
    switch self {
    case .lost: "lost"
    case .restored: "restored"
    case .moved, .unplugged: "moved"
    case .corked, .asleep: "corked"
    }
  }

  var members: JSONLine {
    switch self {
    case .lost(let cause): ["reason": cause] + PlayerError.outputFailed(.lost(cause: cause)).members
    case .restored(let seconds): ["after": Rounded(seconds)]
    case .moved(let device): ["to": device]
    case .unplugged(let device): ["to": device, "reason": "the previous output was removed; the session is paused"]
    case .corked: [:]
    case .asleep: ["reason": "the computer goes to sleep"]
    }
  }
}

import Schedule
import Signal

extension PlayerEvent {
  /// The members of events about commands, volumes, metrics and the output.
  var commandMembers: JSONLine {
    switch self {
    case .command(let name, let id, let report): ["name": name, "id": id, "outcome": report.name] + report.members
    case .volume(let layer, let gain, let seconds):
      ["of": layer?.rawValue ?? "master", "to": gain.linear, "over": Rounded(seconds)]
    case .metrics(let metrics): metrics.json
    case .output(let change): change.members
    default: [:]
    }
  }
}

extension CommandReport {
  /// The name in events and metrics.
  package var name: String { if case .ended(let outcome) = self { outcome.name } else { "accepted" } }

  fileprivate var members: JSONLine {
    switch self {
    case .accepted, .ended(.done), .ended(.coalesced): [:]
    case .ended(.cancelled(let other)): ["by": other]
    case .ended(.rejected(let error)): ["code": error.code, "reason": error.description]
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

  fileprivate var members: JSONLine {
    switch self {
    case .lost(let cause): ["reason": cause]
    case .restored(let seconds): ["after": Rounded(seconds)]
    case .moved(let device): ["to": device]
    case .unplugged(let device): ["to": device, "reason": "the previous output was removed; the session is paused"]
    case .corked: [:]
    case .asleep: ["reason": "the computer goes to sleep"]
    }
  }
}

extension PlayerEvent {
  /// Whether the next track or the overlays may have changed.
  var changesOutlook: Bool {
    switch self {
    case .stageStarted, .track, .overlayStarted, .overlayEnded, .overlayPaused, .overlayResumed, .command(_, _, .ended),
      .sessionFinished:
      true
    default: false
    }
  }
}

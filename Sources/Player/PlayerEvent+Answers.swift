import Schedule
import Signal

extension PlayerEvent {
  /// What the listener's wishes come to, and what becomes of the output.
  func addAnswer(to line: inout JSONLine) {
    switch self {
    case .command(let name, let id, let report):
      line.add("name", name)
      line.add("id", id)
      report.add(to: &line)
    case .volume(let layer, let gain, let seconds):
      line.add("of", layer?.rawValue ?? "master")
      line.add("to", gain.linear)
      line.add("over", seconds: seconds)
    case .metrics(let metrics): metrics.add(to: &line)
    case .output(let change): change.add(to: &line)
    default: break
    }
  }
}

extension CommandReport {
  /// As events and metrics write it.
  public var name: String {
    switch self {
    case .accepted: "accepted"
    case .ended(.done): "done"
    case .ended(.cancelled): "cancelled"
    case .ended(.coalesced): "coalesced"
    case .ended(.rejected): "rejected"
    }
  }

  fileprivate func add(to line: inout JSONLine) {
    line.add("outcome", name)
    switch self {
    case .accepted, .ended(.done), .ended(.coalesced): break
    case .ended(.cancelled(let other)): line.add("by", other)
    case .ended(.rejected(let error)):
      line.add("code", error.code)
      line.add("reason", error.description)
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

  fileprivate func add(to line: inout JSONLine) {
    switch self {
    case .lost(let cause): line.add("reason", cause)
    case .restored(let seconds): line.add("after", seconds: seconds)
    case .moved(let device): line.add("to", device)
    case .unplugged(let device):
      line.add("to", device)
      line.add("reason", "the output before is gone; paused")
    case .corked: break
    case .asleep: line.add("reason", "the computer goes to sleep")
    }
  }
}

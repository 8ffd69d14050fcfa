import Engine
import Player
import Synchronization

/// The groups that listen to the source of a session while it plays.
final class SnapcastGroups: Sendable {
  private let address: SnapcastSource
  /// What to call the groups, and the sources to which they listened before the session, by their IDs.
  private let before = Mutex<[String: (name: String, source: String)]>([:])

  init(at address: SnapcastSource) { self.address = address }

  /// Lets the groups of the address listen to its source. After an outage, the sources before are known already.
  ///
  /// - Throws: before anything is changed, if a name fits no group or several.
  func assign(_ status: SnapcastStatus, with control: SnapcastControl) throws(SinkError) {
    let groups = try address.groups.map { (name) throws(SinkError) in try group(name, status) }
    for group in groups {
      before.withLock { $0[group.id] = $0[group.id] ?? (status.distinctTitle(of: group), group.source) }
      do throws(TCPConnection.Failure) { try control.play(address.source, in: group.id) } catch {
        throw .unreachable(output: address.description, cause: error.cause)
      }
    }
  }

  private func group(_ name: String, _ status: SnapcastStatus) throws(SinkError) -> SnapcastStatus.Group {
    let meant = status.groups.filter { $0.isCalled(name) }
    if meant.count == 1 { return meant[0] }
    let known = (meant.isEmpty ? status.groups : meant).map { "'\(status.distinctTitle(of: $0))'" }
    let advice = known.isEmpty ? "connect a client first" : "use \(known.joined(separator: ", "))"
    throw .refused(
      output: address.description,
      cause: "the server has \(meant.isEmpty ? "no group" : "several groups") '\(name)'; \(advice)")
  }

  /// Whether there is anything to restore.
  var isEmpty: Bool { before.withLock { $0.isEmpty } }

  /// Lets them listen to what they listened to before, once.
  ///
  /// - Parameter seconds: how long the server may take for each answer.
  /// - Returns: the names of the groups that stay as they are, because the server does not answer.
  func restore(within seconds: Double) -> [String] {
    var groups = before.withLock { before in
      defer { before = [:] }
      return before
    }
    guard !groups.isEmpty, let control = try? SnapcastControl(host: address.host, port: address.port, within: seconds)
    else { return groups.values.map(\.name).sorted() }
    for (group, (_, source)) in groups where (try? control.play(source, in: group)) != nil { groups[group] = nil }
    return groups.values.map(\.name).sorted()
  }
}

extension SnapcastControl {
  /// Lets a group listen to a source.
  fileprivate func play(_ source: String, in group: String) throws(TCPConnection.Failure) {
    _ = try call("Group.SetStream", ["id": group, "stream_id": source])
  }
}

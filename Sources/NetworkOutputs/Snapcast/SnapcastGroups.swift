import Engine
import Player
import Synchronization

/// The groups that listen to the source of a session while it plays.
final class SnapcastGroups: Sendable {
  private let address: SnapcastSource
  /// The sources to which the groups listened before the session, by the IDs of the groups.
  private let before = Mutex<[String: String]>([:])

  init(at address: SnapcastSource) { self.address = address }

  /// Lets the groups of the address listen to its source. After an outage, the sources before are known already.
  func assign(_ status: SnapcastStatus, with control: SnapcastControl) throws(SinkError) {
    for name in address.groups {
      guard let group = status.groups.first(where: { $0.isCalled(name) }) else {
        let known = status.groups.map { "'\(status.distinctTitle(of: $0))'" }.joined(separator: ", ")
        throw .refused(
          output: address.description,
          cause: "the server has no group '\(name)'; \(known.isEmpty ? "connect a client first" : "use \(known)")")
      }
      before.withLock { $0[group.id] = $0[group.id] ?? group.source }
      do throws(TCPConnection.Failure) { try control.play(address.source, in: group.id) } catch {
        throw .unreachable(output: address.description, cause: error.cause)
      }
    }
  }

  /// Whether there is anything to restore.
  var isEmpty: Bool { before.withLock { $0.isEmpty } }

  /// Lets them listen to what they listened to before. If the server does not answer, they stay.
  func restore() {
    let groups = before.withLock { $0 }
    guard !groups.isEmpty, let control = try? SnapcastControl(host: address.host, port: address.port) else { return }
    for (group, source) in groups { try? control.play(source, in: group) }
  }
}

extension SnapcastControl {
  /// Lets a group listen to a source.
  fileprivate func play(_ source: String, in group: String) throws(TCPConnection.Failure) {
    _ = try call("Group.SetStream", ["id": group, "stream_id": source])
  }
}

import FoundationEssentials
import Glibc

/// A private message bus: a real `dbus-daemon`, which is killed together with this object.
package final class BusDaemon: Sendable {
  /// The address for clients.
  package let address: String
  private let folder: String
  private let daemon: ChildProcess

  package init() throws {
    var template = Array("/tmp/bus-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ChildFailure(program: "mkdtemp", code: errno) }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    address = "unix:path=\(folder)/bus"
    try Self.configuration(address).write(toFile: folder + "/conf", atomically: false, encoding: .utf8)
    let (folder, address) = (folder, address)
    let daemon = try ChildProcess(
      "dbus-daemon", ["--nofork", "--nopidfile", "--config-file=\(folder)/conf"], environment: [:], readsOutput: false)
    self.daemon = daemon
    guard eventually({ access(folder + "/bus", F_OK) == 0 || !daemon.isAlive }), daemon.isAlive else {
      throw ChildFailure(program: "dbus-daemon at \(address)", code: ETIMEDOUT)
    }
  }

  deinit {
    daemon.end()
    for name in ["/bus", "/conf", ""] { remove(folder + name) }
  }

  /// Kills the bus, as a crash would.
  package func kill() { daemon.end() }

  /// Stops the bus with SIGSTOP: connections and messages reach its sockets, and are never answered.
  package func hang() { daemon.send(SIGSTOP) }

  private static func configuration(_ address: String) -> String {
    """
    <busconfig>
      <listen>\(address)</listen>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
      </policy>
    </busconfig>
    """
  }
}

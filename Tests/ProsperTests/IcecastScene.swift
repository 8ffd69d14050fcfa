import Foundation
import Glibc
import Synchronization
import TestSupport

/// A private Icecast server, and those who listen to it.
final class IcecastScene: Sendable {
  let folder: Scratch
  let port: UInt16
  private let process = Mutex<ChildProcess?>(nil)
  /// The path of the server's certificate; nil without TLS.
  let certificate: String?

  init(isEncrypted: Bool = false, starts: Bool = true) throws {
    folder = try Scratch()
    port = FreePort.some(1)[0]
    certificate = isEncrypted ? try Self.makeCertificate(in: folder) : nil
    // As root, the server becomes this user before it opens its logs.
    chmod(folder.path(""), 0o777)
    if starts { try start() }
  }

  private static func makeCertificate(in folder: Scratch) throws -> String {
    let (key, certificate, both) = (folder.path("key.pem"), folder.path("certificate.pem"), folder.path("both.pem"))
    _ = try output(
      of: "openssl",
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
        "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
      ], environment: [:], mustSucceed: true)
    let text = try String(contentsOfFile: certificate, encoding: .utf8) + String(contentsOfFile: key, encoding: .utf8)
    _ = try folder.write("both.pem", text)
    chmod(both, 0o644)
    return certificate
  }

  func address(_ mount: String) -> String { "icecast\(certificate == nil ? "" : "s")://127.0.0.1:\(port)/\(mount)" }

  /// A file with a password.
  func password(_ text: String = "hush") throws -> String { try folder.write("password-\(text)", text + "\n") }

  func start() throws {
    let user = "<changeowner><user>nobody</user><group>nogroup</group></changeowner>"
    let secret = certificate == nil ? "" : "<ssl-certificate>\(folder.path("both.pem"))</ssl-certificate>"
    let configuration = try folder.write(
      "icecast.xml",
      """
      <icecast>
      <limits><clients>20</clients><sources>2</sources><source-timeout>10</source-timeout></limits>
      <authentication><source-password>hush</source-password><admin-user>admin</admin-user>
      <admin-password>hush</admin-password></authentication>
      <hostname>127.0.0.1</hostname>
      <listen-socket><port>\(port)</port><bind-address>127.0.0.1</bind-address>\
      <ssl>\(certificate == nil ? 0 : 1)</ssl></listen-socket>
      <paths><basedir>\(folder.path(""))</basedir><logdir>\(folder.path(""))</logdir>
      <webroot>/usr/share/icecast2/web</webroot><adminroot>/usr/share/icecast2/admin</adminroot>\(secret)</paths>
      <fileserve>1</fileserve>
      <logging><accesslog>access.log</accesslog><errorlog>error.log</errorlog><loglevel>2</loglevel></logging>
      <security><chroot>0</chroot>\(getuid() == 0 ? user : "")</security>
      </icecast>
      """)
    // In its first moments, the server publishes a part of its statistics, which is no JSON, and may crash over a request
    // for them.
    for _ in 1...5 {
      let process = try ChildProcess("icecast2", ["-c", configuration], environment: [:], readsOutput: false)
      let hasDecided = eventually { statistics().contains("server_id") || !process.isAlive }
      guard hasDecided else { throw SceneFailure("icecast2 does not answer") }
      if process.isAlive { return self.process.withLock { $0 = process } }
    }
    throw SceneFailure("icecast2 ends while it starts, five times")
  }

  func kill() { process.withLock { $0 = nil } }
  func stall() { process.withLock { $0?.send(SIGSTOP) } }
  func resume() { process.withLock { $0?.send(SIGCONT) } }

  /// What the server publishes about its mounts; empty if it does not answer.
  func statistics() -> String {
    let address = "http\(certificate == nil ? "" : "s")://127.0.0.1:\(port)/status-json.xsl"
    return (try? output(of: "curl", ["-sk", "-m", "5", address], environment: [:])) ?? ""
  }

  /// Listens to a mount until it ends, into a file.
  func listener(to mount: String) throws -> IcecastListener {
    let path = folder.path("heard-\(UUID())-\(mount)")
    let address = "http\(certificate == nil ? "" : "s")://127.0.0.1:\(port)/\(mount)"
    // Until the source is there, the server answers 404.
    let script = """
      for i in $(seq 1 400); do curl -sfk -H 'Icy-MetaData: 0' -o '\(path)' '\(address)' && exit; sleep 0.05; done
      """
    return IcecastListener(
      path: path, process: try ChildProcess("bash", ["-c", script], environment: [:], readsOutput: false))
  }
}

/// A listener of a mount.
struct IcecastListener: Sendable {
  let path: String
  fileprivate let process: ChildProcess

  var size: Int { (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0 }

  /// Waits until the stream has ended.
  func waitForTheEnd() -> Bool { eventually { !process.isAlive } }

  /// The logical streams of an Ogg file, one after the other: each begins with pages that say so.
  func chain() throws -> [[UInt8]] {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var (links, at): ([[UInt8]], Int) = ([], 0)
    while at + 27 <= bytes.count, Array(bytes[at..<at + 4]) == Array("OggS".utf8) {
      let segments = Int(bytes[at + 26])
      let size = 27 + segments + bytes[(at + 27)..<(at + 27 + segments)].reduce(0) { $0 + Int($1) }
      guard at + size <= bytes.count else { break }
      if bytes[at + 5] & 2 != 0 || links.isEmpty { links.append([]) }
      links[links.count - 1] += bytes[at..<at + size]
      at += size
    }
    return links
  }
}

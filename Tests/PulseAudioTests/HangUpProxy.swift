import Glibc

/// Stands between a client and a sound server: the first connection is cut when the client asks for the third time, each
/// later one is passed on for as long as it lasts.
final class HangUpProxy: Sendable {
  let address: String
  private let server: String
  private let folder: String
  private let door: Int32

  /// - Parameter server: the address of a server that listens.
  init(to server: String) throws {
    var template = Array("/tmp/proxy-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ProxyFailure(code: errno) }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    address = "unix:\(folder)/native"
    self.server = String(server.dropFirst("unix:".count))
    door = line()
    guard reach(folder + "/native", { bind(door, $0, $1) }), listen(door, 4) == 0 else {
      throw ProxyFailure(code: errno)
    }
  }

  deinit {
    close(door)
    remove(folder + "/native")
    remove(folder)
  }

  /// Cuts one connection and passes on another, on a thread that may wait.
  func serve() {
    passOn(asks: 2)
    passOn(asks: .max)
  }

  /// - Parameter asks: how many of the client's questions are answered before it is cut off.
  private func passOn(asks: Int) {
    let (client, server) = (accept(door, nil, nil), line())
    defer { for end in [client, server] { close(end) } }
    guard reach(self.server, { connect(server, $0, $1) }) else { return }
    var (answered, isAnswer) = (0, false)
    while true {
      var asked = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      poll(&asked, 2, 60_000)
      if asked[0].revents != 0 {
        if isAnswer { answered += 1 }
        isAnswer = false
        guard answered < asks, pass(from: client, to: server) else { return }
      } else {
        isAnswer = true
        guard asked[1].revents != 0, pass(from: server, to: client) else { return }
      }
    }
  }

  private func pass(from: Int32, to: Int32) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(from, &bytes, bytes.count)
    var sent = 0
    while sent < count {
      let more = bytes[sent..<count].withUnsafeBytes {
        send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard 0 < more else { return false }
      sent += more
    }
    return 0 < count
  }
}

private struct ProxyFailure: Error {
  var code: Int32
}

private func line() -> Int32 { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0) }

private func reach(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Bool {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 }
  }
}

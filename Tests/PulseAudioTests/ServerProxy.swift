import Glibc

import Synchronization

/// A proxy between a client and a sound server. It forwards their messages, and can send messages in the server's name.
final class ServerProxy: Sendable {
  let address: String
  private let server: String
  private let folder: String
  private let listener: Int32
  /// Bytes to send to the client as soon as no message of the server is incomplete.
  private let pending = Mutex<[UInt8]>([])

  /// - Parameter server: The address of a server that is listening.
  init(to server: String) throws {
    var template = Array("/tmp/proxy-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ProxyFailure(code: errno) }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    address = "unix:\(folder)/native"
    self.server = String(server.dropFirst("unix:".count))
    listener = newSocket()
    guard withAddress(folder + "/native", { bind(listener, $0, $1) }), listen(listener, 4) == 0 else {
      throw ProxyFailure(code: errno)
    }
  }

  deinit {
    close(listener)
    remove(folder + "/native")
    remove(folder)
  }

  /// Sends the client an event of its first stream, as the server would.
  func send(_ event: String) {
    let text = [UInt8(ascii: "t")] + event.utf8 + [0, UInt8(ascii: "P"), UInt8(ascii: "N")]
    // A stream's event is command 92 of the native protocol; no answer is expected.
    let body = [92, .max, 0].flatMap { [UInt8(ascii: "L")] + bigEndian($0) } + text
    let head = [UInt32(body.count), .max, 0, 0, 0].flatMap(bigEndian)
    pending.withLock { $0 += head + body }
  }

  /// Serves one connection until it ends. Call it on a thread that may block.
  ///
  /// - Parameter requests: How many requests of the client are answered before the connection is closed.
  func serve(requests: Int = .max) {
    let (client, server) = (accept(listener, nil, nil), newSocket())
    defer { for end in [client, server] { close(end) } }
    guard withAddress(self.server, { connect(server, $0, $1) }) else { return }
    var (answered, isAnswer) = (0, false)
    var packets = Packets()
    while true {
      if packets.isBetween, !sendPending(to: client) { return }
      var asked = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      if poll(&asked, 2, 10) == 0 { continue }
      if asked[0].revents != 0 {
        if isAnswer { answered += 1 }
        isAnswer = false
        guard answered < requests, pass(from: client, to: server) else { return }
      } else {
        isAnswer = true
        guard pass(from: server, to: client, { packets.add($0) }) else { return }
      }
    }
  }

  private func pass(from: Int32, to: Int32, _ look: (ArraySlice<UInt8>) -> Void = { _ in }) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(from, &bytes, bytes.count)
    guard 0 < count else { return false }
    look(bytes[..<count])
    return deliver(bytes[..<count], to: to)
  }

  private func sendPending(to client: Int32) -> Bool {
    let bytes = pending.withLock { pending in
      defer { pending = [] }
      return pending
    }
    return deliver(bytes[...], to: client)
  }

  private func deliver(_ bytes: ArraySlice<UInt8>, to: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let more = rest.withUnsafeBytes { Glibc.send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard 0 < more else { return false }
      rest.removeFirst(more)
    }
    return true
  }
}

/// Finds the ends of the packets of the native protocol: each has a header of 20 bytes, whose first four bytes are its
/// length.
private struct Packets {
  private static let head = 20
  private var (headBytes, bodyLeft) = ([UInt8](), 0)

  var isBetween: Bool { headBytes.isEmpty && bodyLeft == 0 }

  mutating func add(_ bytes: ArraySlice<UInt8>) {
    for byte in bytes {
      if 0 < bodyLeft {
        bodyLeft -= 1
        continue
      }
      headBytes.append(byte)
      if headBytes.count < Self.head { continue }
      bodyLeft = headBytes[..<4].reduce(0) { $0 << 8 | Int($1) }
      headBytes = []
    }
  }
}

private func bigEndian(_ word: UInt32) -> [UInt8] { withUnsafeBytes(of: word.bigEndian, Array.init) }

private struct ProxyFailure: Error {
  var code: Int32
}

private func newSocket() -> Int32 { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0) }

private func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Bool {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 }
  }
}

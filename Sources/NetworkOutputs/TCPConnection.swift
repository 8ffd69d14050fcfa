import Files
import Glibc

/// A TCP connection whose calls never take longer than they may. Used by one thread at a time.
final class TCPConnection {
  /// Why a connection can't be used.
  struct Failure: Error { var cause: String }

  private let descriptor: Int32
  /// Bytes that were received and not read.
  private var received: [UInt8] = []

  /// Connects to a host, whose name is looked up.
  ///
  /// - Parameters:
  ///   - seconds: how long each of the host's addresses may take.
  ///   - buffered: about how many bytes may wait in this computer; nil for the system's default.
  init(to host: String, _ port: UInt16, within seconds: Double, buffering buffered: Int? = nil) throws(Failure) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, String(port), &hints, &list)
    guard code == 0, let first = list else {
      throw Failure(cause: "the host \(host) is unknown (\(String(cString: gai_strerror(code)))); check its name")
    }
    defer { freeaddrinfo(first) }
    var failure = Failure(cause: "the host \(host) has no address")
    for entry in sequence(first: first, next: { $0.pointee.ai_next }) {
      do throws(Failure) {
        descriptor = try Self.connect(to: entry.pointee, within: seconds, buffering: buffered)
        return
      } catch { failure = error }
    }
    throw failure
  }

  deinit { close(descriptor) }

  private static func connect(
    to address: addrinfo, within seconds: Double, buffering buffered: Int?
  ) throws(Failure) -> Int32 {
    let kind = address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.ai_family, kind, address.ai_protocol)
    guard 0 <= descriptor else { throw failure(errno) }
    if var size = buffered.map(Int32.init(clamping:)) {
      setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    var code: Int32 = 0
    if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 {
      code = errno
      if code == EINPROGRESS {
        var size = socklen_t(MemoryLayout<Int32>.size)
        code = ready(descriptor, POLLOUT, seconds) ? 0 : ETIMEDOUT
        if code == 0 { getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) }
      }
    }
    if code == 0 { return descriptor }
    close(descriptor)
    throw failure(code)
  }

  /// Sends all bytes.
  ///
  /// - Parameter seconds: how long the other side may take to make room for more.
  func send(_ bytes: UnsafeRawBufferPointer, within seconds: Double) throws(Failure) {
    var rest = bytes
    while !rest.isEmpty {
      let count = Glibc.send(descriptor, rest.baseAddress, rest.count, messageNoSignal)
      if 0 < count { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
      if 0 <= count || errno == EINTR { continue }
      guard errno == EAGAIN else { throw Self.failure(errno) }
      guard Self.ready(descriptor, POLLOUT, seconds) else { throw Failure(cause: "it takes no sound any more") }
    }
  }

  func send(_ text: String, within seconds: Double) throws(Failure) {
    try Array(text.utf8).withUnsafeBufferPointer { (bytes) throws(Failure) in
      try send(UnsafeRawBufferPointer(bytes), within: seconds)
    }
  }

  /// The next line, without its end.
  func line(by deadline: SuspendingClock.Instant) throws(Failure) -> String {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        defer { received.removeFirst(end + 1) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      guard received.count < Self.longestLine else { throw Failure(cause: "it sends something else") }
      let rest = (deadline - SuspendingClock().now) / .seconds(1)
      guard 0 < rest, Self.ready(descriptor, POLLIN, rest) else { throw Failure(cause: "it does not answer") }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      if count < 0 { throw Self.failure(errno) }
      if count == 0 { throw Failure(cause: "the server closes the connection") }
      received += buffer[..<count]
    }
  }

  private static let longestLine = 4 << 20

  /// Whether the other side has closed the connection.
  var isClosed: Bool {
    var ask = pollfd(fd: descriptor, events: Int16(POLLRDHUP), revents: 0)
    return 0 < poll(&ask, 1, 0) && ask.revents != 0
  }

  /// Says that nothing follows. What was sent still arrives.
  func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Drops what has not arrived, also on the other side.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  private static func ready(_ descriptor: Int32, _ events: Int, _ seconds: Double) -> Bool {
    var ask = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return 0 < poll(&ask, 1, Int32((1_000 * seconds).rounded(.up)))
  }

  private static func failure(_ code: Int32) -> Failure { Failure(cause: ErrorNumber(code: code).message) }
}

private let messageNoSignal = Int32(MSG_NOSIGNAL)
private let (POLLIN, POLLOUT, POLLRDHUP) = (0x001, 0x004, 0x2000)

import ControlSocket
import Glibc

/// One connection of the gate: two sockets, and the bytes that one side has sent and the other has not yet taken.
struct GateConnection {
  /// The limits of a connection.
  enum Limit {
    /// Bytes that wait for one side. Meanwhile nothing more is read from the other one.
    static let waiting = 1 << 16
    /// Bytes that a client may send before it has an answer: a request with its headers and its body.
    static let request = 72 << 10
    /// Seconds after which a request without an answer ends: it is incomplete, or its command takes too long.
    static let answer = 90.0
    /// Seconds after which a client that does not read is disconnected.
    static let stall = 30.0
    /// Seconds without any byte. A client that listens to the events gets some more often.
    static let idle = 120.0
    /// Seconds without an answer after which a connection gives way to another client, if there is no room.
    static let patience = 20.0
  }

  private struct Pipe {
    var bytes: [UInt8] = []
    var written = 0
    var hasEnded = false
    var isEmpty: Bool { written == bytes.count }
    var hasRoom: Bool { !hasEnded && bytes.count - written < Limit.waiting }

    /// Reads what a socket has.
    ///
    /// - Returns: the number of bytes, 0 at the end; nil after an error.
    mutating func read(from descriptor: Int32) -> Int? {
      var block = [UInt8](repeating: 0, count: 16_384)
      let count = recv(descriptor, &block, block.count, Int32(MSG_DONTWAIT))
      if count < 0 { return errno == EAGAIN || errno == EINTR ? -1 : nil }
      if count == 0 { hasEnded = true }
      bytes += block[..<count]
      return count
    }

    /// Writes what a socket takes; returns the number of bytes, nil if the socket is closed.
    mutating func write(to descriptor: Int32) -> Int? {
      if isEmpty { return 0 }
      let count = bytes[written...].withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      if count < 0 { return errno == EAGAIN || errno == EINTR ? 0 : nil }
      written += count
      if isEmpty {
        bytes.removeAll(keepingCapacity: bytes.count <= Limit.waiting)
        written = 0
      }
      return count
    }
  }

  /// Where the client is.
  let peer: [UInt8]
  private let client: Int32
  private let server: Int32
  private var toServer = Pipe()
  private var toClient = Pipe()
  /// Bytes of the client since the server's last byte, and since when there are any.
  private var unanswered: (bytes: Int, since: SuspendingClock.Instant)?
  private var stalledSince: SuspendingClock.Instant?
  /// The time of the server's last byte, or of the beginning.
  private(set) var lastAnswer: SuspendingClock.Instant
  private var lastByte: SuspendingClock.Instant

  init(client: Int32, from peer: [UInt8], server: Int32, at now: SuspendingClock.Instant) {
    self.peer = peer
    (self.client, self.server, lastByte, lastAnswer) = (client, server, now, now)
    LocalSocket.setNonBlocking(server)
  }

  func close() {
    Glibc.close(client)
    Glibc.close(server)
  }

  /// What to wait for, on the client's and the server's socket.
  var descriptors: [pollfd] {
    let wait = { (descriptor: Int32, input: Bool, output: Bool) in
      // A descriptor that waits for nothing would still report that its other side has gone, again and again.
      pollfd(
        fd: input || output ? descriptor : -1, events: Int16((input ? POLLIN : 0) | (output ? POLLOUT : 0)), revents: 0)
    }
    return [
      wait(client, toServer.hasRoom, !toClient.isEmpty), wait(server, toClient.hasRoom, !toServer.isEmpty),
    ]
  }

  /// Passes on what has arrived; returns false if the connection has ended, or if it is to be cut off.
  mutating func attend(client clientEvents: Int16, server serverEvents: Int16, at now: SuspendingClock.Instant) -> Bool
  {
    if clientEvents & Int16(POLLIN | POLLHUP | POLLERR) != 0, toServer.hasRoom, !readClient(at: now) { return false }
    if serverEvents & Int16(POLLIN | POLLHUP | POLLERR) != 0, toClient.hasRoom, !readServer(at: now) { return false }
    guard toServer.write(to: server) != nil, let written = toClient.write(to: client) else { return false }
    // The server ends its side after the last answer.
    if toServer.hasEnded, toServer.isEmpty { shutdown(server, Int32(SHUT_WR)) }
    stalledSince = toClient.isEmpty || 0 < written ? nil : stalledSince ?? now
    if toClient.isEmpty, toClient.hasEnded { return false }
    return !isOverdue(at: now)
  }

  private mutating func readClient(at now: SuspendingClock.Instant) -> Bool {
    guard let count = toServer.read(from: client) else { return false }
    if count < 0 { return true }
    if count == 0 { return true }
    lastByte = now
    unanswered = ((unanswered?.bytes ?? 0) + count, unanswered?.since ?? now)
    return (unanswered?.bytes ?? 0) <= Limit.request
  }

  private mutating func readServer(at now: SuspendingClock.Instant) -> Bool {
    guard let count = toClient.read(from: server) else { return false }
    if 0 < count { (unanswered, lastByte, lastAnswer) = (nil, now, now) }
    return true
  }

  /// Whether it gives way to another client: one that listens to the events gets a byte more often.
  func isIdle(at now: SuspendingClock.Instant) -> Bool { lastAnswer.advanced(by: .seconds(Limit.patience)) < now }

  private func isOverdue(at now: SuspendingClock.Instant) -> Bool {
    if let unanswered, unanswered.since.advanced(by: .seconds(Limit.answer)) < now { return true }
    if let stalledSince, stalledSince.advanced(by: .seconds(Limit.stall)) < now { return true }
    return lastByte.advanced(by: .seconds(Limit.idle)) < now
  }
}

import ControlSocket
import Engine
import Glibc
import Synchronization

/// Accepts connections from the network, and passes their bytes to the HTTP server behind a local socket.
///
/// The server has neither limits nor timeouts for a connection. The gate has both: whoever sends without end, sends half
/// a request or reads nothing is disconnected, and costs at most the two buffers of its connection. One thread serves
/// all of them, without blocking.
final class Gate: Sendable {
  /// Connections at the same time. A further one takes the place of the one that has had no answer for the longest
  /// time, and waits while all have had one.
  static let connections = 256
  /// Connections from one address. Further ones are closed.
  static let connectionsOfOne = 192

  /// Where it listens, with the port that the system has chosen if it was 0.
  let address: ListenAddress
  private let listener: Int32
  private let server: String
  private let wakeUp: PollWakeUp
  /// When all connections are closed; nil before `stop`.
  private let stopsAt = Mutex<SuspendingClock.Instant?>(nil)
  private let ended = WakeUp()

  /// Listens from now on.
  ///
  /// - Parameter server: the path of the HTTP server's socket.
  init(at address: ListenAddress, to server: String) throws(PageError) {
    do throws(ControlError) { wakeUp = try PollWakeUp() } catch { throw .cannotServe(cause: "\(error)") }
    listener = address.listening()
    guard 0 <= listener else { throw .cannotListen(address, cause: String(cString: strerror(errno))) }
    self.server = server
    self.address = ListenAddress(host: address.host, port: ListenAddress.port(of: listener))
    if OSThread.start({ [self] in run() }) { return }
    close(listener)
    throw .cannotServe(cause: "the system can't create another thread")
  }

  /// Accepts no connection any more, passes on what the server has sent before it closed its connections, and closes
  /// those that are left after `limit`. Waits until the thread has ended.
  func stop(within limit: Duration) {
    let isFirst = stopsAt.withLock { stopsAt in
      if stopsAt != nil { return false }
      stopsAt = .now + limit
      return true
    }
    guard isFirst else { return }
    wakeUp.call()
    ended.wait()
  }

  private func run() {
    var connections: [GateConnection] = []
    // Without free file descriptors, a client waits until one is free.
    var isFull = false
    while true {
      let end = stopsAt.withLock { $0 }
      if let end, connections.isEmpty || end <= .now { break }
      var polled = [pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)]
      let isIdle = connections.contains { $0.isIdle(at: .now) }
      let admits = end == nil && !isFull && (connections.count < Self.connections || isIdle)
      polled.append(pollfd(fd: listener, events: admits ? Int16(POLLIN) : 0, revents: 0))
      for connection in connections { polled += connection.descriptors }
      // Milliseconds: each second the time limits are checked, while anybody is connected.
      let longest = end.map { (($0 - .now) / .milliseconds(1)).rounded(.up) } ?? 1_000
      poll(&polled, nfds_t(polled.count), connections.isEmpty && !isFull ? -1 : Int32(max(0, longest)))
      wakeUp.reset()
      let now = SuspendingClock.now
      var left: [GateConnection] = []
      for (index, connection) in connections.enumerated() {
        var connection = connection
        let (client, server) = (polled[2 * index + 2].revents, polled[2 * index + 3].revents)
        if connection.attend(client: client, server: server, at: now) {
          left.append(connection)
        } else {
          connection.close()
        }
      }
      connections = left
      isFull = false
      if polled[1].revents != 0 { admit(to: &connections, &isFull, at: now) }
    }
    for connection in connections { connection.close() }
    close(listener)
    ended.call()
  }

  private func admit(to connections: inout [GateConnection], _ isFull: inout Bool, at now: SuspendingClock.Instant) {
    guard let (client, peer) = Self.accepted(by: listener) else {
      isFull = errno == EMFILE || errno == ENFILE
      return
    }
    LocalSocket.setCloseOnExec(client)
    LocalSocket.setNonBlocking(client)
    var yes: Int32 = 1
    setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard connections.count(where: { $0.peer == peer }) < Self.connectionsOfOne,
      let server = try? LocalSocket.connected(to: server)
    else {
      close(client)
      return
    }
    if Self.connections <= connections.count,
      let oldest = connections.indices.min(by: { connections[$0].lastAnswer < connections[$1].lastAnswer })
    {
      connections.remove(at: oldest).close()
    }
    connections.append(GateConnection(client: client, from: peer, server: server, at: now))
  }

  /// A new connection and where it comes from: an IPv4 address, or the network of an IPv6 address, in which one machine
  /// can have any. Nil after an error, with the reason in `errno`.
  private static func accepted(by listener: Int32) -> (Int32, peer: [UInt8])? {
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let client = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { accept(listener, $0, &length) }
    }
    guard 0 <= client else { return nil }
    // An IPv4 address is at the place of the flow information.
    let isShort = address.sin6_family == sa_family_t(AF_INET)
    return (client, withUnsafeBytes(of: address) { Array(isShort ? $0[4..<8] : $0[8..<16]) })
  }
}

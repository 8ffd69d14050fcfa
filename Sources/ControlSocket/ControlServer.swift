import Engine
import Files
import Foundation
import Glibc
package import Player
import Synchronization

/// The server by which other programs of the same user control a player. They send one JSON object per line to a local
/// socket.
///
/// One thread serves all clients without blocking. A client that reads too slowly loses events, but delays neither the
/// player nor other clients.
package final class ControlServer: Sendable {
  /// Parses one line from a client. Called on the server's thread, so it must not block.
  package typealias Understand = @Sendable (String) -> ControlRequest

  /// Maximum number of clients at the same time.
  static let maximumClients = 16

  /// The path of the socket.
  package let path: String
  private let listener: Int32
  /// Wakes the server's thread when there is something to write, or when it has to stop.
  private let wakeUp: PollWakeUp
  private let player: any PlayerControl
  private let understand: Understand
  /// Set by `stop`; the server's thread then finishes within half a second.
  private let isStopping = Atomic<Bool>(false)
  private let ended = DispatchSemaphore(value: 0)

  /// Opens the socket, removes the sockets of players that have ended, and starts to serve clients.
  package init(
    of player: any PlayerControl, in folder: ControlFolder = ControlFolder(), understand: @escaping Understand
  ) throws(ControlError) {
    try folder.prepare()
    // This removes the sockets of players that have ended.
    _ = folder.players()
    wakeUp = try PollWakeUp()
    (path, listener) = try Self.listen(in: folder)
    self.player = player
    self.understand = understand
    LocalSocket.setNonBlocking(listener)
    if OSThread.start({ [self] in run() }) { return }
    close(listener)
    unlink(path.forSystem)
    throw .cannotListen(path: path, cause: "the system can't create another thread")
  }

  /// Sends the remaining output for at most half a second, and removes the socket. Blocks until then. May be called
  /// from any thread.
  package func stop() {
    guard !isStopping.exchange(true, ordering: .acquiringAndReleasing) else { return }
    wakeUp.call()
    ended.wait()
  }

  /// Opens a socket named after the process ID. In containers two players can have the same ID, so a number may be
  /// added.
  private static func listen(in folder: ControlFolder) throws(ControlError) -> (String, Int32) {
    for number in 1...100 {
      let path = folder.socket(of: number == 1 ? "\(getpid())" : "\(getpid())-\(number)")
      if let listener = try LocalSocket.listening(at: path, isTaken: { folder.isAlive(path) }) {
        return (path, listener)
      }
    }
    throw .cannotListen(path: folder.path, cause: "too many players")
  }
}

extension ControlServer {
  /// A client with the state that only the server's thread uses.
  private struct Client {
    let connection: ControlConnection
    var lines = LineSplitter()
    /// The time since which it has not read any of its output; nil if it reads.
    var stalledSince: SuspendingClock.Instant?
    /// Whether its input is ignored. It is disconnected once it has read why.
    var isLeaving = false
    /// Whether its input has ended. It is disconnected once it has read its replies, and all events if it asked for
    /// them.
    var hasEnded = false

    /// Whether it expects nothing more once its output is written.
    var isServed: Bool { isLeaving || hasEnded && !connection.isBusy }
  }

  /// The server's thread: waits for the sockets and the wake-up, and serves each client.
  private func run() {
    var clients: [Client] = []
    var deadline: SuspendingClock.Instant?
    // Without free file descriptors, a client waits, and is accepted when one is free.
    var isFull = false
    while true {
      if isStopping.load(ordering: .acquiring) {
        deadline = deadline ?? .now + .milliseconds(500)
        if let deadline, deadline < .now || !clients.contains(where: \.connection.isBusy) { break }
      }
      var polled = descriptors(of: clients)
      if isFull { polled[0].events = 0 }
      // Milliseconds: 20 while stopping, 1000 to notice a client that has stalled, otherwise without limit.
      let isChecking = isFull || clients.contains(where: \.connection.hasOutput)
      let limit: Int32 = deadline != nil ? 20 : isChecking ? 1_000 : -1
      poll(&polled, nfds_t(polled.count), limit)
      wakeUp.reset()
      clients = zip(clients, polled.dropFirst(2)).compactMap { attend($0, $1) }
      isFull = false
      if polled[0].revents != 0, let client = admit(beside: clients.count, &isFull) { clients.append(client) }
    }
    unlink(path.forSystem)
    close(listener)
    for client in clients { client.connection.close() }
    ended.signal()
  }

  /// The descriptors for `poll`: the listener, the wake-up, then the clients in order.
  private func descriptors(of clients: [Client]) -> [pollfd] {
    let own = [listener, wakeUp.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    return own
      + clients.map { client in
        let input = client.connection.takesInput && !client.isLeaving && !client.hasEnded ? POLLIN : 0
        let output = client.connection.hasOutput ? POLLOUT : 0
        return pollfd(fd: client.connection.descriptor, events: Int16(input | output), revents: 0)
      }
  }

  /// Reads from and writes to one client; returns nil if it has disconnected.
  private func attend(_ client: Client, _ polled: pollfd) -> Client? {
    var client = client
    // A client that has hung up may have sent a last line, which is read first.
    let isGone = polled.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 && polled.revents & Int16(POLLIN) == 0
    if isGone || (polled.revents & Int16(POLLIN) != 0 && !read(from: &client)) || !write(to: &client) {
      client.connection.close()
      return nil
    }
    return client
  }

  /// Writes the output of a client.
  ///
  /// - Returns: false if the client has disconnected, has read its last reply, or has not read anything for too long.
  private func write(to client: inout Client) -> Bool {
    guard client.connection.hasOutput else {
      client.stalledSince = nil
      return !client.isServed
    }
    guard let count = client.connection.write() else { return false }
    if 0 < count { client.stalledSince = nil }
    guard client.connection.hasOutput else { return !client.isServed }
    let since = client.stalledSince ?? .now
    client.stalledSince = since
    return .now - since < .seconds(ControlConnection.Limit.stall)
  }

  /// Reads and handles the lines of a client.
  ///
  /// - Returns: false if the client has disconnected.
  private func read(from client: inout Client) -> Bool {
    var block = [UInt8](repeating: 0, count: 16_384)
    let count = recv(client.connection.descriptor, &block, block.count, Int32(MSG_DONTWAIT))
    if count < 0 { return errno == EAGAIN || errno == EINTR }
    if count == 0 {
      client.hasEnded = true
      return true
    }
    if let lines = client.lines.take(block[..<count]) {
      for line in lines { answer(understand(line), to: client.connection) }
    } else {
      client.connection.reply(
        ControlReply.refusal("a line is longer than \(LineSplitter.commandLimit) bytes; send one command per line"))
      client.isLeaving = true
    }
    return true
  }

  /// Accepts a client; nil if it belongs to another user. If there are too many clients, the new one receives an error
  /// and is disconnected.
  ///
  /// - Parameter isFull: set to true if there are no free file descriptors.
  private func admit(beside count: Int, _ isFull: inout Bool) -> Client? {
    let descriptor = accept(listener, nil, nil)
    guard 0 <= descriptor else {
      isFull = errno == EMFILE || errno == ENFILE
      return nil
    }
    LocalSocket.setCloseOnExec(descriptor)
    LocalSocket.setNonBlocking(descriptor)
    guard LocalSocket.peer(of: descriptor) == getuid() else {
      close(descriptor)
      return nil
    }
    var client = Client(connection: ControlConnection(descriptor: descriptor, wake: wakeUp.call))
    if Self.maximumClients <= count {
      client.connection.reply(
        ControlReply.refusal(
          "\(count) clients are connected, the limit; close one of them", code: "tooManyClients", isRecoverable: true))
      client.isLeaving = true
    }
    return client
  }
}

extension ControlServer {
  /// Handles one request, on the server's thread. `Task.immediate` passes a command to the player before the next line
  /// is read, so that the commands of a client keep their order.
  private func answer(_ request: ControlRequest, to connection: ControlConnection) {
    switch request.kind {
    case .refused(let problem): connection.reply(ControlReply.refusal(problem, id: request.id))
    case .status: replyWithStatus(to: connection, request, metrics: false)
    case .statusWithMetrics: replyWithStatus(to: connection, request, metrics: true)
    case .events: stream(to: connection, request)
    case .command(let command):
      connection.commandBegins()
      Task.immediate { [player] in
        let outcome = await player.perform(command)
        let metrics = command.isAboutMetrics ? await player.reportedMetrics() : nil
        connection.commandEnds(ControlReply.outcome(outcome, metrics: metrics, id: request.id))
      }
    }
  }

  /// Replies with the status of this moment, and with the metrics of the queue if they are wanted.
  private func replyWithStatus(
    to connection: ControlConnection, _ request: ControlRequest, metrics isMeasured: Bool
  ) {
    connection.commandBegins()
    Task.immediate { [player] in
      let metrics = isMeasured ? await player.queueMetrics() : nil
      connection.commandEnds(ControlReply.status(await player.currentStatus(), metrics: metrics, to: request))
    }
  }

  /// Starts to send events, after the reply.
  private func stream(to connection: ControlConnection, _ request: ControlRequest) {
    guard connection.streamBegins(in: request.schema) else {
      connection.reply(ControlReply.refusal("this connection already receives the events", id: request.id))
      return
    }
    let events = player.events(.bufferingNewest(1_000))
    connection.reply(ControlReply.done(id: request.id))
    connection.setEventTask(
      Task {
        await Self.send(events, to: connection)
        connection.streamEnds()
      })
  }

  /// Sends events until the session ends or the client disconnects.
  private static func send(
    _ events: Multicast<StampedEvent>.Reader, to connection: ControlConnection
  ) async {
    var last = 0
    for await delivery in events {
      guard connection.send(delivery.value, after: delivery.number - last - 1) else { return }
      last = delivery.number
    }
  }
}

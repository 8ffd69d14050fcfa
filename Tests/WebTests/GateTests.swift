import ControlSocket
import Glibc
import TestSupport
import Testing

@testable import Web

/// What the gate lets through, and whom it cuts off.
struct GateTests {
  /// A gate connection between two pairs of sockets: the test plays the client and the server.
  private final class Ends {
    let client: Int32
    let server: Int32
    var connection: GateConnection
    var now = SuspendingClock.now

    init() {
      let pair = { () -> (Int32, Int32) in
        var ends: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends)
        return (ends[0], ends[1])
      }
      let (outer, inner) = (pair(), pair())
      (client, server) = (outer.0, inner.0)
      connection = GateConnection(client: outer.1, from: [127, 0, 0, 1], server: inner.1, at: now)
    }

    deinit {
      connection.close()
      close(client)
      close(server)
    }

    /// What the gate does at the events that poll reports now; false if it cuts the connection off.
    func attend(after seconds: Double = 0) -> Bool {
      now = now.advanced(by: .seconds(seconds))
      var polled = connection.descriptors
      poll(&polled, 2, 0)
      return connection.attend(client: polled[0].revents, server: polled[1].revents, at: now)
    }

    func send(_ count: Int, from descriptor: Int32) -> Int {
      let bytes = [UInt8](repeating: 65, count: count)
      return max(0, Glibc.send(descriptor, bytes, count, Int32(MSG_NOSIGNAL)))
    }

    func receive(on descriptor: Int32) -> Int {
      var block = [UInt8](repeating: 0, count: 1 << 20)
      return max(0, recv(descriptor, &block, block.count, 0))
    }
  }

  @Test func `a request and its answer pass unchanged in both directions`() {
    let ends = Ends()
    #expect(ends.send(1_000, from: ends.client) == 1_000 && ends.attend() && ends.attend())
    #expect(ends.receive(on: ends.server) == 1_000)
    #expect(ends.send(70_000, from: ends.server) == 70_000)
    var received = 0
    for _ in 0..<20 where received < 70_000 {
      #expect(ends.attend())
      received += ends.receive(on: ends.client)
    }
    #expect(received == 70_000)
  }

  @Test func `headers without end are cut off after 72 KiB`() {
    let ends = Ends()
    var sent = 0
    var isOpen = true
    while isOpen, sent < 1 << 20 {
      sent += ends.send(8_192, from: ends.client)
      isOpen = ends.attend()
      _ = ends.receive(on: ends.server)
    }
    #expect(!isOpen && sent <= GateConnection.Limit.request + 2 * 16_384)
  }

  @Test func `many requests on one connection are no endless one`() {
    let ends = Ends()
    for _ in 0..<100 {
      #expect(ends.send(4_096, from: ends.client) == 4_096 && ends.attend() && ends.attend())
      #expect(ends.receive(on: ends.server) == 4_096 && ends.send(10, from: ends.server) == 10)
      #expect(ends.attend() && ends.attend() && ends.receive(on: ends.client) == 10)
    }
  }

  @Test func `a body without an end is cut off after 90 s, also if it goes on byte by byte`() {
    let ends = Ends()
    for _ in 0..<89 {
      #expect(ends.send(1, from: ends.client) == 1 && ends.attend(after: 1))
      _ = ends.receive(on: ends.server)
    }
    _ = ends.send(1, from: ends.client)
    #expect(!ends.attend(after: 3))
  }

  @Test func `a client that reads nothing is cut off after 30 s, and holds little memory`() {
    let ends = Ends()
    var taken = 0
    for _ in 0..<100 {
      taken += ends.send(1 << 16, from: ends.server)
      #expect(ends.attend())
    }
    // Full: what the system's buffers hold, and those of the gate.
    #expect(taken < 2 << 20 && ends.send(1, from: ends.server) == 0)
    #expect(ends.attend(after: 29) && !ends.attend(after: 2))
  }

  @Test func `a connection on which nothing happens ends after two minutes, one with events does not`() {
    let (silent, listening) = (Ends(), Ends())
    for _ in 0..<20 {
      #expect(listening.send(3, from: listening.server) == 3 && listening.attend(after: 15))
      _ = listening.receive(on: listening.client)
    }
    #expect(silent.attend(after: 119) && !silent.attend(after: 2))
  }

  @Test func `a client that has ended its side gets the whole answer, and one that has gone is disconnected`() {
    let ends = Ends()
    _ = ends.send(10, from: ends.client)
    shutdown(ends.client, Int32(SHUT_WR))
    #expect(ends.attend() && ends.attend() && ends.receive(on: ends.server) == 10)
    for _ in 0..<10 {
      #expect(ends.send(9_000, from: ends.server) == 9_000 && ends.attend() && ends.attend())
      #expect(ends.receive(on: ends.client) == 9_000)
    }
    // The server reads the end, and ends its own side.
    #expect(recv(ends.server, nil, 0, Int32(MSG_PEEK)) == 0)
    shutdown(ends.server, Int32(SHUT_WR))
    #expect(!ends.attend())
    let listening = Ends()
    _ = listening.send(10, from: listening.client)
    #expect(listening.attend() && listening.attend() && listening.send(5, from: listening.server) == 5)
    #expect(listening.attend())
    shutdown(listening.client, Int32(SHUT_RDWR))
    #expect(listening.attend() && listening.send(3, from: listening.server) == 3)
    #expect(!listening.attend())
  }

  @Test func `who has had no answer for 20 s gives way to another client`() {
    let (silent, listening) = (Ends(), Ends())
    for _ in 0..<2 {
      #expect(listening.send(3, from: listening.server) == 3 && listening.attend(after: 11))
      _ = listening.receive(on: listening.client)
    }
    #expect(silent.attend(after: 22))
    #expect(silent.connection.isIdle(at: silent.now) && !listening.connection.isIdle(at: listening.now))
  }

  @Test func `one address has at most 192 connections, and those of others still get in`() async throws {
    let fixture = try await PageFixture()
    let (port, token) = (fixture.server.address.port, fixture.access.tokens.control)
    let refused = try await onOwnThread {
      let held = try (0..<Gate.connectionsOfOne).map { _ in try Connection(to: port, from: "127.0.0.2") }
      let further = try Connection(to: port, from: "127.0.0.2")
      let isClosed = further.next().isEmpty
      return withExtendedLifetime(held) { isClosed }
    }
    #expect(refused)
    #expect(try await fixture.send("GET", "/api/status", token: token).status == 200)
    await fixture.server.stop()
  }

  @Test func `a million headers, and bytes that are no HTTP, end a connection and nothing else`() async throws {
    let fixture = try await PageFixture()
    let (port, token) = (fixture.server.address.port, fixture.access.tokens.control)
    let cut = try await onOwnThread {
      let endless = try Connection(to: port)
      endless.send(Array("GET / HTTP/1.1\r\n".utf8))
      var isOpen = true
      for block in 0..<1_000 where isOpen {
        let headers = (0..<1_000).map { "X-\(block)-\($0): 1\r\n" }.joined()
        isOpen = endless.send(Array(headers.utf8))
      }
      let noise = try Connection(to: port)
      noise.send(
        [0x16, 0x03, 0x01, 0xFF, 0xFE, 0x00, 0x0D, 0x0A, 0x0D, 0x0A] + [UInt8](repeating: 0xFF, count: 60_000))
      noise.send([0x0D, 0x0A, 0x0D, 0x0A])
      return !isOpen && noise.rest().isEmpty
    }
    #expect(cut)
    #expect(try await fixture.send("GET", "/api/status", token: token).status == 200)
    await fixture.server.stop()
  }

  @Test func `when it stops, its connections end and its socket is removed`() async throws {
    let fixture = try await PageFixture()
    let port = fixture.server.address.port
    let connection = try Connection(to: port)
    await fixture.server.stop()
    #expect(connection.next().isEmpty)
    #expect(throws: (any Error).self) { try Connection(to: port) }
  }

  @Test func `an address that is taken is an error that names it`() async throws {
    let fixture = try await PageFixture()
    let folder = try TemporaryRuntime()
    let error = await #expect(throws: PageError.self) {
      try await PageServer(
        at: fixture.server.address, PageRequests(fixture.playing, fixture.access, log: { "{}" }),
        in: .init(runtime: folder.path))
    }
    #expect(
      error?.description
        == "the page can't be served at \(fixture.server.address): Address already in use; choose another address or port"
    )
    await fixture.server.stop()
  }
}

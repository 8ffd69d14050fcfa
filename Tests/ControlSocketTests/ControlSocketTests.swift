import Foundation
import Schedule
import TestSupport
import Testing

@testable import Player
@testable import ControlSocket

/// A folder for sockets, with a path that is short enough for their addresses. It is removed with the test.
final class SocketFolder: Sendable {
  let runtime: String

  init() throws {
    runtime = "/tmp/prosper-test-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: runtime, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: runtime) }

  var control: ControlFolder { ControlFolder(runtime: runtime) }
}

/// A control server for a player that records its commands. It understands few of them.
struct ServerFixture {
  let folder: SocketFolder
  let player: RecordingPlayer
  let server: ControlServer

  init(outcome: @escaping @Sendable (Command) -> CommandOutcome = { _ in .done }) throws {
    folder = try SocketFolder()
    player = RecordingPlayer(outcome: outcome)
    server = try ControlServer(of: player, in: folder.control, understand: Self.understand)
  }

  static let understand: ControlServer.Understand = { line in
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    let kind: ControlRequest.Kind =
      switch words.last {
      case "status": .status
      case "figures": .statusWithMetrics
      case "events": .events
      case "next": .command(.next)
      case "pause": .command(.pause)
      case "stop": .command(.stop)
      case "metrics": .command(.metrics(reset: false))
      case let other: .refused("there is no command '\(other ?? "")'")
      }
    return ControlRequest(id: words.count == 2 ? words[0] : nil, kind, schema: words[0] == "1" ? .simple : .full)
  }

  func client() throws -> ControlClient { try ControlClient(path: server.path) }
}

struct ControlSocketTests {
  @Test func `a command is executed, and its id and its outcome are returned`() async throws {
    try await onOwnThread {
      let scene = try ServerFixture { $0 == .stop ? .rejected(.edit(.noActiveTrack)) : .done }
      let client = try scene.client()
      #expect(try client.ask("7 pause", within: Hang.limit) == #"{"id":7,"ok":true,"outcome":"done"}"#)
      #expect(
        try client.ask("stop", within: Hang.limit)
          == #"{"ok":false,"outcome":"rejected","error":"no track is playing; 'next' goes to the next track or stage","code":"noActiveTrack","recoverable":false}"#
      )
      let refusal =
        #"{"id":8,"ok":false,"error":"there is no command 'jump'","code":"invalidRequest","recoverable":false}"#
      #expect(try client.ask("8 jump", within: Hang.limit) == refusal)
      #expect(scene.player.commands == [.pause, .stop])
      scene.server.stop()
    }
  }

  @Test func `status and metrics are returned without executing a command`() async throws {
    try await onOwnThread {
      let scene = try ServerFixture()
      let reply = try scene.client().ask("7 figures", within: Hang.limit)
      #expect(reply.hasPrefix(#"{"id":7,"ok":true,"status":{"v":1,"run":12.000,"#))
      #expect(reply.contains(#","metrics":{"depth":0,"peakDepth":0,"#))
      #expect(scene.player.commands.isEmpty)
      scene.server.stop()
    }
  }

  @Test func `a command overtakes one in progress on the same connection`() async throws {
    try await onOwnThread {
      let scene = try ServerFixture()
      let client = try scene.client()
      try client.send("1 next")
      #expect(try client.ask("2 pause", within: Hang.limit) == #"{"id":2,"ok":true,"outcome":"done"}"#)
      #expect(scene.player.commands == [.next, .pause])
      #expect(eventually { scene.player.held == 1 })
      scene.player.releaseCommands()
      #expect(try client.next(within: Hang.limit) == #"{"id":1,"ok":true,"outcome":"done"}"#)
      scene.server.stop()
    }
  }

  @Test func `commands of one connection are executed in order`() async throws {
    try await onOwnThread {
      let scene = try ServerFixture()
      let client = try scene.client()
      let words = (0..<50).map { ["pause", "stop"][$0 % 2] }
      try client.send(words.joined(separator: "\n"))
      for _ in words { _ = try client.next(within: Hang.limit) }
      #expect(scene.player.commands.map(\.name) == words)
      scene.server.stop()
    }
  }

  @Test func `the status and the metrics of the queue are returned`() async throws {
    try await onOwnThread {
      let scene = try ServerFixture()
      let client = try scene.client()
      let answer = try ControlAnswer(try client.ask("status", within: Hang.limit))
      #expect(answer.status?.title == "Morning sit" && answer.status?.stage == "Arrive")
      #expect(answer.status?.session == 10 && answer.status?.volume == 0.8 && answer.status?.progress == nil)
      #expect(try client.ask("metrics", within: Hang.limit).contains(#""metrics":{"#))
      scene.server.stop()
    }
  }

  @Test func `each reader of events has its own count, until the session ends`() async throws {
    try await onOwnThread {
      let scene = try ServerFixture()
      let readers = try (0..<3).map { _ in try scene.client() }
      for (index, reader) in readers.enumerated() {
        #expect(try reader.ask("\(index) events", within: Hang.limit) == "{\"id\":\(index),\"ok\":true}")
      }
      for run in [1.0, 2] { scene.player.send(StampedEvent(run: run, session: run, event: .gong(title: "bowl"))) }
      scene.player.finish()
      let reported = try readers.map { reader in try (0..<2).map { _ in try reader.next(within: Hang.limit) } }
      scene.server.stop()
      for lines in reported {
        #expect(
          lines
            == (1...2).map {
              "{\"v\":1,\"seq\":\($0),\"run\":\($0).000,\"session\":\($0).000,\"event\":\"gong\",\"title\":\"bowl\"}"
            })
      }
      for reader in readers { #expect(try reader.next(within: Hang.limit) == nil) }
    }
  }

  @Test func `a reader of the older schema receives no crossfades`() async throws {
    try await onOwnThread {
      let scene = try ServerFixture()
      let (older, full) = (try scene.client(), try scene.client())
      _ = try older.ask("1 events", within: Hang.limit)
      _ = try full.ask("2 events", within: Hang.limit)
      let (a, b) = (TrackInfo(id: TrackID(trackPlay: 1), title: "A"), TrackInfo(id: TrackID(trackPlay: 2), title: "B"))
      let states: [PlayerState] = [.crossfading(from: a, to: b, progress: 0.5), .paused(track: b, position: 1)]
      for (state, previous) in zip(states, ["playing", "crossfading"]) {
        scene.player.send(StampedEvent(run: 1, session: 1, event: .state(state, previous: previous)))
      }
      scene.player.finish()
      let paused = #""schema":1,"state":"paused","track":"B","position":1.000,"previous":"playing"}"#
      #expect(
        try older.next(within: Hang.limit)?.hasSuffix(#""seq":1,"run":1.000,"session":1.000,"event":"state","# + paused)
          == true)
      #expect(try full.next(within: Hang.limit)?.contains(#""state":"crossfading""#) == true)
      scene.server.stop()
    }
  }

  @Test func `a reader that never reads blocks nobody`() async throws {
    try await onOwnThread {
      let scene = try ServerFixture()
      let (lazy, keen) = (try scene.client(), try scene.client())
      _ = try lazy.ask("events", within: Hang.limit)
      let title = String(repeating: "long ", count: 1_000)
      // More than the socket and the outbox hold.
      for run in 0..<2_000 {
        scene.player.send(StampedEvent(run: Double(run), session: 0, event: .gong(title: title)))
        if run % 100 == 0 { #expect(try keen.ask("pause", within: Hang.limit).contains("done")) }
      }
      scene.server.stop()
    }
  }

  @Test func `a player that refuses to reset its metrics is not reported as one that does not answer`() async throws {
    try await onOwnThread {
      let scene = try ServerFixture()
      let client = try scene.client()
      let error = #expect(throws: ControlError.self) { try client.resetMetrics() }
      #expect(error?.description.hasPrefix("the player refused the command: there is no command '") == true)
      scene.server.stop()
    }
  }

  @Test func `an event that is longer than a command may be is received`() async throws {
    try await onOwnThread {
      let scene = try ServerFixture()
      let client = try scene.client()
      _ = try client.ask("events", within: Hang.limit)
      let title = String(repeating: "x", count: 100_000)
      scene.player.send(StampedEvent(run: 1, session: 1, event: .gong(title: title)))
      #expect(try client.next(within: Hang.limit)?.hasSuffix("\(title)\"}") == true)
      scene.server.stop()
    }
  }

  /// As `printf '1 next\n' | nc -N -U SOCKET` does.
  @Test func `a client that has ended its input receives the replies, and is then disconnected`() async throws {
    try await onOwnThread {
      let scene = try ServerFixture()
      let descriptor = try LocalSocket.connected(to: scene.server.path)
      let line = Array("1 next\n".utf8)
      #expect(write(descriptor, line, line.count) == line.count)
      shutdown(descriptor, Int32(SHUT_WR))
      #expect(eventually { scene.player.held == 1 })
      scene.player.releaseCommands()
      var (received, block) = ([UInt8](), [UInt8](repeating: 0, count: 1_024))
      while case let count = recv(descriptor, &block, block.count, 0), 0 < count { received += block[..<count] }
      #expect(String(decoding: received, as: UTF8.self) == "{\"id\":1,\"ok\":true,\"outcome\":\"done\"}\n")
      close(descriptor)
      scene.server.stop()
    }
  }

  @Test func `lost events are counted, and the reader is warned before the next event`() throws {
    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let connection = ControlConnection(descriptor: ends[0]) {}
    let title = String(repeating: "x", count: 1 << 20)
    for _ in 0..<5 { #expect(connection.send(StampedEvent(run: 1, session: 1, event: .gong(title: title)))) }
    let reading = Background { [end = ends[1]] in
      var (lines, splitter) = ([String](), LineSplitter())
      var block = [UInt8](repeating: 0, count: 65_536)
      while 0 < recv(end, &block, 1, Int32(MSG_PEEK)) {
        let count = recv(end, &block, block.count, 0)
        lines += splitter.take(block[..<count].filter { $0 != UInt8(ascii: "x") }) ?? []
      }
      return lines
    }
    func drain() { while connection.hasOutput { _ = connection.write() } }
    drain()
    #expect(connection.send(StampedEvent(run: 2, session: 2, event: .crossfadeCompleted)))
    drain()
    connection.close()
    let lines = try reading.value()
    close(ends[1])
    #expect(
      lines == [
        #"{"v":1,"seq":1,"run":1.000,"session":1.000,"event":"gong","title":""}"#,
        #"{"v":1,"seq":2,"run":2.000,"session":2.000,"event":"warning","message":"4 events were lost because the client did not read in time"}"#,
        #"{"v":1,"seq":3,"run":2.000,"session":2.000,"event":"crossfade.completed"}"#,
      ])
    #expect(!connection.send(StampedEvent(run: 3, session: 3, event: .crossfadeCompleted)))
  }

  @Test func `a line that is too long is rejected, and its connection is closed`() async throws {
    try await onOwnThread {
      let scene = try ServerFixture()
      let client = try scene.client()
      #expect(throws: Never.self) { try client.send(String(repeating: "x", count: 65_537)) }
      #expect(
        try client.next(within: Hang.limit)
          == #"{"ok":false,"error":"a line is longer than 65536 bytes; send one command per line","code":"invalidRequest","recoverable":false}"#
      )
      #expect(try scene.client().ask("pause", within: Hang.limit).contains("done"))
      scene.server.stop()
    }
  }

  @Test func `the seventeenth client is refused`() async throws {
    try await onOwnThread {
      let scene = try ServerFixture()
      let clients = try (0..<16).map { _ in try scene.client() }
      for client in clients { _ = try client.ask("pause", within: Hang.limit) }
      let refusal = try scene.client().next(within: Hang.limit)
      #expect(
        refusal
          == #"{"ok":false,"error":"16 clients are connected, the limit; close one of them","code":"tooManyClients","recoverable":true}"#
      )
      #expect(try clients[15].ask("pause", within: Hang.limit).contains("done"))
      scene.server.stop()
    }
  }

  @Test func `many concurrent clients are all answered`() async throws {
    try await onOwnThread {
      let scene = try ServerFixture()
      let work = (0..<8).map { number in
        let path = scene.server.path
        return Background {
          let client = try ControlClient(path: path)
          for turn in 0..<100 {
            #expect(try client.ask("\(turn) pause", within: Hang.limit).contains("\"id\":\(turn),"))
          }
        }
      }
      for one in work { try one.value() }
      #expect(scene.player.commands.count == 800)
      scene.server.stop()
    }
  }
}

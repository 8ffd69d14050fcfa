import Foundation
import Player
import Synchronization
import TestSupport

@testable import ControlSocket
@testable import Web

/// A clock that a test sets.
final class TestClock: Sendable {
  private let start = SuspendingClock.now
  private let passed = Mutex(0.0)

  var now: SuspendingClock.Instant { start.advanced(by: .seconds(passed.withLock(\.self))) }

  func pass(seconds: Double) { passed.withLock { $0 += seconds } }
}

/// A page of a player that records its commands, on a port of this machine.
struct PageFixture {
  let player: RecordingPlayer
  let playing = NowPlaying()
  let access: Access
  let clock = TestClock()
  let server: PageServer
  private let folder: TemporaryRuntime

  init(
    isPlaying: Bool = true, library: (any PageLibrary)? = nil,
    outcome: @escaping @Sendable (Command) -> CommandOutcome = { _ in .done },
    log: @escaping @Sendable () async throws(PageProblem) -> String = { "{}" }
  ) async throws {
    folder = try TemporaryRuntime()
    player = RecordingPlayer(outcome: outcome)
    access = Access(Tokens(), now: { [clock] in clock.now })
    server = try await PageServer(
      at: ListenAddress(host: "127.0.0.1", port: 0), PageRequests(playing, access, library: library, log: log),
      in: ControlFolder(runtime: folder.path))
    if isPlaying { play() }
  }

  /// A session begins.
  func play() {
    playing.begin(
      NowPlaying.Session(
        player: player, leave: { _ in }, understand: Self.understand, timeline: { #"{"title":"Morning sit"}"# }))
  }

  private static let understand: @Sendable (String) -> ControlRequest = { line in
    if line.contains("pause") { return ControlRequest(id: "7", .command(.pause)) }
    if line.contains("next") { return ControlRequest(.command(.next)) }
    return ControlRequest(.refused("there is no command like this"))
  }

  /// Sends a request of its own connection, and returns what comes back until the server closes it.
  func send(
    _ method: String, _ path: String, token: String? = nil, _ headers: [String: String] = [:], body: String? = nil
  ) async throws -> Answer {
    let port = server.address.port
    return try await onOwnThread { try Answer(of: method, path, at: port, token: token, headers, body: body) }
  }
}

/// A folder for sockets, with a path that is short enough for their addresses.
final class TemporaryRuntime: Sendable {
  let path = "/tmp/prosper-test-\(UUID().uuidString.prefix(8))"

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Sessions that are not played: it keeps which ones are wanted.
final class RecordingLibrary: PageLibrary {
  private let kept = Mutex<[WantedSession]>([])

  var wanted: [WantedSession] { kept.withLock(\.self) }

  func sessions() async -> String { "[]" }

  func play(_ session: WantedSession) async -> PageProblem? {
    kept.withLock { $0.append(session) }
    return nil
  }
}

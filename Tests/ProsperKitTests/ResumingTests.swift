import ProsperKit
import TestSupport
import Testing

/// Sessions that are resumed, and sessions with scripts.
@Suite struct ResumingTests {
  private static let text = """
    prosper: 1
    title: Interrupted
    sampleRate: 8000
    stages:
      - {name: One, duration: 1m, tracks: ["generate:rain"]}
      - {name: Two, duration: 1m, tracks: ["generate:rain"]}
    """

  private static func read(_ path: String) async throws -> PlayableSession {
    try #require(try await SessionReader().read(path: path).session)
  }

  /// Plays until a stage has begun; calls `body` then.
  ///
  /// - Returns: the names of the stages that began, up to the first one for which `body` returns true.
  private static func play(
    _ session: PlayableSession, _ options: SessionPlayer.Options,
    _ body: @escaping (SessionPlayer, String) async -> Bool
  ) async throws -> [String] {
    let player = try SessionPlayer(session, output: .null(), options: options)
    let events = player.events()
    let playing = Task { try await player.play() }
    var stages: [String] = []
    for await event in events {
      guard case .stageStarted(let name, _, _) = event.event else { continue }
      stages.append(name)
      if await body(player, name) { break }
    }
    playing.cancel()
    _ = try await playing.value
    return stages
  }

  @Test func `an interrupted session continues where it was, with the listener's changes`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Array(Self.text.utf8), to: "s.yaml")
    var options = SessionPlayer.Options()
    (options.savesPosition, options.stateFolder, options.resumes) = (true, folder.path("state"), true)
    let first = try await Self.play(try await Self.read(path), options) { player, stage in
      if stage == "Two" { return true }
      #expect(await player.perform([.volume(Gain(linear: 0.5)), .nextStage]) == [.done, .done])
      return false
    }
    #expect(first == ["One", "Two"])
    let second = try await Self.play(try await Self.read(path), options) { player, _ in
      #expect(player.status.volumeTarget == 0.5)
      await player.perform(.stop)
      return false
    }
    #expect(second == ["Two"])
    // A session that was stopped starts anew.
    #expect(try await Self.play(try await Self.read(path), options) { _, _ in true } == ["One"])
    // A session that has changed can't be resumed.
    _ = try folder.write(Array((Self.text + "\n# changed\n").utf8), to: "s.yaml")
    let changed = try await Self.read(path)
    #expect { try SessionPlayer(changed, output: .null(), options: options) } throws: { error in
      let error = error as? PlayerError
      return error?.code == "invalidConfiguration" && error?.description.contains("has changed since it was") == true
    }
  }

  @Test func `a script gives commands and checks expectations`() async throws {
    let folder = try TemporaryFolder()
    let session = try await session("  - {name: One, duration: open, tracks: [8000.count]}\n")
    let script = try folder.write(
      Array(
        """
        {"at":"500ms","expect":{"state":"paused"}}
        {"at":"1s","do":"finish","fade":0}
        """.utf8), to: "script.jsonl")
    var options = SessionPlayer.Options()
    options.script = try await session.script(path: script)
    let player = try SessionPlayer(session, output: .null(isRealTime: false), options: options)
    #expect(try await player.play().reason == .stopped)
    #expect(player.scriptFailures.count == 1 && player.scriptFailures.first?.place.contains("script.jsonl:1") == true)
    #expect(player.scriptWarnings == [])
    let broken = try folder.write(Array(#"{"at":"1s","do":"goto","stage":"Two"}"#.utf8), to: "broken.jsonl")
    await #expect { try await session.script(path: broken) } throws: { error in
      (error as? InvalidCommand)?.diagnostics.first.map { $0.location.line == 1 && $0.problem.contains("Two") } == true
    }
    await #expect { try await session.script(path: folder.path("none.jsonl")) } throws: { $0 is SessionFileError }
  }
}

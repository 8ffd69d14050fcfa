import Foundation
import Player
import ControlSocket
import SavedState
import TestSupport
import Testing

@testable import prosper

@Suite struct MetricsTests {
  /// A place with no player and no saved metrics other than those that the test creates.
  private struct MetricsScene {
    let folder: Scratch

    init() throws { folder = try Scratch() }

    func metrics(
      _ words: String..., whileRunning: @escaping @Sendable (Running) -> Void = { _ in }
    ) async throws -> Prosper {
      try await run(["metrics"] + words, whileRunning: whileRunning)
    }

    func run(
      _ words: [String], whileRunning: @escaping @Sendable (Running) -> Void = { _ in }
    ) async throws -> Prosper {
      let environment = ["XDG_STATE_HOME": folder.path("state"), "XDG_RUNTIME_DIR": folder.path("")]
      return try await Prosper.run(words, environment: environment, in: folder, whileRunning: whileRunning)
    }

    /// A player with a control socket, whose queue has run operations.
    func play() throws -> (player: RecordingPlayer, server: ControlServer) {
      var metrics = QueueMetrics()
      (metrics.maxDepth, metrics.totalOperations) = (3, 41)
      let player = RecordingPlayer(metrics: metrics)
      let server = try ControlServer(of: player, in: ControlFolder(runtime: folder.path(""))) { line in
        switch line {
        case #"{"do":"status","metrics":true}"#: ControlRequest(.statusWithMetrics)
        case #"{"do":"metrics","reset":true}"#: ControlRequest(.command(.metrics(reset: true)))
        default: ControlRequest(.refused(line))
        }
      }
      return (player, server)
    }

    /// Saves metrics as a finished run does.
    func saveMetrics() throws {
      var metrics = QueueMetrics()
      metrics.totalOperations = 3
      try SavedMetrics.save(metrics, in: StateFolder(path: folder.path("state/prosper")))
    }
  }

  @Test func `metrics come from a running player rather than from the last run`() async throws {
    let scene = try MetricsScene()
    try scene.saveMetrics()
    let (player, server) = try scene.play()
    let table = try await scene.metrics()
    #expect(table.status == 0 && table.err.isEmpty)
    #expect(table.out.hasPrefix("Command queue metrics of the running player\n"))
    #expect(table.out.contains("\nTotal operations  41\n"))
    let members = try #require(try await scene.metrics("--format", "json").events().first)
    #expect(members["source"] as? String == "running" && members["totalOperations"] as? Int == 41)
    #expect(try await scene.metrics("--reset").status == 0)
    #expect(player.commands == [.metrics(reset: true)])
    server.stop()
  }

  @Test func `the commands sent to a player appear in its metrics, while it plays and afterwards`() async throws {
    let scene = try MetricsScene()
    let session = try scene.folder.write(
      "a.yaml", "{prosper: 1, title: A, stages: [{name: One, duration: 10m, tracks: ['generate:rain']}]}")
    async let playing = scene.run(["play", session, "--output", "null"])
    var source: String?
    for _ in 0..<500 where source != "running" {
      source = try await scene.metrics("--format", "json").events().first?["source"] as? String
    }
    #expect(try await scene.run(["ctl", "cache", "clear"]).status == 0)
    #expect(try await scene.run(["ctl", "pause"]).status == 0)
    let running = try #require(try await scene.metrics("--format", "json").events().first)
    #expect(Self.names(running).contains("pause") && running["source"] as? String == "running")
    let cache = try #require(running["cache"] as? [String: Any])
    #expect(cache["clears"] as? Int == 1 && running["loadTimeout"] as? Double == 4)
    #expect(Self.states(running) == ["preparing", "playing", "paused"])
    #expect(
      running["recentPeakDepth"] as? Int == 1 && (running["residentBytes"] as? Int).map { 1_000_000 < $0 } == true)
    #expect(try await scene.metrics("--reset").status == 0)
    let anew = try #require(try await scene.metrics("--format", "json").events().first)
    #expect(!Self.names(anew).contains("pause"))
    #expect(try await scene.run(["ctl", "stop"]).status == 0)
    #expect(try await playing.status == 0)
    let saved = try #require(try await scene.metrics("--format", "json").events().first)
    #expect(Self.names(saved).last == "stop" && saved["source"] as? String == "saved")
  }

  private static func states(_ metrics: [String: Any]) -> [String] {
    (metrics["stateChanges"] as? [[String: Any]] ?? []).compactMap { $0["state"] as? String }
  }

  private static func names(_ metrics: [String: Any]) -> [String] {
    (metrics["operations"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
  }

  @Test func `reading the metrics changes none of them, and only an explicit request is reported as a command`()
    async throws
  {
    let scene = try MetricsScene()
    let session = try scene.folder.write(
      "a.yaml", "{prosper: 1, title: A, stages: [{name: One, duration: 5s, tracks: ['generate:rain']}]}")
    let script = try scene.folder.write(
      "s.jsonl", #"{"at":2.5,"do":"pause"}\#n{"after":0,"do":"resume"}\#n{"at":4.5,"do":"metrics"}"#)
    let words = ["play", session, "-o", "null:fast", "--metrics-every", "1s"]
    let alone = try await scene.run(words).events()
    let figures = alone.filter { $0["event"] as? String == "metrics" }
    #expect(figures.map { $0["run"] as? Double } == [1, 2, 3, 4, 5, 5], "the last one ends the run")
    #expect(figures.allSatisfy { $0["totalOperations"] as? Int == 0 && $0["idle"] as? Bool == true })
    #expect(alone.allSatisfy { $0["event"] as? String != "command" })
    let asked = try await scene.run(words + ["--script", script])
    #expect(try asked.outcomes().map { $0["name"] as? String } == ["pause", "resume", "metrics"])
    let totals = try asked.events().filter { $0["event"] as? String == "metrics" }.map { $0["totalOperations"] as? Int }
    #expect(totals == [0, 0, 2, 2, 2, 2, 2])
  }

  @Test func `metrics with --watch ends when the player ends`() async throws {
    let scene = try MetricsScene()
    let (_, server) = try scene.play()
    let run = try await scene.metrics("--watch", "--format", "json") { running in
      _ = eventually { 2 <= running.said().count { $0 == "\n" } }
      server.stop()
    }
    #expect(run.status == 0 && run.err.isEmpty)
    #expect(run.lines.count >= 2 && run.lines.allSatisfy { $0.hasPrefix(#"{"source":"running","depth":0,"#) })
  }

  @Test func `a run without metrics keeps those of the run before it`() async throws {
    let scene = try MetricsScene()
    try scene.saveMetrics()
    let session = try scene.folder.write(
      "a.yaml", "{prosper: 1, title: A, stages: [{name: One, duration: 1s, tracks: ['generate:rain']}]}")
    #expect(try await scene.run(["play", session, "--output", "null:fast", "--no-metrics"]).status == 0)
    #expect(try await scene.metrics("--format", "json").events().first?["totalOperations"] as? Int == 3)
    #expect(try await scene.run(["play", session, "--output", "null:fast"]).status == 0)
    #expect(try await scene.metrics("--format", "json").events().first?["totalOperations"] as? Int == 0)
    let both = try await scene.run(["play", session, "--no-metrics", "--metrics-every", "1s"])
    #expect(both.status == 64 && both.err.contains("--no-metrics and --metrics-every can't be combined"))
  }

  private static func searched(for scene: MetricsScene) -> String {
    "\(scene.folder.path(""))/prosper, /run/user/\(getuid())/prosper or /tmp/prosper-\(getuid())"
  }

  @Test func `without a player there is nothing to watch, even if the last run saved metrics`() async throws {
    let scene = try MetricsScene()
    try scene.saveMetrics()
    let run = try await scene.metrics("--watch")
    #expect(run.status == 69)
    let searched = Self.searched(for: scene)
    #expect(run.err == "prosper: no player is running in \(searched); start one with 'prosper play SESSION'\n")
    #expect(try await scene.metrics("--drill", "--watch").status == 64)
    #expect(try await scene.metrics("--reset").status == 69)
    #expect(try await scene.metrics("--reset", "--watch").status == 64)
    let gone = try await scene.metrics("--player", "1")
    let refusal = "prosper: no player '1' is running in \(searched); running players: none\n"
    #expect(gone.status == 69 && gone.err == refusal)
  }

  @Test func `without a player and without saved metrics, the exit code is 66, with one line`() async throws {
    let scene = try MetricsScene()
    let run = try await scene.metrics()
    #expect(run.status == 66 && run.out.isEmpty)
    let file = scene.folder.path("state/prosper/metrics.json")
    #expect(
      run.err
        == "prosper: no player is running in \(Self.searched(for: scene)), and no run has left metrics in \(file); "
        + "start one with 'prosper play SESSION'\n")
  }

  @Test func `the metrics saved by the last run are printed and marked as saved`() async throws {
    let scene = try MetricsScene()
    try scene.saveMetrics()
    let table = try await scene.metrics()
    #expect(table.status == 0 && table.out.hasPrefix("Command queue metrics of the last run, saved 20"))
    let members = try #require(try await scene.metrics("--format", "json").events().first)
    #expect(members["source"] as? String == "saved" && members["totalOperations"] as? Int == 3)
  }

  @Test func `a run saves its metrics, and succeeds even if they can't be written`() async throws {
    let scene = try MetricsScene()
    let session = try scene.folder.write(
      "a.yaml", "{prosper: 1, title: A, stages: [{name: One, duration: 1s, tracks: ['generate:rain']}]}")
    let words = ["play", session, "--output", "null:fast"]
    let state = ["XDG_STATE_HOME": scene.folder.path("state")]
    #expect(try await Prosper.run(words, environment: state, in: scene.folder).status == 0)
    let members = try #require(try await scene.metrics("--format", "json").events().first)
    #expect(members["source"] as? String == "saved" && members["idle"] as? Bool == true)
    let nowhere = ["XDG_STATE_HOME": session]
    let run = try await Prosper.run(words, environment: nowhere, in: scene.folder)
    #expect(run.status == 0 && run.err.isEmpty)
  }

  @Test func `damaged saved metrics are refused with the path of their file`() async throws {
    let scene = try MetricsScene()
    try StateFolder(path: scene.folder.path("state/prosper")).write("{}", to: SavedMetrics.file)
    let run = try await scene.metrics()
    let file = scene.folder.path("state/prosper/metrics.json")
    #expect(run.status == 65)
    #expect(run.err == "prosper: \(file) can't be read as metrics; remove it; the next run writes a new one\n")
  }

  @Test func `the drill needs no player and prints all three formats`() async throws {
    let table = try await Prosper.run(["metrics", "--drill", "--operations", "10"])
    #expect(table.status == 0 && table.err.isEmpty && table.out.contains("\n10 operations one after the other, "))
    let json = try await Prosper.run(["metrics", "--drill", "--operations", "10", "--format", "json"])
    let members = try #require(try json.events().first)
    for name in [
      "depth", "peakDepth", "maxDepth", "idle", "totalOperations", "totalFailures", "totalCancellations",
      "cancellationsByPriority", "rejected", "coalesced", "wait", "execution", "utilization", "uptime", "operations",
    ] {
      #expect(members[name] != nil, "\(name)")
    }
    let prometheus = try await Prosper.run(["metrics", "--drill", "--operations", "10", "--format", "prometheus"])
    #expect(prometheus.out.contains("\nprosper_queue_operations_total 10\n"))
  }

  @Test func `invalid numbers and formats are wrong usage`() async throws {
    #expect(try await Prosper.run(["metrics", "--drill", "--operations", "0"]).status == 64)
    #expect(try await Prosper.run(["metrics", "--format", "xml"]).status == 64)
  }
}

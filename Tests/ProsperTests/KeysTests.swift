import Foundation
import ControlSocket
import Synchronization
import TestSupport
import Testing

/// Keys on a terminal while a session plays, and the state of the terminal afterwards.
@Suite(.serialized) struct KeysTests {
  private static let session = """
    prosper: 1
    title: Keys
    stages:
      - {name: One, duration: 60s, tracks: ["generate:pink", "generate:rain"]}
      - {name: Two, duration: 60s, tracks: ["generate:ocean"]}
    """

  /// A session that plays on a terminal, and a client that asks for its state.
  private struct Scene: Sendable {
    let scratch: Scratch
    let terminal: Terminal
    /// What was observed while the session ran.
    let seen = Seen()

    init() throws {
      scratch = try Scratch()
      terminal = try Terminal(columns: 100)
      _ = try scratch.write("keys.yaml", KeysTests.session)
    }

    /// Plays on a terminal of its own. `act` runs on a thread that may block.
    func play(_ act: @escaping @Sendable (Scene, Running) throws -> Void) async throws -> Prosper {
      try await Prosper.run(
        ["play", scratch.path("keys.yaml"), "--output", "null"],
        environment: ["TERM": "xterm", "XDG_RUNTIME_DIR": scratch.path(""), "SWIFT_BACKTRACE": "enable=no"],
        in: scratch,
        program: ["/usr/bin/setsid", "--ctty", "--wait", Prosper.executable.path], on: terminal, takesKeys: true
      ) { running in
        do { try act(self, running) } catch { seen.note("\(error)") }
        // The session must end, whatever went wrong.
        if eventually({ pid == nil }) { return }
        seen.note("the session did not end")
        if let pid { kill(pid, SIGKILL) }
      }
    }

    /// The process of the player, once it takes commands.
    var pid: Int32? {
      ControlFolder(runtime: scratch.path("")).players().first.flatMap { Int32($0) }
    }

    func client() throws -> ControlClient {
      _ = eventually { pid != nil && !terminal.isAsFound }
      return try ControlClient(player: nil, in: [ControlFolder(runtime: scratch.path(""))])
    }
  }

  private final class Seen: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func note(_ line: String) { lines.withLock { $0.append(line) } }
  }

  @Test func `each key executes its command`() async throws {
    let keys = [
      (" ", "toggle"), (" ", "toggle"), ("e", "extend"), ("E", "extend"), ("r", "reload"), ("m", "music"),
      ("M", "music"),
      ("v", "overlay"), ("V", "overlay"), ("g", "gong"), ("o", "overlay"), ("o", "overlay"), ("\u{1B}[A", "volume"),
      ("-", "volume"), ("\u{1B}[C", "seek"), ("\u{1B}OD", "seek"), ("n", "next"), ("p", "previous"), ("s", "nextStage"),
      ("?", nil), ("x", nil), ("q", "finish"),
    ]
    let scene = try Scene()
    let run = try await scene.play { scene, _ in
      let client = try scene.client()
      _ = try client.ask(#"{"do":"events"}"#, within: Hang.limit)
      for (key, name) in keys {
        scene.terminal.type(key)
        // Waits for the gong before the next key changes everything; its event may come before the command's.
        if let name { scene.seen.note(try Self.command(client, with: name == "gong" ? ["gong"] : [])) }
      }
    }
    #expect(scene.seen.all == keys.compactMap(\.1))
    #expect(run.status == 0 && scene.terminal.isAsFound)
    let text = try await onOwnThread { try scene.terminal.hangUp() }
    for words in ["strikes a gong", "◎ bowl"] { #expect(text.contains(words), "\(words)") }
  }

  /// The name of the next command whose outcome is reported, after the other events have arrived, too.
  private static func command(_ client: ControlClient, with others: Set<String>) throws -> String {
    var (missing, name) = (others.union(["command"]), "")
    while let line = try client.next(within: Hang.limit) {
      let words = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      if words?["outcome"] as? String == "accepted" { continue }
      if words?["event"] as? String == "command" { name = words?["name"] as? String ?? line }
      missing.remove(words?["event"] as? String ?? "")
      if missing.isEmpty { return name }
    }
    return "ended"
  }

  @Test(
    arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129), (SIGQUIT, 131), (SIGSEGV, nil)] as [(Int32, Int32?)])
  func `the terminal is restored, whatever signal ends the session`(_ signal: Int32, _ status: Int32?) async throws {
    let scene = try Scene()
    let run = try await scene.play { scene, _ in
      _ = try scene.client()
      scene.seen.note("\(scene.terminal.isAsFound)")
      if let pid = scene.pid { kill(pid, signal) }
    }
    #expect(scene.seen.all == ["false"])
    #expect(run.status != 0 && scene.terminal.isAsFound)
    if let status { #expect(run.status == status) }
  }

  @Test func `Ctrl-C fades out, restores the terminal and says how to continue`() async throws {
    let scene = try Scene()
    let run = try await scene.play { scene, _ in
      let client = try scene.client()
      _ = try client.ask(#"{"do":"events"}"#, within: Hang.limit)
      while let line = try client.next(within: Hang.limit), !line.contains(#""event":"position""#) {}
      scene.terminal.type("\u{3}")
    }
    #expect(run.status == 130 && scene.terminal.isAsFound && scene.seen.all.isEmpty)
    let text = try await onOwnThread { try scene.terminal.hangUp() }
    #expect(text.contains("to continue here, run: prosper play --resume \(scene.scratch.path("keys.yaml"))"))
  }

  @Test func `the status line shows what a key has changed, and where the keys are listed`() async throws {
    let scene = try Scene()
    let run = try await scene.play { scene, running in
      _ = try scene.client()
      running.waitUntilItSays("♪ pink")
      for (key, words) in [
        ("\u{1B}[D", "pink at 0:0"), ("x", "? lists the keys"), ("e", "the session now lasts 7:00"), ("m", "music 95%"),
        (" ", "‖"), ("-", "volume 95%"),
      ] {
        scene.terminal.type(key)
        running.waitUntilItSays(words)
        if !running.said().contains(words) { return scene.seen.note("not shown: \(words)") }
      }
      // No event follows during the pause.
      let isRemoved = eventually { running.said().components(separatedBy: "volume 95%").last?.contains("‖") == true }
      scene.seen.note("removed: \(isRemoved)")
      scene.terminal.type("qq")
    }
    #expect(run.status == 0 && scene.seen.all == ["removed: true"])
  }

  @Test func `a rejected key is explained once`() async throws {
    let scene = try Scene()
    let run = try await scene.play { scene, running in
      _ = try scene.client()
      scene.terminal.type("q")
      running.waitUntilItSays("↘")
      scene.terminal.type("n")
    }
    #expect(run.status == 0 && scene.seen.all.isEmpty)
    let text = try await onOwnThread { try scene.terminal.hangUp() }
    #expect(text.components(separatedBy: "next: can't skip while fadingOut").count == 2, "\(text)")
  }

  @Test func `Ctrl-Z pauses and restores the terminal, and SIGCONT resumes`() async throws {
    let scene = try Scene()
    let run = try await scene.play { scene, _ in
      let client = try scene.client()
      let pid = try #require(scene.pid)
      _ = eventually { Self.catchesStops(pid) }
      scene.terminal.type("\u{1A}")
      scene.seen.note("stopped: \(eventually { Self.isStopped(pid) })")
      scene.seen.note("given back: \(scene.terminal.isAsFound)")
      kill(pid, SIGCONT)
      scene.seen.note("taken: \(eventually { !scene.terminal.isAsFound })")
      _ = try client.ask(#"{"do":"status"}"#, within: Hang.limit)
      scene.seen.note("plays: \(eventually { Self.state(client) == "playing" })")
      scene.terminal.type("qq")
    }
    #expect(scene.seen.all == ["stopped: true", "given back: true", "taken: true", "plays: true"])
    #expect(run.status == 0 && scene.terminal.isAsFound)
  }

  private static func state(_ client: ControlClient) -> String? {
    (try? client.ask(#"{"do":"status"}"#, within: Hang.limit)).flatMap { try? ControlAnswer($0) }?.status?.state
  }

  private static func isStopped(_ pid: Int32) -> Bool { status(of: pid).contains("State:\tT") }

  /// The handler of SIGTSTP is installed a moment after the terminal is set up. Until then the signal is ignored.
  private static func catchesStops(_ pid: Int32) -> Bool {
    let caught = status(of: pid).split(separator: "\n").first { $0.hasPrefix("SigCgt:") }?.split(separator: "\t").last
    return caught.flatMap { UInt64($0, radix: 16) }.map { $0 & 1 << UInt64(SIGTSTP - 1) != 0 } ?? false
  }

  private static func status(of pid: Int32) -> String {
    (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
  }
}

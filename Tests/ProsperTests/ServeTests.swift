import Foundation
import Glibc
import Signal
import TestSupport
import Testing

/// The sessions that `serve` lists, and plays one after the other.
@Suite struct ServeTests {
  private let scene: PageScene
  private var folder: Scratch { scene.folder }

  init() throws { scene = try PageScene() }

  /// The command that serves two sessions, First and Second.
  private func serving() throws -> [String] {
    try FileManager.default.createDirectory(atPath: folder.path("mine"), withIntermediateDirectories: true)
    for title in ["First", "Second"] {
      _ = try folder.write("mine/\(title.lowercased()).yaml", PageScene.text(title: title))
    }
    return ["serve", folder.path("mine"), "-o", "null", "--listen", "127.0.0.1:0"]
  }

  /// The hooks are read when a session opens. Reading them from this FIFO waits for a writer.
  private func slowHooks() throws -> String {
    let hooks = folder.path(".config/prosper/hooks.yaml")
    try FileManager.default.createDirectory(atPath: folder.path(".config/prosper"), withIntermediateDirectories: true)
    #expect(mkfifo(hooks, 0o600) == 0)
    return hooks
  }

  @Test func `serve lists the sessions, and refuses any other one and a length that does not fit`() async throws {
    let serve = try serving()
    _ = try folder.write("mine/broken.yaml", "prosper: 1")
    _ = try await scene.run(serve) { port, code in
      let token = try PageScene.token(code, at: port)
      #expect(try PageScene.status(token, at: port)["state"] as? String == "idle")
      let listed = try Answer(of: "GET", "/api/sessions", at: port, token: token).member("sessions") as? [[String: Any]]
      let own = (listed ?? []).filter { ($0["path"] as? String)?.contains("/mine/") == true }
      #expect(own.compactMap { $0["title"] as? String } == ["broken", "First", "Second"])
      #expect((own[0]["problem"] as? String)?.hasPrefix("line 1: ") == true && own[1]["seconds"] as? Double == 3_600)
      #expect((own[1]["stages"] as? [[String: Any]])?.count == 2 && own[1]["resume"] is NSNull)
      for path in ["/etc/passwd", "own.wav", folder.path("sit.yaml"), "../sit.yaml"] {
        #expect(try PageScene.play("\"\(path)\"", token, at: port).status == 404)
      }
      for (duration, problem) in [
        ("x", "duration 'x' is not a length"), ("12", "duration '12' has no unit"), ("500h", "duration: "),
      ] {
        let refused = try PageScene.play("\"first\",\"duration\":\"\(duration)\"", token, at: port)
        #expect(refused.status == 409 && (refused.member("error") as? String)?.hasPrefix(problem) == true)
      }
    }
  }

  @Test func `serve plays one session after the other, and resumes an interrupted one`() async throws {
    let serve = try serving()
    let first = folder.path("mine/first.yaml")
    let run = try await scene.run(serve) { port, code in
      let token = try PageScene.token(code, at: port)
      #expect(try PageScene.play("\"\(first)\"", token, at: port).status == 200)
      #expect(eventually { (try? PageScene.status(token, at: port)["title"] as? String) == "First" })
      #expect(try PageScene.command("{\"do\":\"goto\",\"stage\":\"Two\",\"at\":600}", token, at: port).status == 200)
      #expect(try PageScene.play("\"second\",\"duration\":\"12m\"", token, at: port).status == 200)
      #expect(eventually(within: 60) { (try? PageScene.status(token, at: port)["title"] as? String) == "Second" })
      #expect(eventually { (try? PageScene.status(token, at: port)["state"] as? String) == "playing" })
      #expect(try PageScene.status(token, at: port)["duration"] as? Double == 720)
    }
    #expect(run.status == 0)
    let events = try run.events()
    #expect(events.compactMap { $0["title"] as? String }.filter { ["First", "Second"].contains($0) }.count == 2)
    _ = try await scene.run(serve) { port, code in
      let token = try PageScene.token(code, at: port)
      let listed = try Answer(of: "GET", "/api/sessions", at: port, token: token).member("sessions") as? [[String: Any]]
      let left = try #require(listed?.first { $0["title"] as? String == "Second" }?["resume"] as? Double)
      #expect(0 <= left && left < 60)
      let replaced = try #require(listed?.first { $0["title"] as? String == "First" }?["resume"] as? Double)
      #expect(2_400 <= replaced && replaced < 2_460)
      #expect(try PageScene.play("\"second\",\"resume\":true", token, at: port).status == 200)
      #expect(eventually(within: 60) { (try? PageScene.status(token, at: port)["title"] as? String) == "Second" })
      #expect(try PageScene.command("{\"do\":\"stop\"}", token, at: port).member("outcome") as? String == "done")
      #expect(eventually { (try? PageScene.status(token, at: port)["state"] as? String) == "idle" })
    }
  }

  @Test func `a session that is chosen while another one opens plays at once`() async throws {
    let serve = try serving()
    let hooks = try slowHooks()
    let run = try await scene.run(serve) { port, code in
      let token = try PageScene.token(code, at: port)
      #expect(try PageScene.play("\"first\"", token, at: port).status == 200)
      // Returns when the first session opens, which then waits until this end is closed. No other process may hold it.
      let held = open(hooks, O_WRONLY | O_CLOEXEC)
      unlink(hooks)
      #expect(try PageScene.play("\"first\"", token, at: port).status == 200)
      #expect(try PageScene.play("\"second\"", token, at: port).status == 200)
      close(held)
      #expect(eventually(within: 60) { (try? PageScene.status(token, at: port)["title"] as? String) == "Second" })
      #expect(eventually { (try? PageScene.status(token, at: port)["state"] as? String) == "playing" })
    }
    let events = try run.events()
    let started = events.filter { $0["event"] as? String == "session.started" }
    #expect(started.compactMap { $0["title"] as? String } == ["First", "Second"])
    let finished = try #require(events.first { $0["event"] as? String == "session.finished" })
    #expect(finished["reason"] as? String == "interrupted" && (finished["played"] as? Double ?? 9) < 1)
  }

  @Test func `the session that was chosen last plays, also if an earlier one opens later`() async throws {
    let serve = try serving()
    let limit = TransferLimit(upTo: 0)
    let wave = TestWave.float(Array(repeating: Frame(mono: 0.1), count: 80_000), rate: 8_000)
    let server = try WebServer(pages: ["slow.wav": WebServer.Page(wave, limit: limit)])
    defer { server.close() }
    let slow = PageScene.text(title: "Slow").replacing("generate:ocean", with: server.url("slow.wav"))
    _ = try folder.write("mine/slow.yaml", slow)
    _ = try await scene.run(serve) { port, code in
      let token = try PageScene.token(code, at: port)
      let answered = DispatchSemaphore(value: 0)
      let late = Note<Int>()
      Thread.detachNewThread {
        if let answer = try? PageScene.play("\"slow\"", token, at: port) { late.keep(answer.status) }
        answered.signal()
      }
      #expect(eventually { !server.requests.isEmpty })
      #expect(try PageScene.play("\"second\"", token, at: port).status == 200)
      #expect(eventually(within: 60) { (try? PageScene.status(token, at: port)["title"] as? String) == "Second" })
      limit.raise()
      answered.wait()
      #expect(late.kept == 409)
      #expect(try PageScene.status(token, at: port)["title"] as? String == "Second")
    }
  }

  @Test func `a signal while a session opens ends serve`() async throws {
    let serve = try serving()
    let hooks = try slowHooks()
    let run = try await scene.run(serve) { [folder] port, code in
      let token = try PageScene.token(code, at: port)
      #expect(try PageScene.play("\"first\"", token, at: port).status == 200)
      let held = open(hooks, O_WRONLY | O_CLOEXEC)
      unlink(hooks)
      let socket = try FileManager.default.contentsOfDirectory(atPath: folder.path("prosper")).first {
        $0.hasSuffix(".http")
      }
      let process = try #require(socket?.split(separator: "-").first.flatMap { pid_t($0) })
      #expect(kill(process, SIGTERM) == 0)
      // The signal should arrive before the session; in any other order it ends it anyway.
      letPass(seconds: 0.2)
      close(held)
      #expect(eventually { (try? Answer(of: "GET", "/api/status", at: port, token: token).status) != 200 })
    }
    #expect(run.status == 0)
    #expect(
      try run.events().last { $0["event"] as? String == "session.finished" }?["reason"] as? String == "terminated")
  }
}

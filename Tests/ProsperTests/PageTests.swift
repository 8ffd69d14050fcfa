import Foundation
import Glibc
import Signal
import Synchronization
import TestSupport
import Testing

/// What a closure on another thread has found.
private final class Note<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  var kept: Value? { value.withLock(\.self) }
  func keep(_ value: Value) { self.value.withLock { $0 = value } }
}

/// The page of `play --web` and of `serve`, as the program serves it.
@Suite struct PageTests {
  private let folder: Scratch
  private let session: String

  init() throws {
    folder = try Scratch()
    session = try folder.write("sit.yaml", Self.text(title: "A sit <b>here</b>"))
    let wave = TestWave.float(Array(repeating: Frame(mono: 0.1), count: 80_000), rate: 8_000)
    try Data(wave).write(to: URL(fileURLWithPath: folder.path("own.wav")))
  }

  private static func text(title: String) -> String {
    """
    prosper: 1
    title: \(title)
    sampleRate: 8000
    stages:
      - {name: One, duration: 30m, tracks: ["generate:rain", "generate:drone"], repeat: playlist}
      - {name: Two, duration: 30m, tracks: ["generate:ocean"]}

    """
  }

  /// Runs prosper with a page, and calls `body` with its port and the code that it prints. Ends it afterwards.
  private func run(
    _ words: [String], _ body: @escaping @Sendable (UInt16, String) throws -> Void
  ) async throws -> Prosper {
    let failure = Note<any Error>()
    let run = try await Prosper.run(
      words,
      environment: [
        "XDG_RUNTIME_DIR": folder.path(""), "XDG_STATE_HOME": folder.path("state"),
        "XDG_DATA_HOME": folder.path("data"), "TZ": "UTC",
      ],
      in: folder
    ) { running in
      running.waitUntilItSaysOnError("with the code ")
      do {
        let told = running.saidOnError().firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\/, with the code (\d{3}) (\d{3})/)
        let found = try #require(told)
        try body(try #require(UInt16(found.1)), String(found.2 + found.3))
      } catch { failure.keep(error) }
      running.send(SIGTERM)
    }
    if let failure = failure.kept { throw failure }
    return run
  }

  private static func token(_ code: String, at port: UInt16) throws -> String {
    let answer = try Answer(of: "POST", "/api/pair", at: port, body: "{\"code\":\"\(code)\"}")
    return try #require(answer.member("token") as? String)
  }

  /// The token of a phone that was paired, once the session plays: the page is there a moment before.
  private static func tokenOfSession(_ code: String, at port: UInt16) throws -> String {
    let token = try token(code, at: port)
    #expect(eventually { (try? status(token, at: port)["title"]) != nil })
    return token
  }

  private static func command(_ text: String, _ token: String, at port: UInt16) throws -> Answer {
    try Answer(of: "POST", "/api/command", at: port, token: token, body: text)
  }

  private static func status(_ token: String, at port: UInt16) throws -> [String: Any] {
    let answer = try Answer(of: "GET", "/api/status", at: port, token: token)
    return try #require(answer.member("status") as? [String: Any])
  }

  @Test func `a paired phone sees the session, and commands it as ctl does`() async throws {
    let run = try await run(["play", session, "-o", "null", "--web=127.0.0.1:0"]) { port, code in
      let token = try Self.tokenOfSession(code, at: port)
      #expect(eventually { (try? Self.status(token, at: port)["title"] as? String) == "A sit <b>here</b>" })
      let timeline = try Answer(of: "GET", "/api/timeline", at: port, token: token)
      #expect((timeline.member("stages") as? [[String: Any]])?.compactMap { $0["name"] as? String } == ["One", "Two"])
      let next = try Self.command("{\"do\":\"next\",\"id\":3}", token, at: port)
      #expect(next.member("outcome") as? String == "done" && next.member("id") as? Int == 3)
      #expect((next.member("track") as? [String: Any])?["track"] as? String == "drone")
      #expect(try Self.command("{\"do\":\"pause\"}", token, at: port).member("ok") as? Bool == true)
      let again = try Self.command("{\"do\":\"pause\"}", token, at: port)
      #expect(again.status == 200 && again.member("code") as? String == "noEffect")
      #expect(try Self.status(token, at: port)["state"] as? String == "paused")
      let sessions = try Answer(of: "GET", "/api/sessions", at: port, token: token)
      #expect((sessions.member("sessions") as? [Any])?.isEmpty == true)
    }
    #expect(run.status == 143)
    let names = try run.events().compactMap { $0["event"] as? String }
    #expect(names.first == "session.started" && names.last == "session.finished")
  }

  @Test func `the page plays no file from outside of the library, and no address`() async throws {
    let own = folder.path("own.wav")
    let library = folder.path("data/prosper/sessions")
    try FileManager.default.createDirectory(atPath: library, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: own, toPath: library + "/bell.wav")
    try FileManager.default.createSymbolicLink(atPath: library + "/link.wav", withDestinationPath: own)
    _ = try await run(["play", session, "-o", "null", "--web=127.0.0.1:0"]) { port, code in
      let token = try Self.tokenOfSession(code, at: port)
      for sound in [own, library + "/../../../own.wav", library + "/link.wav", "http://127.0.0.1:1/a.wav", "own.wav"] {
        for text in [
          "{\"do\":\"gong\",\"sound\":\"\(sound)\"}", "{\"do\":\"overlay\",\"op\":\"play\",\"sound\":\"\(sound)\"}",
          "{\"do\":\"playlist\",\"op\":\"append\",\"tracks\":[\"generate:rain\",\"\(sound)\"]}",
          "{\"do\":\"effects\",\"op\":\"preload\",\"sounds\":[\"\(sound)\"]}",
        ] {
          let answer = try Self.command(text, token, at: port)
          #expect(
            answer.status == 400 && (answer.member("error") as? String)?.contains("may not play") == true, "\(text)")
        }
      }
      for sound in [library + "/bell.wav", "generate:bell"] {
        let answer = try Self.command("{\"do\":\"gong\",\"sound\":\"\(sound)\"}", token, at: port)
        #expect(answer.member("outcome") as? String == "done", "\(answer.body)")
      }
    }
  }

  @Test func `a phone stays paired over a restart, until there are new links`() async throws {
    let first = Note<String>()
    let play = ["play", session, "-o", "null", "--web=127.0.0.1:0", "--view"]
    let run = try await run(play) { port, code in first.keep(try Self.token(code, at: port)) }
    let token = try #require(first.kept)
    #expect(run.err.contains("the link for participants"))
    #expect(!run.err.contains("#\(token)\n"), "the link with the token is only in the picture")
    _ = try await self.run(play) { port, _ in
      let isSeen = eventually { (try? Self.status(token, at: port)["title"] as? String) == "A sit <b>here</b>" }
      #expect(isSeen)
    }
    _ = try await self.run(["serve", "-o", "null", "--listen", "127.0.0.1:0", "--new-links"]) { port, code in
      let (old, new) = (try Answer(of: "GET", "/api/status", at: port, token: token), try Self.token(code, at: port))
      #expect(old.status == 401 && new != token)
    }
  }

  /// The command that serves two sessions, First and Second.
  private func serving() throws -> [String] {
    try FileManager.default.createDirectory(atPath: folder.path("mine"), withIntermediateDirectories: true)
    for title in ["First", "Second"] {
      _ = try folder.write("mine/\(title.lowercased()).yaml", Self.text(title: title))
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

  private static func play(_ members: String, _ token: String, at port: UInt16) throws -> Answer {
    try Answer(of: "POST", "/api/play", at: port, token: token, body: "{\"session\":\(members)}")
  }

  @Test func `serve lists the sessions, and refuses any other one and a length that does not fit`() async throws {
    let serve = try serving()
    _ = try folder.write("mine/broken.yaml", "prosper: 1")
    _ = try await run(serve) { port, code in
      let token = try Self.token(code, at: port)
      #expect(try Self.status(token, at: port)["state"] as? String == "idle")
      let listed = try Answer(of: "GET", "/api/sessions", at: port, token: token).member("sessions") as? [[String: Any]]
      let own = (listed ?? []).filter { ($0["path"] as? String)?.contains("/mine/") == true }
      #expect(own.compactMap { $0["title"] as? String } == ["broken", "First", "Second"])
      #expect((own[0]["problem"] as? String)?.hasPrefix("line 1: ") == true && own[1]["seconds"] as? Double == 3_600)
      #expect((own[1]["stages"] as? [[String: Any]])?.count == 2 && own[1]["resume"] is NSNull)
      for path in ["/etc/passwd", "own.wav", folder.path("sit.yaml"), "../sit.yaml"] {
        #expect(try Self.play("\"\(path)\"", token, at: port).status == 404)
      }
      for (duration, problem) in [
        ("x", "duration 'x' is not a length"), ("12", "duration '12' has no unit"), ("500h", "duration: "),
      ] {
        let refused = try Self.play("\"first\",\"duration\":\"\(duration)\"", token, at: port)
        #expect(refused.status == 409 && (refused.member("error") as? String)?.hasPrefix(problem) == true)
      }
    }
  }

  @Test func `serve plays one session after the other, and resumes an interrupted one`() async throws {
    let serve = try serving()
    let first = folder.path("mine/first.yaml")
    let run = try await run(serve) { port, code in
      let token = try Self.token(code, at: port)
      #expect(try Self.play("\"\(first)\"", token, at: port).status == 200)
      #expect(eventually { (try? Self.status(token, at: port)["title"] as? String) == "First" })
      #expect(try Self.command("{\"do\":\"goto\",\"stage\":\"Two\",\"at\":600}", token, at: port).status == 200)
      #expect(try Self.play("\"second\",\"duration\":\"12m\"", token, at: port).status == 200)
      #expect(eventually(within: 60) { (try? Self.status(token, at: port)["title"] as? String) == "Second" })
      #expect(eventually { (try? Self.status(token, at: port)["state"] as? String) == "playing" })
      #expect(try Self.status(token, at: port)["duration"] as? Double == 720)
    }
    #expect(run.status == 0)
    let events = try run.events()
    #expect(events.compactMap { $0["title"] as? String }.filter { ["First", "Second"].contains($0) }.count == 2)
    _ = try await self.run(serve) { port, code in
      let token = try Self.token(code, at: port)
      let listed = try Answer(of: "GET", "/api/sessions", at: port, token: token).member("sessions") as? [[String: Any]]
      let left = try #require(listed?.first { $0["title"] as? String == "Second" }?["resume"] as? Double)
      #expect(0 <= left && left < 60)
      let replaced = try #require(listed?.first { $0["title"] as? String == "First" }?["resume"] as? Double)
      #expect(2_400 <= replaced && replaced < 2_460)
      #expect(try Self.play("\"second\",\"resume\":true", token, at: port).status == 200)
      #expect(eventually(within: 60) { (try? Self.status(token, at: port)["title"] as? String) == "Second" })
      #expect(try Self.command("{\"do\":\"stop\"}", token, at: port).member("outcome") as? String == "done")
      #expect(eventually { (try? Self.status(token, at: port)["state"] as? String) == "idle" })
    }
  }

  @Test func `a session that is chosen while another one opens plays at once`() async throws {
    let serve = try serving()
    let hooks = try slowHooks()
    let run = try await run(serve) { port, code in
      let token = try Self.token(code, at: port)
      #expect(try Self.play("\"first\"", token, at: port).status == 200)
      // Returns when the first session opens, which then waits until this end is closed. No other process may hold it.
      let held = open(hooks, O_WRONLY | O_CLOEXEC)
      unlink(hooks)
      #expect(try Self.play("\"first\"", token, at: port).status == 200)
      #expect(try Self.play("\"second\"", token, at: port).status == 200)
      close(held)
      #expect(eventually(within: 60) { (try? Self.status(token, at: port)["title"] as? String) == "Second" })
      #expect(eventually { (try? Self.status(token, at: port)["state"] as? String) == "playing" })
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
    let slow = Self.text(title: "Slow").replacing("generate:ocean", with: server.url("slow.wav"))
    _ = try folder.write("mine/slow.yaml", slow)
    _ = try await run(serve) { port, code in
      let token = try Self.token(code, at: port)
      let answered = DispatchSemaphore(value: 0)
      let late = Note<Int>()
      Thread.detachNewThread {
        if let answer = try? Self.play("\"slow\"", token, at: port) { late.keep(answer.status) }
        answered.signal()
      }
      #expect(eventually { !server.requests.isEmpty })
      #expect(try Self.play("\"second\"", token, at: port).status == 200)
      #expect(eventually(within: 60) { (try? Self.status(token, at: port)["title"] as? String) == "Second" })
      limit.raise()
      answered.wait()
      #expect(late.kept == 409)
      #expect(try Self.status(token, at: port)["title"] as? String == "Second")
    }
  }

  @Test func `a signal while a session opens ends serve`() async throws {
    let serve = try serving()
    let hooks = try slowHooks()
    let run = try await run(serve) { [folder] port, code in
      let token = try Self.token(code, at: port)
      #expect(try Self.play("\"first\"", token, at: port).status == 200)
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

  @Test func `the page reads the sits of this month from the log, and has a session once it is over`() async throws {
    let now = Date.now
    let times = [now, now.addingTimeInterval(-32 * 86_400)].map { $0.formatted(.iso8601) }
    try FileManager.default.createDirectory(atPath: folder.path("state/prosper"), withIntermediateDirectories: true)
    _ = try folder.write(
      "state/prosper/log.csv",
      """
      start,duration,planned,session,reason,note
      \(times[0]),1200.000,1200.000,Now,completed,
      \(times[1]),600.000,600.000,Earlier,completed,
      """)
    for words in [
      ["play", session, "--no-log", "--web=127.0.0.1:0"], ["serve", folder.path(""), "--listen", "127.0.0.1:0"],
    ] {
      _ = try await run(words + ["-o", "null"]) { port, code in
        let token = try Self.token(code, at: port)
        let log = { try Answer(of: "GET", "/api/log", at: port, token: token).body }
        #expect(try log().contains(#""sits":[{"start":"\#(times[0].dropLast())"#))
        #expect(try log().contains(#""total":{"sits":1,"seconds":1200.000}"#))
        if words[0] == "play" { return }
        #expect(try Self.play("\"sit\"", token, at: port).status == 200)
        let position = { (try? Self.status(token, at: port)["session"] as? Double) ?? 0 }
        #expect(eventually { 1 < position() })
        #expect(try Self.command(#"{"do":"stop"}"#, token, at: port).status == 200)
        #expect(eventually { (try? Self.status(token, at: port)["state"] as? String) == "idle" })
        #expect(try log().contains(#""total":{"sits":2,"#))
      }
    }
  }

  /// The TCP sockets of a process on which it listens.
  private static func listening(of process: Int32) -> Set<String> {
    let files = FileManager.default
    let descriptors = (try? files.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? []
    let open = descriptors.compactMap { try? files.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\($0)") }
    let rows = ["tcp", "tcp6"].flatMap { (name: String) -> [Substring] in
      let text = try? String(contentsOfFile: "/proc/\(process)/net/\(name)", encoding: .utf8)
      return text?.split(separator: "\n") ?? []
    }
    let columns = rows.map { $0.split(separator: " ") }.filter { 9 < $0.count && $0[3] == "0A" }
    return Set(open).intersection(columns.map { "socket:[\($0[9])]" })
  }

  @Test func `without --web nothing listens`() async throws {
    _ = try await Prosper.run(
      ["play", session, "-o", "null"], environment: ["XDG_RUNTIME_DIR": folder.path("")], in: folder
    ) { running in
      running.waitUntilItSays(#""event":"position""#)
      let listening = Self.listening(of: running.pid)
      #expect(listening.isEmpty, "\(listening)")
      running.send(SIGTERM)
    }
  }

  @Test(arguments: [
    (["play", "sit.yaml", "-o", "null", "--web=box:7"], 64, "is not a numeric address"),
    (["play", "three-stages", "-o", "null:fast", "--web"], 64, "--web controls a session that is heard"),
    (
      ["play", "three-stages", "-o", "null:fast", "--web", "127.0.0.1:0"], 64, "--web controls a session that is heard"
    ),
    (["play", "sit.yaml", "-o", "null", "--view"], 64, "add --web"),
    (["serve", "-o", "a.wav"], 64, "serve plays live"), (["serve", "nowhere"], 64, "there is no such folder"),
    (["serve", "-o", "null", "--listen", "203.0.113.1:7"], 69, "can't be served at 203.0.113.1:7"),
  ])
  func `what can't be served is told in one sentence`(words: [String], status: Int, problem: String) async throws {
    let run = try await Prosper.run(words, environment: ["XDG_RUNTIME_DIR": folder.path("")], in: folder)
    #expect(Int(run.status) == status && run.err.contains(problem), "\(run.err)")
    #expect(run.err.split(separator: "\n").count == 1)
  }
}

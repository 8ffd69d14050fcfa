import Foundation
import Glibc
import TestSupport
import Testing

/// The page of `play --web` and of `serve`, as the program serves it.
@Suite struct PageTests {
  private let scene: PageScene
  private var folder: Scratch { scene.folder }
  private var session: String { scene.session }

  init() throws { scene = try PageScene() }

  @Test func `a paired phone sees the session, and commands it as ctl does`() async throws {
    let run = try await scene.run(["play", session, "-o", "null", "--web=127.0.0.1:0"]) { port, code in
      let token = try PageScene.tokenOfSession(code, at: port)
      #expect(eventually { (try? PageScene.status(token, at: port)["title"] as? String) == "A sit <b>here</b>" })
      let timeline = try Answer(of: "GET", "/api/timeline", at: port, token: token)
      #expect((timeline.member("stages") as? [[String: Any]])?.compactMap { $0["name"] as? String } == ["One", "Two"])
      let next = try PageScene.command("{\"do\":\"next\",\"id\":3}", token, at: port)
      #expect(next.member("outcome") as? String == "done" && next.member("id") as? Int == 3)
      #expect((next.member("track") as? [String: Any])?["track"] as? String == "drone")
      #expect(try PageScene.command("{\"do\":\"pause\"}", token, at: port).member("ok") as? Bool == true)
      let again = try PageScene.command("{\"do\":\"pause\"}", token, at: port)
      #expect(again.status == 200 && again.member("code") as? String == "noEffect")
      #expect(try PageScene.status(token, at: port)["state"] as? String == "paused")
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
    _ = try await scene.run(["play", session, "-o", "null", "--web=127.0.0.1:0"]) { port, code in
      let token = try PageScene.tokenOfSession(code, at: port)
      for sound in [own, library + "/../../../own.wav", library + "/link.wav", "http://127.0.0.1:1/a.wav", "own.wav"] {
        for text in [
          "{\"do\":\"gong\",\"sound\":\"\(sound)\"}", "{\"do\":\"overlay\",\"op\":\"play\",\"sound\":\"\(sound)\"}",
          "{\"do\":\"playlist\",\"op\":\"append\",\"tracks\":[\"generate:rain\",\"\(sound)\"]}",
          "{\"do\":\"effects\",\"op\":\"preload\",\"sounds\":[\"\(sound)\"]}",
        ] {
          let answer = try PageScene.command(text, token, at: port)
          #expect(
            answer.status == 400 && (answer.member("error") as? String)?.contains("may not play") == true, "\(text)")
        }
      }
      for sound in [library + "/bell.wav", "generate:bell"] {
        let answer = try PageScene.command("{\"do\":\"gong\",\"sound\":\"\(sound)\"}", token, at: port)
        #expect(answer.member("outcome") as? String == "done", "\(answer.body)")
      }
    }
  }

  @Test func `a phone stays paired over a restart, until there are new links`() async throws {
    let first = Note<String>()
    let play = ["play", session, "-o", "null", "--web=127.0.0.1:0", "--view"]
    let run = try await scene.run(play) { port, code in first.keep(try PageScene.token(code, at: port)) }
    let token = try #require(first.kept)
    #expect(run.err.contains("the link for participants"))
    #expect(!run.err.contains("#\(token)\n"), "the link with the token is only in the picture")
    _ = try await scene.run(play) { port, _ in
      let isSeen = eventually { (try? PageScene.status(token, at: port)["title"] as? String) == "A sit <b>here</b>" }
      #expect(isSeen)
    }
    _ = try await scene.run(["serve", "-o", "null", "--listen", "127.0.0.1:0", "--new-links"]) { port, code in
      let (old, new) = (
        try Answer(of: "GET", "/api/status", at: port, token: token), try PageScene.token(code, at: port)
      )
      #expect(old.status == 401 && new != token)
    }
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
      _ = try await scene.run(words + ["-o", "null"]) { port, code in
        let token = try PageScene.token(code, at: port)
        let log = { try Answer(of: "GET", "/api/log", at: port, token: token).body }
        #expect(try log().contains(#""sits":[{"start":"\#(times[0].dropLast())"#))
        #expect(try log().contains(#""total":{"sits":1,"seconds":1200.000}"#))
        if words[0] == "play" { return }
        #expect(try PageScene.play("\"sit\"", token, at: port).status == 200)
        let position = { (try? PageScene.status(token, at: port)["session"] as? Double) ?? 0 }
        #expect(eventually { 1 < position() })
        #expect(try PageScene.command(#"{"do":"stop"}"#, token, at: port).status == 200)
        #expect(eventually { (try? PageScene.status(token, at: port)["state"] as? String) == "idle" })
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

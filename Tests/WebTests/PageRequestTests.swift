import Foundation
import Player
import Schedule
import TestSupport
import Testing

@testable import Web

/// The requests of the page, over a real connection.
struct PageRequestTests {
  private static let guarded = [
    ("GET", "/api/status"), ("GET", "/api/timeline"), ("GET", "/api/events"), ("GET", "/api/sessions"),
    ("GET", "/api/log"),
    ("POST", "/api/command"), ("POST", "/api/play"),
  ]

  @Test func `the page needs no token, takes nothing from elsewhere, and is in no frame`() async throws {
    let fixture = try await PageFixture()
    let page = try await fixture.send("GET", "/")
    #expect(page.status == 200 && page.body.hasPrefix("<!doctype html>"))
    #expect(page.head.contains("Content-Security-Policy: default-src 'none'"))
    #expect(page.head.contains("frame-ancestors 'none'") && page.head.contains("X-Frame-Options: DENY"))
    #expect(!page.body.contains("<link rel=\"stylesheet\"") && !page.body.contains("src=\"page.js\""))
    #expect(page.body.matches(of: /(src|href)="?https?:/).isEmpty)
    await fixture.server.stop()
  }

  @Test func `everything else needs a token, and an old one is none`() async throws {
    let fixture = try await PageFixture()
    for (method, path) in Self.guarded {
      for token in [nil, "", Tokens().control] {
        let answer = try await fixture.send(
          method, path, token: token, body: method == "POST" ? "{\"do\":\"pause\"}" : nil)
        #expect(answer.status == 401 && answer.member("error") != nil, "\(method) \(path)")
      }
    }
    // Only the events take a token from the address.
    let token = fixture.access.tokens.control
    #expect(try await fixture.send("GET", "/api/status?token=\(token)").status == 401)
    #expect(fixture.player.commands.isEmpty)
    await fixture.server.stop()
  }

  @Test func `the link for participants shows the session, and commands nothing`() async throws {
    let fixture = try await PageFixture()
    let view = fixture.access.tokens.view
    for path in ["/api/status", "/api/timeline"] {
      let answer = try await fixture.send("GET", path, token: view)
      #expect(answer.status == 200 && answer.head.contains("Prosper-Access: view"))
    }
    for path in ["/api/sessions", "/api/log"] {
      #expect(try await fixture.send("GET", path, token: view).status == 403)
    }
    #expect(try await fixture.send("POST", "/api/command", token: view, body: "{\"do\":\"pause\"}").status == 403)
    #expect(try await fixture.send("POST", "/api/play", token: view, body: "{\"session\":\"a\"}").status == 403)
    #expect(fixture.player.commands.isEmpty)
    await fixture.server.stop()
  }

  @Test func `another name and another page are refused, even with the token`() async throws {
    let fixture = try await PageFixture()
    let token = fixture.access.tokens.control
    let rebound = try await fixture.send(
      "POST", "/api/command", token: token, ["Host": "evil.com"], body: "{\"do\":\"pause\"}")
    #expect(rebound.status == 421)
    let foreign = try await fixture.send(
      "POST", "/api/command", token: token, ["Origin": "http://evil.com"], body: "{\"do\":\"pause\"}")
    #expect(foreign.status == 403)
    #expect(try await fixture.send("POST", "/api/pair", ["Origin": "null"], body: "{\"code\":\"1\"}").status == 403)
    #expect(try await fixture.send("GET", "/", ["Host": "evil.com"]).status == 421)
    #expect(fixture.player.commands.isEmpty)
    await fixture.server.stop()
  }

  @Test func `GET changes nothing, and POST is for what changes something`() async throws {
    let fixture = try await PageFixture()
    let token = fixture.access.tokens.control
    for path in ["/api/command?do=pause", "/api/play?session=a", "/api/pair?code=\(fixture.access.code)"] {
      let answer = try await fixture.send("GET", path, token: token)
      #expect(answer.status == 405 && answer.head.contains("Allow: POST"))
    }
    for method in ["HEAD", "PUT", "DELETE", "OPTIONS"] {
      let answer = try await fixture.send(method, "/api/command", token: token)
      #expect(answer.status == 405, "\(method): \(answer.head)")
    }
    #expect(try await fixture.send("POST", "/api/status", token: token, body: "{}").status == 405)
    #expect(try await fixture.send("GET", "/../etc/passwd", token: token).status == 404)
    #expect(fixture.player.commands.isEmpty)
    await fixture.server.stop()
  }

  @Test func `a device is paired with the code, and locked out after five wrong ones`() async throws {
    let fixture = try await PageFixture()
    let pair = { (code: String) in try await fixture.send("POST", "/api/pair", body: "{\"code\":\"\(code)\"}") }
    let paired = try await pair(fixture.access.code)
    #expect(paired.member("token") as? String == fixture.access.tokens.control)
    for _ in 0..<4 { #expect(try await pair("x").status == 403) }
    let locked = try await pair("x")
    #expect(locked.status == 429 && locked.head.contains("Retry-After: 60"))
    #expect(try await pair(fixture.access.code).status == 429)
    fixture.clock.pass(seconds: 61)
    #expect(try await pair(fixture.access.code).status == 200)
    #expect(try await fixture.send("POST", "/api/pair", body: "{}").status == 400)
    await fixture.server.stop()
  }

  @Test func `a command is carried out, and answered with its id and its outcome`() async throws {
    let fixture = try await PageFixture { $0 == .pause ? .rejected(.edit(.noActiveTrack)) : .done }
    let token = fixture.access.tokens.control
    let answer = try await fixture.send("POST", "/api/command", token: token, body: "{\"do\":\"pause\",\"id\":7}")
    #expect(
      answer.status == 200 && answer.member("id") as? Int == 7 && answer.member("outcome") as? String == "rejected")
    #expect(answer.head.contains("Prosper-Access: control"))
    #expect(fixture.player.commands == [.pause])
    let unknown = try await fixture.send("POST", "/api/command", token: token, body: "{\"do\":\"dance\"}")
    #expect(unknown.status == 400 && unknown.member("error") as? String == "there is no command like this")
    await fixture.server.stop()
  }

  @Test func `each session that plays has an identity of its own, also of the same file`() async throws {
    let fixture = try await PageFixture()
    let header = {
      let head = try await fixture.send("GET", "/api/status", token: fixture.access.tokens.view).head
      return head.split(separator: "\r\n").first { $0.hasPrefix("Prosper-Session: ") }
    }
    let (first, again) = (try await header(), try await header())
    #expect(first != nil && again == first)
    fixture.playing.end()
    let none = try await header()
    #expect(none == nil)
    fixture.play()
    let second = try await header()
    #expect(second != nil && second != first)
    await fixture.server.stop()
  }

  @Test func `between two sessions the player is idle, and takes no commands`() async throws {
    let fixture = try await PageFixture(isPlaying: false)
    let token = fixture.access.tokens.control
    let status = try await fixture.send("GET", "/api/status", token: token).member("status") as? [String: Any]
    #expect(status?["state"] as? String == "idle" && (status?["actions"] as? [Any])?.isEmpty == true)
    #expect(try await fixture.send("GET", "/api/timeline", token: token).status == 404)
    #expect(try await fixture.send("POST", "/api/command", token: token, body: "{\"do\":\"pause\"}").status == 409)
    #expect(try await fixture.send("POST", "/api/play", token: token, body: "{\"session\":\"a\"}").status == 409)
    await fixture.server.stop()
  }

  @Test(arguments: [true, false])
  func `after the only session the player has finished, and with a library it is idle`(hasLibrary: Bool) async throws {
    let fixture = try await PageFixture(library: hasLibrary ? RecordingLibrary() : nil)
    fixture.playing.end()
    let answer = try await fixture.send("GET", "/api/status", token: fixture.access.tokens.control)
    let status = answer.member("status") as? [String: Any]
    #expect(status?["state"] as? String == (hasLibrary ? "idle" : "finished"))
    await fixture.server.stop()
  }

  @Test func `a choice of a session has no member without an effect`() async throws {
    let library = RecordingLibrary()
    let fixture = try await PageFixture(library: library)
    let play = { (body: String) in
      try await fixture.send("POST", "/api/play", token: fixture.access.tokens.control, body: body)
    }
    for (body, problem) in [
      (#"{"session":"a","set":{"lang":["de"]}}"#, "'set' has a value that is neither text nor a number; write "),
      (
        #"{"session":"a","speed":2}"#, "unknown member 'speed'; a session is chosen with session, duration, resume, set"
      ),
      (#"{"session":"a","duration":12}"#, "a session is chosen as "), (#"{"session":"a","set":3}"#, "a session is "),
      (#"{"duration":"12m"}"#, "a session is chosen as "), ("[]", "a session is chosen as "), ("{", "a session is "),
    ] {
      let answer = try await play(body)
      #expect(answer.status == 400 && (answer.member("error") as? String)?.hasPrefix(problem) == true, "\(answer.body)")
    }
    #expect(library.wanted.isEmpty)
    #expect(try await play(#"{"session":"a","duration":"12m","resume":null,"set":{}}"#).status == 200)
    #expect(library.wanted.map(\.session) == ["a"] && library.wanted.first?.duration == "12m")
    #expect(library.wanted.first?.set == [:])
    #expect(try await play(#"{"session":"a","set":{"lang":"de","n":3,"x":0.5,"on":true}}"#).status == 200)
    #expect(library.wanted.last?.set == ["lang": "de", "n": "3", "x": "0.5", "on": "true"])
    await fixture.server.stop()
  }

  @Test func `a log that can't be read is a problem in one sentence`() async throws {
    let fixture = try await PageFixture(log: { () throws(PageProblem) in throw PageProblem("it is damaged") })
    let answer = try await fixture.send("GET", "/api/log", token: fixture.access.tokens.control)
    #expect(answer.status == 500 && answer.member("error") as? String == "it is damaged")
    await fixture.server.stop()
  }

  @Test func `a body that is not UTF-8 is refused, and the next request is answered`() async throws {
    let fixture = try await PageFixture()
    let (port, token) = (fixture.server.address.port, fixture.access.tokens.control)
    let answers = try await onOwnThread {
      let connection = try Connection(to: port)
      let head =
        "POST /api/command HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\nContent-Length: 4\r\n\r\n"
      connection.send(Array(head.utf8) + [0xFF, 0xFE, 0xC0, 0x80])
      let first = connection.until("}")
      connection.send(
        Array("GET /api/status HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\r\n".utf8))
      return (first, connection.until("Morning sit"))
    }
    #expect(answers.0.hasPrefix("HTTP/1.1 400") && answers.1.contains("Morning sit"))
    await fixture.server.stop()
  }
}

extension PageRequestTests {
  @Test func `the page consists of all of its files`() async throws {
    let fixture = try await PageFixture()
    let page = try await fixture.send("GET", "/").body
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources/Web/Page/Files")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasSuffix(".html") }
    #expect(10 < files.count)
    for file in files {
      let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      #expect(page.contains(text), "\(file)")
    }
    await fixture.server.stop()
  }
}

import Foundation
import TestSupport
import Testing

@testable import prosper

/// Sessions that are found by name.
struct SessionLibraryTests {
  private static let short = #"{"prosper": 1, "title": "Short", "stages": [{"name": "Only", "duration": "90s"}]}"#

  /// Runs prosper in a folder that contains `files`, with `own` as the user's sessions.
  private func run(
    _ arguments: String..., files: [String: String] = [:], own: [String: String] = [:]
  ) async throws -> Prosper {
    let scratch = try Scratch()
    let sessions = scratch.path("data/prosper/sessions")
    try FileManager.default.createDirectory(atPath: sessions, withIntermediateDirectories: true)
    for (name, text) in files { _ = try scratch.write(name, text) }
    for (name, text) in own { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(sessions)/\(name)")) }
    return try await Prosper.run(
      arguments, environment: ["XDG_DATA_HOME": scratch.path("data")], in: scratch,
      program: ["/usr/bin/env", "-C", scratch.path(""), Prosper.executable.path])
  }

  @Test(arguments: [["show", "zazen"], ["check", "zazen"], ["play", "zazen", "-o", "null:fast", "--events", "off"]])
  func `a name means the example session`(arguments: [String]) async throws {
    let scratch = try Scratch()
    let run = try await Prosper.run(
      arguments, in: scratch, program: ["/usr/bin/env", "-C", scratch.path(""), Prosper.executable.path])
    #expect(run.status == 0 && run.err.isEmpty)
    #expect(arguments[0] != "show" || run.lines.first == "Zazen")
  }

  @Test func `a file of that name in the current folder goes first`() async throws {
    let file = try await run("show", "zazen", files: ["zazen": Self.short])
    #expect(file.status == 0 && file.lines.first == "Short")
    let other = try await run("show", "zazen", files: ["zazen.yaml": Self.short])
    #expect(other.lines.first == "Zazen", "only the whole name of a file is the name of a file")
  }

  @Test func `a folder of that name in the current folder is ignored`() async throws {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(atPath: scratch.path("zazen"), withIntermediateDirectories: false)
    let run = try await Prosper.run(
      ["show", "zazen"], in: scratch, program: ["/usr/bin/env", "-C", scratch.path(""), Prosper.executable.path])
    #expect(run.status == 0 && run.lines.first == "Zazen", "\(run.err)")
  }

  @Test func `a session of the user replaces an example of the same name`() async throws {
    let run = try await run("show", "zazen", own: ["zazen.yaml": Self.short])
    #expect(run.lines.first == "Short")
  }

  @Test func `a mistyped name is reported with the name that was meant`() async throws {
    for command in ["show", "play"] {
      let run = try await run(command, "three-stage")
      #expect(run.status == 66)
      #expect(
        run.err == "prosper: three-stage: no such file, and no session has this name; did you mean 'three-stages'?\n")
    }
    let check = try await run("check", "nothing-of-it", "missing.yaml")
    #expect(check.status == 66)
    #expect(
      check.lines[0].hasPrefix(
        "nothing-of-it:1:1: error: no such file, and no session has this name; use one of 'body-sc"))
    #expect(check.lines[1] == "missing.yaml:1:1: error: no such file; check the path")
  }

  @Test func `sessions lists names, lengths and titles`() async throws {
    let run = try await run(
      "sessions", own: ["a.yaml": Self.short, "b.yaml": openSession, "session.schema.json": "{}"])
    #expect(run.status == 0 && run.err.isEmpty)
    #expect(run.lines.prefix(2) == ["a                1:30  Short", "b                open  Open"])
    #expect(run.lines.contains("first-sit        3:15  A first sit"))
    #expect(run.lines.contains("zazen         1:00:08  Zazen"))
    #expect(!run.out.contains("schema"))
  }

  private let openSession = "{prosper: 1, title: Open, stages: [{name: Only, duration: open}]}"

  @Test func `sessions prints one JSON object per line`() async throws {
    let run = try await run("sessions", "--json", own: ["a.yaml": Self.short, "b.yaml": openSession])
    let lines = try run.events()
    #expect(lines.count == 7)
    #expect(lines.allSatisfy { $0["v"] as? Int == 1 })
    #expect(lines[0]["name"] as? String == "a" && lines[0]["title"] as? String == "Short")
    #expect(lines[0]["seconds"] as? Double == 90 && lines[1]["seconds"] is NSNull)
    #expect((lines[0]["path"] as? String)?.hasSuffix("/data/prosper/sessions/a.yaml") == true)
  }

  @Test func `a session that can't be read is reported, and the others are listed`() async throws {
    let run = try await run("sessions", own: ["bad.yaml": "{prosper: 1}"])
    #expect(run.status == 65 && run.err.hasSuffix("bad.yaml: can't be read; 'prosper check bad' says why\n"))
    #expect(run.lines.count == 5)
  }

  @Test func `the user's folder goes first, then those around the program, then those of the system`() {
    let library = SessionLibrary(environment: ["HOME": "/h"], program: "/opt/p/bin/prosper")
    #expect(
      library.folders == [
        "/h/.local/share/prosper/sessions", "/opt/p/share/prosper/sessions", "/usr/local/share/prosper/sessions",
        "/usr/share/prosper/sessions",
      ])
    let other = SessionLibrary(
      environment: ["HOME": "/h", "XDG_DATA_HOME": "relative", "XDG_DATA_DIRS": "/a:relative:/b"],
      program: "/usr/bin/prosper")
    #expect(
      other.folders == [
        "/h/.local/share/prosper/sessions", "/usr/share/prosper/sessions", "/a/prosper/sessions", "/b/prosper/sessions",
      ])
  }
}

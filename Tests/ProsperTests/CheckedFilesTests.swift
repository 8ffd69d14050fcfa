import FoundationXML
import Foundation
import TestSupport
import Testing

/// Folders, scripts, annotations and JUnit files of `prosper check` and `prosper play`.
struct CheckedFilesTests {
  private static let session = "prosper: 1\ntitle: T\nstages: [{name: A, duration: 10s, tracks: [\"generate:rain\"]}]\n"
  private static let misspelt =
    "prosper: 1\ntitle: T\nstages: [{name: A, durration: 10s, tracks: [\"generate:rain\"], duration: 1s}]\n"

  @Test func `a folder stands for the sessions in it and in its folders`() async throws {
    let scratch = try Scratch()
    for folder in ["f", "f/b", "f/.hidden", "empty"] {
      try FileManager.default.createDirectory(atPath: scratch.path(folder), withIntermediateDirectories: true)
    }
    for name in ["f/b/second.yaml", "f/first.yaml", "f/.hidden/third.yaml"] {
      _ = try scratch.write(name, Self.session)
    }
    _ = try scratch.write("f/broken.json", #"{"prosper": 1, "title": }"#)
    _ = try scratch.write("f/script.yaml", "- {at: 1s, do: next}\n")
    _ = try scratch.write("f/package.json", #"{"name": "x"}"#)
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("f/b/loop"), withDestinationPath: scratch.path("f"))
    let check = try await Prosper.run(["check", "--json", scratch.path("f") + "/"], in: scratch)
    let files = try check.events().filter { $0["verdict"] != nil }.map { $0["file"] as? String }
    #expect(files == ["f/b/second.yaml", "f/broken.json", "f/first.yaml"].map { scratch.path($0) })
    #expect(check.status == 65 && check.err.isEmpty)
    let empty = try await Prosper.run(["check", scratch.path("empty")], in: scratch)
    #expect(empty.status == 66 && empty.out.contains("this folder has no session"), "\(empty.out)")
  }

  @Test func `parts of a folder that only another value includes are left out`() async throws {
    let scratch = try Scratch()
    for folder in ["f", "f/en", "f/de"] {
      try FileManager.default.createDirectory(atPath: scratch.path(folder), withIntermediateDirectories: true)
      _ = try scratch.write("\(folder)/arrive.yaml", "prosper: 1\nstages: [{name: A, duration: 10s}]\n")
    }
    _ = try scratch.write(
      "f/s.yaml",
      """
      prosper: 1
      title: S
      parameters: {lang: {default: en, values: [en, de]}}
      stages: [{include: "${lang}/arrive.yaml"}]
      """)
    let check = try await Prosper.run(["check", "--json", scratch.path("f")], in: scratch)
    let files = try check.events().filter { $0["verdict"] != nil }.map { $0["file"] as? String }
    // No session includes the part in the folder itself.
    #expect(files == ["f/arrive.yaml", "f/s.yaml"].map { scratch.path($0) }, "\(check.out)")
  }

  @Test func `a session in a folder is known by its content, also with mistakes`() async throws {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(atPath: scratch.path("f"), withIntermediateDirectories: false)
    let description = String(repeating: "x", count: 70_000)
    let files = [
      ("bom.yaml", "\u{FEFF}prosper: 1\n"), ("broken.yaml", "prosper: 1\n title: [\n"),
      ("flow.yaml", "{prosper: 1, title: x}"), ("indent.yaml", "  prosper: 1\n  title: x\n"),
      ("late.json", #"{"description": "\#(description)", "prosper": 1}"#), ("quoted.yaml", "'prosper': 1\n"),
    ]
    let others = [
      ("package.json", #"{"name": "prosper", "x": {"prosper": "^1.0"}}"#),
      ("script.yaml", "- {at: 1s, do: next}\n# prosper: 1"),
    ]
    for (name, text) in files + others { _ = try scratch.write("f/" + name, text) }
    let check = try await Prosper.run(["check", "--json", scratch.path("f")], in: scratch)
    let found = try check.events().compactMap {
      $0["verdict"] == nil ? nil : ($0["file"] as? String)?.split(separator: "/").last
    }
    #expect(check.status == 65 && found.map { String($0) } == files.map(\.0), "\(check.out)")
  }

  @Test func `a script is checked for its session`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session)
    let script = try scratch.write(
      "script.jsonl",
      #"{"at":"1s","do":"gotoo"}"# + "\n" + #"{"at":"1s","do":"gong","sound":"nowhere.wav"}"# + "\n")
    let good = try scratch.write("good.jsonl", #"{"at":"1s","expect":{"state":"playing"}}"# + "\n")
    let check = try await Prosper.run(["check", session, "--script", script, "--script", good], in: scratch)
    #expect(check.status == 65)
    #expect(check.out == "\(script):1:17: error: there is no command 'gotoo'; did you mean 'goto'?\n", "\(check.out)")
    _ = try scratch.write("script.jsonl", #"{"at":"1s","do":"gong","sound":"nowhere.wav"}"# + "\n")
    let missing = try await Prosper.run(["check", session, "--script", script, "--json"], in: scratch)
    let problem = try missing.events().first { $0["code"] != nil }
    #expect(missing.status == 66 && problem?["code"] as? String == "fileNotFound", "\(missing.out)")
    #expect(problem?["sound"] as? String == scratch.path("nowhere.wav"))
    let absent = try await Prosper.run(["check", session, "--script", scratch.path("none.jsonl")], in: scratch)
    #expect(absent.status == 66 && absent.out.contains("none.jsonl:1:1: error: no such file; check the path"))
    let two = try await Prosper.run(["check", session, session, "--script", script], in: scratch)
    #expect(two.status == 64 && two.err.contains("a script belongs to one session"))
  }

  @Test func `--github prints an annotation for each problem`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("50%,a:b.yaml", Self.misspelt)
    let check = try await Prosper.run(["check", "--github", session], in: scratch)
    let file = session.replacing("%", with: "%25").replacing(",", with: "%2C").replacing(":", with: "%3A")
    let line =
      "::error file=\(file),line=3,col=20,title=unknownKey::unknown key 'durration'; did you mean 'duration'?\n"
    #expect(check.status == 65 && check.out == line, "\(check.out)")
  }

  @Test func `check --junit writes a test case for each file`() async throws {
    let scratch = try Scratch()
    let files = [
      try scratch.write("good.yaml", Self.session), try scratch.write("a<b>&\".yaml", Self.misspelt),
      scratch.path("none.yaml"),
    ]
    let report = scratch.path("r.xml")
    let check = try await Prosper.run(["check", "--junit", report] + files, in: scratch)
    #expect(check.status == 65)
    let suite = try Self.suite(in: report)
    #expect(["tests", "failures", "errors"].map { suite.attribute(forName: $0)?.stringValue } == ["3", "1", "1"])
    let cases = suite.elements(forName: "testcase")
    #expect(cases.map { $0.attribute(forName: "name")?.stringValue } == files)
    #expect(cases[0].children?.isEmpty ?? true)
    let failure = try #require(cases[1].elements(forName: "failure").first)
    #expect(failure.attribute(forName: "type")?.stringValue == "unknownKey")
    #expect(
      failure.attribute(forName: "message")?.stringValue == "3:20: unknown key 'durration'; did you mean 'duration'?")
    #expect(failure.stringValue == "\(files[1]):3:20: error: unknown key 'durration'; did you mean 'duration'?")
    #expect(cases[1].attribute(forName: "line")?.stringValue == "3")
    let error = try #require(cases[2].elements(forName: "error").first)
    #expect(error.attribute(forName: "type")?.stringValue == "fileNotFound")
  }

  @Test func `a JUnit file replaces none of the inputs, and one that can't be written is told`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("good.yaml", Self.session)
    let own = try await Prosper.run(["check", session, "--junit", session], in: scratch)
    #expect(own.status == 64 && own.err.contains("is a file that the session uses"))
    #expect(try String(contentsOfFile: session, encoding: .utf8) == Self.session)
    let nowhere = try await Prosper.run(["check", session, "--junit", scratch.path("no/r.xml")], in: scratch)
    #expect(nowhere.status == 73 && nowhere.err.contains("can't be created"))
  }

  @Test func `a script with mistakes is a failed test case of play, too`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session)
    let (script, report) = (try scratch.write("x.jsonl", #"{"at": "soon", "do": "next"}"#), scratch.path("r.xml"))
    let run = try await Prosper.run(
      ["play", session, "-o", "null:fast", "--script", script, "--junit", report], in: scratch)
    let test = try #require(try Self.suite(in: report).elements(forName: "testcase").first)
    #expect(run.status == 65 && test.attribute(forName: "name")?.stringValue == script)
    #expect(test.elements(forName: "failure").first?.attribute(forName: "type")?.stringValue == "invalidValue")
  }

  @Test func `play --junit writes a test case for each expectation`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session)
    let script = try scratch.write(
      "script.jsonl",
      """
      {"at": "1s", "expect": {"state": "playing"}}
      {"at": "2s", "expect": {"position": 5}}
      {"from": "0:01", "to": "0:02", "expect": {"peak": {"max": -90}}}
      {"at": "1h", "expect": {"state": "playing"}}
      {"at": "end", "expect": {"event": "track", "count": 1}}

      """)
    let report = scratch.path("r.xml")
    let play = try await Prosper.run(
      ["play", session, "-o", "null:fast", "--script", script, "--junit", report], in: scratch)
    #expect(play.status == 1)
    let cases = try Self.suite(in: report).elements(forName: "testcase")
    #expect(cases.map { $0.attribute(forName: "line")?.stringValue } == ["1", "2", "3", "4", "5"])
    #expect(cases.map { $0.elements(forName: "failure").count } == [0, 1, 1, 1, 0])
    #expect(
      cases.map { $0.attribute(forName: "name")?.stringValue } == [
        "line 1: at 1.000 s: playing", "line 2: at 2.000 s: position", "line 3: from 0:01 to 0:02: peak",
        "line 4: at 3600.000 s: playing", "line 5: at the end: track",
      ])
    let messages = cases.compactMap {
      $0.elements(forName: "failure").first?.attribute(forName: "message")?.stringValue
    }
    // The same lines as on stderr.
    #expect(messages.count == 3 && messages.allSatisfy { play.err.contains($0) }, "\(messages) \(play.err)")
    let alone = try await Prosper.run(["play", session, "-o", "null:fast", "--junit", report], in: scratch)
    #expect(alone.status == 64 && alone.err.contains("--junit needs --script"))
  }

  private static func suite(in path: String) throws -> XMLElement {
    let document = try XMLDocument(data: Data(contentsOf: URL(fileURLWithPath: path)))
    return try #require(document.rootElement()?.elements(forName: "testsuite").first)
  }
}

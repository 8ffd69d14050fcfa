import Player
import Signal
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

private func read(_ text: String, path: String = "s.jsonl") -> ScriptReader.Reading {
  ScriptReader(scope: CommandReaderTests.scope, catalogue: catalogue).read(text: text, path: path, folder: "/scripts")
}

struct ScriptReaderTests {
  static let example = """
    {"at":"12.5s","do":"next"}
    {"when":{"state":"crossfading","progress":0.47},"do":"pause"}
    {"after":"6m","do":"resume"}
    {"at":"30s","expect":{"state":"crossfadePaused","progress":0.47,"within":0.02}}
    {"at":"end","expect":{"state":"finished","event":"track.skipped","count":1}}
    """

  @Test func `the lines of a script are read with their positions`() throws {
    let script = try #require(read(Self.example).script)
    #expect(script.lines.map(\.location.description) == (1...5).map { "s.jsonl:\($0):1" })
    #expect(
      script.lines.map(\.time) == [
        .at(12.5), .when(Facts(state: "crossfading", progress: 0.47)), .after(360), .at(30), .end,
      ])
    #expect(
      script.lines.map(\.act) == [
        .command(.next), .command(.pause), .command(.resume),
        .expect(Facts(state: "crossfadePaused", progress: 0.47), within: 0.02),
        .expect(Facts(state: "finished", event: .init(name: "track.skipped", count: 1...1)), within: 0.01),
      ])
  }

  @Test func `an array and YAML are read like JSON Lines`() throws {
    let array = "[" + Self.example.split(separator: "\n").joined(separator: ",\n") + "]"
    let yaml = "# a comment\n" + Self.example.split(separator: "\n").map { "- \($0)\n" }.joined()
    let lines = try #require(read(Self.example).script).lines
    for (text, path) in [(array, "s.json"), (yaml, "s.yaml")] {
      let other = try #require(read(text, path: path).script).lines
      #expect(other.map(\.time) == lines.map(\.time) && other.map(\.act) == lines.map(\.act))
    }
  }

  @Test func `'at' belongs to the line, and in a line with 'after' to the command`() throws {
    let script = try #require(
      read(
        """
        {"at":"10s","do":"goto","stage":"Practice"}
        {"after":"1s","do":"goto","stage":"Practice","at":"2:00"}
        {"at":"20s","do":{"do":"playlist","op":"remove","at":1}}
        """
      ).script)
    #expect(
      script.lines.map(\.act) == [
        .command(.goto(stage: "Practice", at: 0)), .command(.goto(stage: "Practice", at: 120)),
        .command(.playlist(.remove(at: 1))),
      ])
  }

  @Test(arguments: [
    (#"{"do":"next"}"#, "1:1: error: a script line has none of 'at', 'after', 'when'; give exactly one of them"),
    (
      #"{"at":1,"after":2,"do":"next"}"#,
      "1:1: error: a script line has several of 'at', 'after', 'when'; give exactly one of them"
    ),
    (#"{"at":1,"doo":"next"}"#, "1:9: error: unknown key 'doo'; did you mean 'do'?"),
    (#"{"att":1,"do":"next"}"#, "1:2: error: unknown key 'att'; did you mean 'at'?"),
    (#"{"at":1,"to":"80%"}"#, "1:1: error: a script line has neither 'do' nor 'expect'; add one of them"),
    (#"{"at":1}"#, "1:1: error: a script line has neither 'do' nor 'expect'; add one of them"),
    (
      #"{"at":1,"do":"next","expect":{"state":"playing"}}"#,
      "1:21: error: a script line has both 'do' and 'expect'; write two lines"
    ),
    (#"{"at":1,"do":"nxet"}"#, "1:14: error: there is no command 'nxet'; did you mean 'next'?"),
    (#"{"at":1,"do":"next","fade":1}"#, "1:21: error: unknown key 'fade' in 'next'; remove it"),
    (#"{"at":1,"expect":{"sate":"playing"}}"#, "1:19: error: unknown key 'sate'; did you mean 'state'?"),
    (
      #"{"at":1,"expect":{"state":"plaing"}}"#, "1:27: error: 'state' is 'plaing'; did you mean 'playing'?"
    ),
    (#"{"at":1,"expect":{"event":"gnog"}}"#, "1:27: error: 'event' is 'gnog'; did you mean 'gong'?"),
    (#"{"at":1,"expect":{"count":1}}"#, "1:19: error: 'count' needs 'event'; add the 'event' that it describes"),
    (#"{"at":1,"expect":{"title":"bowl"}}"#, "1:19: error: 'title' needs 'event'; add the 'event' that it describes"),
    (
      #"{"at":1,"expect":{"event":"state","title":"bowl"}}"#,
      "1:35: error: the event 'state' has no title; remove 'title'; these have one: session.started, track, track.skipped, load.started, load.progress, load.cancellable, load.completed, load.failed, load.timeout, overlay.started, overlay.ended, overlay.paused, overlay.resumed, gong, caption, underrun, warning"
    ),
    (
      #"{"at":1,"expect":{"volume":"0.25"}}"#,
      "1:28: error: 'volume' is '0.25'; remove the quotes, or write a number from 0 to 1, a percentage such as \"80%\", or decibels such as \"-6dB\""
    ),
    (
      #"{"at":1,"do":"volume","by":"0.25"}"#,
      "1:28: error: 'by' is '0.25'; remove the quotes, or write a change of at most 100% or 60dB, such as \"-10%\" or \"+3dB\""
    ),
    (#"{"at":1,"expect":{"progress":"0.25"}}"#, "1:30: error: 'progress' is '0.25', not a number; remove the quotes"),
    (#"{"at":1,"expect":{}}"#, "1:18: error: 'expect' has no condition; add a state, an event or another fact"),
    (#"{"at":1,"expect":{"stage":"Arive"}}"#, "1:27: error: there is no stage 'Arive'; did you mean 'Arrive'?"),
    (#"{"at":1,"expect":{"progress":47}}"#, "1:30: error: 'progress' is 47; write a number from 0 to 1"),
    (
      #"{"at":"end","do":"stop"}"#,
      "1:1: error: a command can't run at the session's end; give it an earlier time, or write 'expect' instead of 'do'"
    ),
    (
      #"{"at":1,"do":"playlist","op":"remove"}"#,
      "1:2: error: 'at' is the time of this line and can't be the playlist's index as well; write the command as an object, \"do\": {\"do\": \"playlist\", ...}"
    ),
    (
      #"{"at":1,"do":"goto","stage":"Practice","at":"2:00"}"#,
      "1:40: error: the key 'at' appears twice in a script line, first in line 1; write a command that has its own 'at' as an object, \"do\": {\"do\": \"goto\", ...}"
    ),
    (
      #"{"at":1,"do":"status"}"#,
      "1:14: error: 'status' is a request, which a script can't make; write 'expect' to check the player"
    ),
    (#"{"when":"playing","do":"next"}"#, "1:9: error: 'when' is text; write {\"state\": \"playing\"}"),
    ("", "1:1: error: the script is empty; write a line such as {\"at\": \"10s\", \"do\": \"next\"}"),
    (
      "{\"at\":1,\"do\":\"next\"}\n{\"at\":\n",
      "3:1: error: the text ends where a value is expected; check that it is complete"
    ),
  ])
  func `an invalid script is reported with its position and a fix`(_ text: String, _ words: String) {
    let reading = read(text)
    #expect(reading.diagnostics.map(\.description) == ["s.jsonl:" + words])
    #expect(reading.script == nil)
  }

  @Test func `all errors are reported at once`() {
    let reading = read("{\"at\":1,\"do\":\"nxet\"}\n{\"at\":\"soon\",\"do\":\"next\"}\n{\"do\":\"next\"}")
    #expect(reading.diagnostics.map(\.location.line) == [1, 2, 3])
  }

  @Test func `a line that can't be read hides no other error`() {
    let reading = read(
      """
      {"at":1,"do":"nxet"}
      {"at":2,"do":"next"
      {"at":3,do:"next"}
      {"at":4,"do":"next"},
      {"at":5,
       "do":"gnog", 'x'
      }
      {"at":"soon","do":"next"}
      """)
    #expect(
      reading.diagnostics.map(\.description) == [
        "s.jsonl:1:14: error: there is no command 'nxet'; did you mean 'next'?",
        "s.jsonl:3:1: error: '{' where ',' or '}' is expected; separate entries with ',' and end with '}'",
        "s.jsonl:3:9: error: 'd' where a key is expected; put keys in double quotes",
        "s.jsonl:4:21: error: ',' where a value is expected; write a value",
        "s.jsonl:6:15: error: a single quote where a key is expected; use double quotes",
        "s.jsonl:8:7: error: 'at' is 'soon'; write a time such as \"90s\", \"1m30s\" or \"4:30\"",
      ])
    #expect(reading.script == nil)
    let many = read(String(repeating: "{\n", count: 10_000)).diagnostics
    #expect(many.count == 201 && many.last?.problem == "9800 more problems are not shown")
  }

  @Test func `a missing sound is reported once`() throws {
    let line = #"{"at":1,"do":"gong","sound":"nowhere.flac"}"#
    let script = try #require(read(line + "\n" + line).script)
    #expect(
      script.missing.map(\.description) == [
        "s.jsonl:1:1: error: the sound '/sits/nowhere.flac': no such file; check the path; a relative path starts at the script's folder, or else at the session's"
      ])
  }
}

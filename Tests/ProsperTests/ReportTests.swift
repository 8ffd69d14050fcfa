import Foundation
import Signal
import TestSupport
import Testing

/// `--report`, and what the first and the last event say.
struct ReportTests {
  private static let session = """
    prosper: 1
    title: Rain & <bells>
    sampleRate: 8000
    stages:
      - name: One
        duration: 20s
        tracks: ["generate:white"]
        gongs: [{sound: "generate:bell", at: 5s}]
      - name: Two
        duration: 20s
        crossfade: 4s
        tracks: ["generate:pink"]
    """

  /// The cells of each row of a table.
  private static func rows(_ page: String, _ heading: String) throws -> [[String]] {
    let section = try #require(page.components(separatedBy: "<h2>\(heading)</h2>").dropFirst().first)
    let body = try #require(
      section.components(separatedBy: "<tbody>").dropFirst().first?.components(separatedBy: "</tbody>").first)
    return body.components(separatedBy: "<tr>").dropFirst().map { row in
      row.components(separatedBy: "<td>").dropFirst().map { $0.components(separatedBy: "</td>")[0] }
    }
  }

  private static func measured(_ session: String, in scratch: Scratch) async throws -> [String: Any] {
    try #require(try await Prosper.run(["measure", "--json", session], in: scratch).events().first)
  }

  @Test func `the page of a render has what was planned, what began and how loud it was`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session)
    let report = scratch.path("r.html")
    let run = try await Prosper.run(["play", session, "-o", scratch.path("a.wav"), "--report", report], in: scratch)
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    let page = try String(contentsOfFile: report, encoding: .utf8)
    #expect(page.contains("<title>Rain &amp; &lt;bells&gt;</title>") && !page.contains("<script"))
    // It needs no other file.
    #expect(!page.contains("http") && !page.contains("src=") && page.contains("prefers-color-scheme:dark"))
    let cues = try Self.rows(page, "Planned and actual")
    #expect(
      cues.contains(["gong", "bell", "0:05.000", "0:05.000", "0"])
        && cues.contains(["track", "pink", "0:20.000", "0:20.000", "0"])
        && cues.contains(["stage", "Two", "0:20.000", "0:20.000", "0"]), "\(cues)")
    let levels = try await Self.measured(session, in: scratch)
    let stages = try #require(levels["stages"] as? [[String: Any]])
    for (row, stage) in zip(try Self.rows(page, "Stages"), stages) {
      let shown = try #require(Double(row[3]))
      let found = try #require(stage["integrated"] as? Double)
      #expect(row[0] == stage["name"] as? String)
      #expect(abs(shown - found) < 0.11, "\(row) \(stage)")
    }
    let fades = try Self.rows(page, "Crossfades")
    #expect(fades.count == 1 && fades[0].prefix(4) == ["0:20.000", "4.000 s", "white", "pink"], "\(fades)")
    // An equal-power crossfade keeps the level of unrelated sounds.
    let error = try #require(Double(fades[0][4].replacing(" dB", with: "").replacing("+", with: "")))
    #expect(abs(error) < 1, "\(fades)")
    let end = try #require(try run.events().last)
    let whole = try #require(levels["integrated"] as? Double)
    #expect(abs((end["loudness"] as? Double ?? 0) - whole) < 0.001, "\(end)")
  }

  @Test func `a linear crossfade of unrelated sounds is three decibels too soft`() async throws {
    let scratch = try Scratch()
    let text = Self.session.replacing("crossfade: 4s", with: "crossfade: {duration: 8s, curve: linear}")
    let session = try scratch.write(
      "s.yaml",
      text.replacing("generate:pink", with: "generate:white").replacing(
        "tracks: [\"generate:white\"]\n    gongs", with: "tracks: [\"generate:brown\"]\n    gongs"))
    let report = scratch.path("r.html")
    _ = try await Prosper.run(["play", session, "-o", "null:fast", "--report", report], in: scratch)
    let fade = try #require(try Self.rows(String(contentsOfFile: report, encoding: .utf8), "Crossfades").first)
    let error = try #require(Double(fade[4].replacing(" dB", with: "")))
    #expect(error < -1.5, "\(fade)")
  }

  @Test func `a live run reports its commands, and what they moved`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session)
    let script = try scratch.write(
      "script.jsonl",
      """
      {"at": "1s", "do": "nextStage"}
      {"at": "2s", "do": "goto", "stage": "One"}
      {"at": "3s", "do": "stop"}

      """)
    let report = scratch.path("r.html")
    let run = try await Prosper.run(
      ["play", session, "-o", "null", "--script", script, "--report", report], in: scratch)
    #expect(run.status == 0, "\(run.err)")
    let page = try String(contentsOfFile: report, encoding: .utf8)
    let commands = try Self.rows(page, "Commands")
    #expect(commands.map { Array($0.dropFirst()) } == [["nextStage", "done"], ["goto", "done"], ["stop", "done"]])
    let cues = try Self.rows(page, "Planned and actual")
    // A command changes when a place of the plan is reached, which is no error.
    let moved = try #require(cues.first { $0[0] == "stage" && $0[1] == "Two" })
    #expect(moved[2] == "0:20.000" && moved[3].hasPrefix("0:0") && moved[4] == "0", "\(moved)")
    #expect(cues.last == ["gong", "bell", "0:05.000", "–", "not reached"], "\(cues)")
    #expect(cues.count { $0[0] == "stage" && $0[1] == "One" && $0[2] == "0:00.000" && $0[4] == "0" } == 2, "\(cues)")
    // The time of day, with the offset of the zone.
    let times = try run.events().map { $0["time"] as? String }
    #expect(times.allSatisfy { $0?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d/) != nil })
    #expect(times.compactMap(\.self) == times.compactMap(\.self).sorted())
  }

  @Test func `what a script adds and moves is told from what was planned`() async throws {
    let scratch = try Scratch()
    let voice = TestSound.sine(440, rate: 8_000, count: 48_000, amplitude: 0.1)
    try Data(TestWave.stereo(voice, rate: 8_000)).write(to: URL(fileURLWithPath: scratch.path("voice.wav")))
    let session = try scratch.write(
      "s.yaml",
      """
      prosper: 1
      title: t
      sampleRate: 8000
      sounds: {bell: "generate:bell"}
      stages:
        - name: One
          duration: 10s
          overlays: [{sound: voice.wav, at: 1s}]
          gongs: [{sound: bell, at: 5s}, {sound: bell, at: 9s}]
        - {name: Free, duration: open, gongs: [{sound: bell, every: 4s}]}
        - {name: End, duration: 4s, gongs: [{sound: bell, at: 1s}]}
      """)
    let lines = [
      #"{"at": "7s", "do": "gong", "sound": "bell"}"#, #"{"at": "15s", "do": "nextStage"}"#,
      #"{"at": "17s", "do": {"do": "goto", "stage": "One", "at": "3s"}}"#, #"{"at": "18s", "do": "stop"}"#,
    ]
    let script = try scratch.write("x.jsonl", lines.joined(separator: "\n"))
    let report = scratch.path("r.html")
    let options = ["play", session, "-o", "null:fast", "--script", script, "--report", report]
    #expect(try await Prosper.run(options, in: scratch).status == 0)
    let cues = try Self.rows(String(contentsOfFile: report, encoding: .utf8), "Planned and actual")
    #expect(
      cues == [
        ["stage", "One", "0:00.000", "0:00.000", "0"], ["overlay", "voice.wav", "0:01.000", "0:01.000", "0"],
        ["gong", "bell", "0:05.000", "0:05.000", "0"], ["gong", "bell", "–", "0:07.000", "not planned"],
        ["gong", "bell", "0:09.000", "0:09.000", "0"], ["stage", "Free", "0:10.000", "0:10.000", "0"],
        ["gong", "bell", "0:14.000", "0:14.000", "0"], ["stage", "End", "End + 0:00.000", "0:15.000", "0"],
        ["gong", "bell", "End + 0:01.000", "0:16.000", "0"],
        ["stage", "One", "0:00.000", "0:17.000", "was playing"],
      ], "\(cues)")
    #expect(try await Prosper.run(options + ["--from", "0:03"], in: scratch).status == 0)
    let from = try Self.rows(String(contentsOfFile: report, encoding: .utf8), "Planned and actual")
    #expect(from.prefix(2).allSatisfy { $0[3] == "0:03.000" && $0[4] == "was playing" }, "\(from)")
  }

  @Test func `after extend, what follows is compared with the plan that was made`() async throws {
    let scratch = try Scratch()
    let text = Self.session.replacing("at: 5s}]", with: "at: [5s, -3s]}]")
    let session = try scratch.write("s.yaml", text)
    let script = try scratch.write(
      "s.jsonl", #"{"at":"7s","do":"extend","by":"10s"}"# + "\n" + #"{"at":"40s","do":"extend","by":"5s"}"#)
    let report = scratch.path("r.html")
    let words = ["play", session, "-o", "null:fast", "--script", script, "--report", report]
    let run = try await Prosper.run(words, in: scratch)
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    let page = try String(contentsOfFile: report, encoding: .utf8)
    let cues = try Self.rows(page, "Planned and actual")
    #expect(
      cues == [
        ["stage", "One", "0:00.000", "0:00.000", "0"], ["track", "white", "0:00.000", "0:00.000", "0"],
        ["gong", "bell", "0:05.000", "0:05.000", "0"], ["gong", "bell", "0:27.000", "0:27.000", "0"],
        ["stage", "Two", "0:30.000", "0:30.000", "0"], ["track", "pink", "0:30.000", "0:30.000", "0"],
      ], "\(cues)")
    #expect(page.contains("changed by hand: extend at 0:07.000, extend at 0:40.000."))
  }

  @Test func `after reload, what follows is compared with the new file`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session.replacing("20s", with: "30m"))
    let script = try scratch.write(
      "script.jsonl",
      """
      {"at": "4s", "do": "reload"}
      {"at": "5s", "do": "nextStage"}
      {"at": "5500ms", "do": "stop"}

      """)
    let report = scratch.path("r.html")
    let words = ["play", session, "-o", "null", "--script", script, "--report", report]
    let run = try await Prosper.run(words, in: scratch) { running in
      running.waitUntilItSays(#""event":"stage.started""#)
      let changed = Self.session.replacing("20s", with: "40m").replacing("at: 5s", with: "at: 20m")
      _ = try? scratch.write("s.yaml", changed.replacing("name: Two", with: "name: Other"))
    }
    #expect(run.status == 0, "\(run.err)")
    let page = try String(contentsOfFile: report, encoding: .utf8)
    let cues = try Self.rows(page, "Planned and actual")
    let other = try #require(cues.first { $0[1] == "Other" })
    #expect(other[0] == "stage" && other[2] == "40:00.000" && other[4] == "0", "\(cues)")
    #expect(cues.contains(["gong", "bell", "20:00.000", "–", "not reached"]), "\(cues)")
    #expect(!cues.contains { $0[1] == "Two" || $0[2] == "0:05.000" }, "\(cues)")
    #expect(page.contains("changed by hand: reload at "))
  }

  @Test func `the first event says where the session comes from, and a render has no time of day`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session)
    let runs = [
      try await Prosper.run(["play", session, "-o", scratch.path("a.flac")], in: scratch),
      try await Prosper.run(["play", session, "-o", scratch.path("b.flac")], in: scratch),
    ]
    #expect(runs[0].out == runs[1].out)
    let events = try runs[0].events()
    let first = try #require(events.first)
    #expect(first["path"] as? String == session && first["output"] as? String == "flac")
    #expect((first["version"] as? String)?.isEmpty == false && (first["fingerprint"] as? String)?.count == 16)
    #expect(events.allSatisfy { $0["time"] == nil })
    let last = try #require(events.last)
    #expect(last["loudness"] is NSNull && last["gaps"] as? Int == 0 && last["limitedSeconds"] as? Double == 0)
    _ = try scratch.write("s.yaml", Self.session + "\n# changed\n")
    let changed = try await Prosper.run(["play", session, "-o", "null:fast"], in: scratch).events().first
    #expect(changed?["fingerprint"] as? String != first["fingerprint"] as? String)
  }

  @Test func `the limiter's work is counted`() async throws {
    let scratch = try Scratch()
    // 0.9 at +12 dB is 11.08 dB above full scale, for ten seconds.
    try Data(TestWave.float(Array(repeating: Frame(mono: 0.9), count: 80_000), rate: 8_000)).write(
      to: URL(fileURLWithPath: scratch.path("loud.wav")))
    let session = try scratch.write(
      "s.yaml",
      """
      prosper: 1
      title: Loud
      sampleRate: 8000
      stages: [{name: One, duration: 12s, repeat: "off", tracks: [{file: loud.wav, volume: 12dB}]}]

      """)
    let last = try #require(try await Prosper.run(["play", session, "-o", "null:fast"], in: scratch).events().last)
    let reduction = try #require(last["reduction"] as? Double)
    let seconds = try #require(last["limitedSeconds"] as? Double)
    #expect(abs(reduction - 11.085) < 0.01 && 9.9 <= seconds && seconds < 11, "\(last)")
  }

  @Test func `a report that can't be written is told at the end`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", Self.session)
    let run = try await Prosper.run(
      ["play", session, "-o", "null:fast", "--report", scratch.path("no/r.html")], in: scratch)
    #expect(run.status == 73 && run.err.contains("no/r.html: can't be created"), "\(run.err)")
    let own = try await Prosper.run(["play", session, "-o", "null:fast", "--report", session], in: scratch)
    let left = try String(contentsOfFile: session, encoding: .utf8)
    #expect(own.status == 64 && left == Self.session)
    // Nothing is played before a refusal.
    let output = scratch.path("a.wav")
    let both = try await Prosper.run(["play", session, "-o", output, "--report", output], in: scratch)
    #expect(both.status == 64 && both.out.isEmpty && !FileManager.default.fileExists(atPath: output), "\(both.err)")
    #expect(run.out.isEmpty)
  }
}

import Foundation
import Signal
import TestSupport
import Testing

/// `prosper check --json`, and the warnings for which it decodes the sounds.
struct CheckReportTests {
  /// A session with a silent track, and a voice that a gong covers.
  private static func session(in scratch: Scratch) throws -> String {
    let silence = Array(repeating: Frame.silence, count: 8_000)
    for (name, frames) in [("silent.wav", silence), ("voice.wav", TestSound.noise(80_000))] {
      try Data(TestWave.float(frames, rate: 8_000)).write(to: URL(fileURLWithPath: scratch.path(name)))
    }
    return try scratch.write(
      "s.yaml",
      """
      prosper: 1
      title: Covered
      stages:
        - name: A
          duration: 1m
          tracks: [silent.wav]
          overlays: [{sound: voice.wav, at: 10s}]
          gongs: [{sound: "generate:bell", at: 15s}]
      """)
  }

  @Test func `silent files and covered voices are warnings, which only fail with --strict`() async throws {
    let scratch = try Scratch()
    let session = try Self.session(in: scratch)
    let check = try await Prosper.run(["check", session], in: scratch)
    let warnings = [
      "\(session):6:14: warning: silent.wav: contains only silence; replace it; for silence, write a stage without tracks",
      "\(session):7:16: warning: the gong 'bell' in line 8, struck at 0:15, covers the voice 'voice.wav', which plays "
        + "from 0:10 to 0:20; move one of them",
    ]
    #expect(check.status == 0 && check.lines.map(String.init) == warnings, "\(check.out)")
    let strict = try await Prosper.run(["check", "--strict", session], in: scratch)
    #expect(strict.status == 65 && strict.out == check.out)
    // Only `check` reports them.
    let play = try await Prosper.run(["play", session, "-o", "null:fast"], in: scratch)
    #expect(play.status == 0 && play.err.isEmpty)
  }

  @Test func `of 1,000 problems, 200 are listed and 800 counted`() async throws {
    let scratch = try Scratch()
    let keys = (0..<1_000).map { "key\($0): 1\n" }.joined()
    let session = try scratch.write("s.yaml", "prosper: 1\ntitle: T\nstages: [{name: A, duration: 1m}]\n" + keys)
    let check = try await Prosper.run(["check", session], in: scratch)
    #expect(check.status == 65 && check.lines.count == 201, "\(check.out)")
    #expect(check.lines.last?.hasSuffix("error: 800 more problems are not shown; fix these first") ?? false)
  }

  @Test func `an overlay that another one cuts off is a warning`() async throws {
    let scratch = try Scratch()
    let text = try String(contentsOfFile: Self.session(in: scratch), encoding: .utf8).replacing(
      "[{sound: voice.wav, at: 10s}]", with: "[{sound: voice.wav, at: [30s, 35s]}]")
    let check = try await Prosper.run(["check", scratch.write("cut.yaml", text)], in: scratch)
    #expect(check.status == 0 && check.lines.count == 2)
    #expect(
      check.out.contains(
        "cut.yaml:7:16: warning: the overlay 'voice.wav' begins at 0:30 and is cut off at 0:35, when the overlay "
          + "'voice.wav' in line 7 begins; "), "\(check.out)")
  }

  @Test func `a sample rate below 32 kHz is a warning of check`() async throws {
    let scratch = try Scratch()
    func session(_ rate: Int) throws -> String {
      try scratch.write(
        "\(rate).yaml",
        "prosper: 1\ntitle: t\nsampleRate: \(rate)\nstages: [{name: A, duration: 1s}]\n")
    }
    let (low, high) = try (session(22_050), session(32_000))
    let check = try await Prosper.run(["check", low, high], in: scratch)
    let warning = "'sampleRate' is 22050, so nothing above 11025 Hz is heard; write at least 32000, or remove it"
    #expect(check.status == 0 && check.out == "\(low):3:13: warning: \(warning)\n", "\(check.out)")
    let play = try await Prosper.run(["play", low, "-o", "null:fast"], in: scratch)
    #expect(play.status == 0 && play.err.isEmpty)
  }

  @Test func `a file without problems is named on a terminal only`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write(
      "quiet.yaml", "{prosper: 1, title: t, stages: [{name: A, duration: 1s}]}")
    let terminal = try Terminal(columns: 200)
    let run = try await Prosper.run(["check", session], in: scratch, on: terminal)
    let text = try await onOwnThread { try terminal.hangUp() }
    #expect(run.status == 0 && text.contains("\(session): no problems"))
    let quiet = try await Prosper.run(["check", session], in: scratch)
    #expect(quiet.status == 0 && quiet.out.isEmpty && quiet.err.isEmpty)
  }

  @Test func `--json prints an object for each problem, and a verdict for each file`() async throws {
    let scratch = try Scratch()
    let session = try Self.session(in: scratch)
    let bad = try scratch.write("bad.json", #"{"prosper": 1, "title": "t", "stages": [{"name": "A", "durration": 3}]}"#)
    let check = try await Prosper.run(["check", "--json", session, bad, scratch.path("nowhere.yaml")], in: scratch)
    let lines = try check.events()
    #expect(check.status == 65 && check.err.isEmpty && lines.allSatisfy { $0["v"] as? Int == 1 })
    let verdicts = lines.filter { $0["verdict"] != nil }
    #expect(verdicts.map { $0["verdict"] as? String } == ["playable", "invalid", "inputMissing"])
    #expect(verdicts.map { $0["exit"] as? Int } == [0, 65, 66])
    #expect(verdicts.map { $0["warnings"] as? Int } == [2, 0, 0])
    #expect(verdicts[0]["duration"] as? Double == 60 && verdicts[0]["title"] as? String == "Covered")
    let problems = lines.filter { $0["problem"] != nil }
    #expect(problems.map { $0["file"] as? String } == [session, session, bad, scratch.path("nowhere.yaml")])
    #expect(problems.map { $0["line"] as? Int } == [6, 7, 1, 1])
    #expect(problems.map { $0["severity"] as? String } == ["warning", "warning", "error", "error"])
    #expect(
      problems.last?["problem"] as? String == "no such file" && problems.last?["fix"] as? String == "check the path")
    #expect(problems.contains { $0["fix"] as? String == "did you mean 'duration'?" })
    #expect(problems.map { $0["code"] as? String } == ["silentSound", "covered", "unknownKey", "fileNotFound"])
    let sounds = [scratch.path("silent.wav"), scratch.path("voice.wav"), nil, nil]
    #expect(problems.map { $0["sound"] as? String } == sounds)
  }
}

import Foundation
import TestSupport
import Testing

/// Scripts from the command line, on the virtual clock.
struct ScriptTests {
  static let session = """
    prosper: 1
    title: Scripted
    sampleRate: 8000
    crossfade: 10s
    stages:
      - {name: One, duration: 30s, tracks: ["generate:rain"]}
      - {name: Two, duration: 60s, tracks: ["generate:drone"], gongs: [{sound: "generate:bowl", at: 10s}]}
    """

  private func play(
    _ script: String, _ options: String..., name: String = "script.jsonl", session: String = Self.session
  ) async throws -> Prosper {
    try await play(script, options, name: name, session: session)
  }

  private func play(
    _ script: String, _ options: [String], name: String = "script.jsonl", session: String = Self.session
  ) async throws -> Prosper {
    let scratch = try Scratch()
    let session = try scratch.write("session.yaml", session)
    _ = try scratch.write(name, script)
    return try await Prosper.run(
      ["play", session, "-o", "null:fast", "--script", scratch.path(name)] + options, in: scratch)
  }

  static let pausedCrossfade = """
    {"at":"12.5s","do":"nextStage"}
    {"when":{"state":"crossfading","progress":0.47},"do":"pause"}
    {"after":"6m","do":"resume"}
    {"at":"30s","expect":{"state":"crossfadePaused","progress":0.47,"within":0.02}}
    {"at":"end","expect":{"state":"finished","event":"gong","count":1}}
    """

  @Test func `a crossfade paused for six minutes takes no session time, and the expectations hold`() async throws {
    let run = try await play(Self.pausedCrossfade)
    #expect(run.status == 0 && run.err.isEmpty)
    let commands = try run.outcomes()
    #expect(commands.map { $0["name"] as? String } == ["nextStage", "pause", "resume"])
    #expect(commands.map { $0["run"] as? Double } == [12.5, 17.2, 377.2])
    #expect(try await play(Self.pausedCrossfade).played == run.played)
  }

  @Test func `the overlays that play are a fact`() async throws {
    let session = """
      prosper: 1
      title: t
      sampleRate: 8000
      stages: [{name: A, duration: 20s, overlays: [{sound: "generate:bell", at: 5s}]}]
      """
    let script = """
      {"at": "4s", "expect": {"overlays": []}}
      {"at": "6s", "expect": {"overlays": ["bell"]}}
      {"when": {"overlays": "bell"}, "do": "pause"}
      {"after": "1s", "do": "resume"}
      {"when": {"overlays": []}, "expect": {"session": 13.1, "within": 0.02}}
      {"at": "end", "expect": {"event": "session.finished", "overlays": 1}}
      """
    let good = try await play(script, session: session)
    #expect(good.status == 0 && good.err.isEmpty, "\(good.err)")
    let bad = try await play(
      #"{"at": "6s", "expect": {"overlays": ["talk", "bell"]}}"# + "\n"
        + #"{"at": "1s", "expect": {"overlays": "bell"}}"#,
      session: session)
    #expect(bad.status == 1)
    #expect(
      bad.err.contains(":1:1: expected overlays 'bell, talk', found 'bell'")
        || bad.err.contains("expected overlays bell, talk, found bell"), "\(bad.err)")
    #expect(bad.err.contains("found none"), "\(bad.err)")
    let wrong = try await play(#"{"at": "6s", "expect": {"overlays": [3, {"a": 1}]}}"#, session: session)
    #expect(wrong.status == 65 && wrong.err.contains("write a list of titles"), "\(wrong.err)")
  }

  @Test func `a time between two frames is rounded to the nearest frame`() async throws {
    let run = try await play(
      """
      {"at":1.00003,"do":"pause"}
      {"at":2.00001,"do":"resume"}
      {"at":3.00001,"expect":{"state":"playing","session":2.02,"within":0.001}}
      """)
    #expect(run.status == 0 && run.err.isEmpty)
    let commands = try run.outcomes()
    #expect(commands.map { $0["run"] as? Double } == [1, 2])
  }

  /// The second stage begins at 30 s with a crossfade, and its gong is struck at 40 s.
  @Test(arguments: [[], ["--metrics-every", "5s"]])
  func `an expectation includes what the session plans for its time, and a command precedes it`(
    options: [String]
  ) async throws {
    let run = try await play(
      """
      {"at":30,"expect":{"state":"crossfading","stage":"Two","track":"drone","session":30,"within":0.0002}}
      {"at":39.999,"expect":{"event":"gong","count":0}}
      {"at":40,"expect":{"state":"playing","event":"gong","count":1}}
      {"at":45,"expect":{"state":"playing"}}
      {"at":45,"do":"pause"}
      {"after":0,"expect":{"state":"paused"}}
      {"at":55,"do":"resume"}
      {"at":"end","expect":{"state":"finished"}}
      """, options)
    #expect(run.status == 0, "\(run.err)")
    #expect(try run.outcomes().map { $0["run"] as? Double } == [45, 55])
  }

  @Test func `an expectation at the first frame of a stage holds also if a later line waits for it`() async throws {
    let run = try await play(
      """
      {"at":30,"expect":{"state":"crossfading","stage":"Two","session":30,"within":0.0002}}
      {"after":0,"expect":{"track":"drone"}}
      {"after":"10s","expect":{"state":"playing","session":40,"within":0.0002}}
      """)
    #expect(run.status == 0, "\(run.err)")
  }

  @Test func `a command that becomes due at the frame of another one is executed while a condition is watched`()
    async throws
  {
    let run = try await play(
      """
      {"at":1,"do":"volume","to":0.5}
      {"when":{"state":"crossfading"},"do":"pause"}
      {"at":2,"do":"gong","sound":"generate:bell"}
      {"after":0,"do":"nextStage"}
      """)
    let commands = try run.outcomes()
    #expect(commands.map { $0["name"] as? String } == ["volume", "gong", "nextStage", "pause"], "\(run.err)")
    #expect(commands.dropFirst().prefix(2).map { $0["run"] as? Double } == [2, 2])
  }

  @Test(arguments: [1, 2, 7])
  func `failed expectations are reported with their positions, and the exit code is 1`(jobs: Int) async throws {
    let run = try await play(
      """
      {"at":"5s","expect":{"state":"paused"}}
      {"at":"20s","expect":{"stage":"One","track":"drone"}}
      {"at":"3m","do":"next"}
      {"after":"1s","expect":{"state":"playing"}}
      {"at":"end","expect":{"event":"gong","count":2}}
      """, "--events", "off", "--jobs", "\(jobs)", "--piece-frames", "2000")
    #expect(run.status == 1)
    let expected = [
      "3:1: this command was never reached: the session ended at run ",
      "1:1: expected state paused, found playing (at run 5.000 s, session 5.000 s)",
      "2:1: expected track drone, found rain (at run 20.000 s, session 20.000 s)",
      "4:1: this expectation was never reached: the session ended at run ",
      "5:1: expected event gong 2 times, found 1 (at run ",
    ]
    let lines = Self.problems(run)
    #expect(lines.count == expected.count)
    for (line, words) in zip(lines, expected) { #expect(line.hasPrefix(words)) }
  }

  @Test func `a rejected command prints a warning, unless the script checks its outcome`() async throws {
    let run = try await play(
      """
      {"at":2,"do":"jump","track":7}
      {"after":0,"expect":{"outcome":"rejected"}}
      {"at":3,"do":"jump","track":8}
      {"at":4,"do":"gong"}
      {"after":0,"expect":{"outcome":"done"}}
      """)
    #expect(run.status == 0)
    #expect(
      Self.problems(run) == ["3:1: this command was rejected: there is no track 8: the stage's tracks are 0 to 0"])
  }

  @Test func `a session that its script leaves paused or open ends with the script, and says so`() async throws {
    let paused = try await play(#"{"at":12.5,"do":"pause"}"#)
    #expect(paused.status == 0)
    #expect(
      paused.err == "the session ended with its script, at session 12.520 s in stage 'One': the session was paused; "
        + "add a 'resume' or a 'stop'\n")
    let repeated = try await play(#"{"at":5,"do":"repeat","mode":"track"}"#, session: Self.unlimited)
    #expect(repeated.status == 0)
    #expect(
      repeated.err == "the session ended with its script, at session 5.000 s in stage 'One': nothing ends this stage; "
        + "add a 'nextStage' or a 'finish'\n")
    let finished = try await play(#"{"at":12.5,"do":"finish"}"#)
    #expect(finished.status == 0 && finished.err.isEmpty)
  }

  /// An open stage begins at 30 s. The metrics are requests without an end, too.
  @Test(arguments: [[], ["--metrics-every", "7s"]])
  func `an open stage that its script does not end is faded out where it begins`(options: [String]) async throws {
    let session = Self.session.replacing("duration: 60s", with: "duration: open")
    let run = try await play(#"{"at":2,"do":"gong"}"#, options, session: session)
    #expect(run.status == 0)
    #expect(
      run.err == "the session ended with its script, at session 30.000 s in stage 'Two': nothing ends this stage; "
        + "add a 'nextStage' or a 'finish'\n")
    let last = try #require(try run.events().last)
    #expect(last["reason"] as? String == "stopped" && last["played"] as? Double == 33)
  }

  @Test func `the text says that paused music is resumed only if it is`() async throws {
    let script = #"{"at":3,"do":"music","op":"pause"}"# + "\n"
    let finished = try await play(script + #"{"at":10,"do":"finish"}"#, "--events", "text")
    #expect(finished.out.contains("0:03    paused\n") && !finished.out.contains("resumed"))
    let resumed = try await play(script + #"{"at":10,"do":"music","op":"resume"}"#, "--events", "text")
    #expect(resumed.out.contains("0:03    paused\n") && resumed.out.contains("0:10    resumed\n"))
  }

  private static let unlimited = """
    prosper: 1
    sampleRate: 8000
    title: Unlimited
    stages: [{name: One, tracks: [{sound: "generate:rain", end: 30s}]}]
    """

  /// The problems of the script, without its name.
  private static func problems(_ run: Prosper) -> [String] {
    run.err.split(separator: "\n").map { String($0.replacing(#/^.*script.jsonl:/#, with: "")) }
  }

  @Test func `a script with errors plays nothing`() async throws {
    let run = try await play("{\"at\":1,\"do\":\"nxet\"}\n{\"at\":2,\"expect\":{\"sate\":\"playing\"}}")
    #expect(run.status == 65 && run.out.isEmpty)
    #expect(
      Self.problems(run) == [
        "1:14: error: there is no command 'nxet'; did you mean 'next'?",
        "2:19: error: unknown key 'sate'; did you mean 'state'?",
      ])
  }

  @Test func `a missing script, or a missing sound in a script, gives exit code 66`() async throws {
    let run = try await play(#"{"at":1,"do":"gong","sound":"nowhere.flac"}"#)
    #expect(run.status == 66 && run.out.isEmpty && run.err.contains("nowhere.flac': no such file"))
    let scratch = try Scratch()
    let session = try scratch.write("session.yaml", Self.session)
    let none = try await Prosper.run(["play", session, "-o", "null:fast", "--script", "none.jsonl"], in: scratch)
    #expect(none.status == 66 && none.err == "prosper: none.jsonl: no such file; check the path\n")
  }

  @Test func `the sounds of a script are found beside it`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("session.yaml", Self.session)
    let sound = try await Prosper.run(
      ["sounds", "--play", "wood", "-o", scratch.path("beside.wav"), "--events", "off"], in: scratch)
    #expect(sound.status == 0)
    let script = try scratch.write("s.yaml", "- {at: 5s, do: gong, sound: beside.wav}\n")
    let run = try await Prosper.run(["play", session, "-o", "null:fast", "--script", script], in: scratch)
    let gongs = try run.events().filter { $0["event"] as? String == "gong" }
    #expect(run.status == 0 && gongs.first?["title"] as? String == "beside.wav")
  }

  /// The times of all `metrics` events but the one that ends every run.
  private static func intervals(_ run: Prosper) throws -> [Double] {
    try run.events().filter { $0["event"] as? String == "metrics" }.dropLast().compactMap { $0["run"] as? Double }
  }

  @Test func `metrics are reported at regular intervals`() async throws {
    let run = try await play(#"{"at":5,"do":"pause"}"# + "\n" + #"{"at":25,"do":"resume"}"#, "--metrics-every", "10s")
    #expect(try run.status == 0 && Self.intervals(run) == [30, 40, 50, 60, 70, 80, 90, 100])
    let text = try await play(#"{"at":5,"do":"next"}"#, "--metrics-every", "10s", "--events", "text")
    #expect(text.out.contains("0:10    metrics: 1 operation, 0 failed, 0 cancelled, 0 waiting, 95 % took at most 0.0"))
    let music = try await play(
      #"{"at":5,"do":"music","op":"pause"}"# + "\n" + #"{"at":15,"do":"pause"}"# + "\n" + #"{"at":35,"do":"resume"}"#,
      "--metrics-every", "10s")
    // A pause of the music is no pause.
    #expect(try music.status == 0 && Self.intervals(music) == [10, 40, 50, 60, 70, 80, 90, 100])
    // Multiples of a tenth are rounded, and so are their quotients.
    let short = try await play(#"{"at":12.9,"do":"stop"}"#, "--metrics-every", "0.1s")
    #expect(try short.status == 0 && Self.intervals(short).map { Int(($0 * 10).rounded()) } == Array(1...129))
    for every in ["soon", "0", "1e300"] {
      let bad = try await play(Self.pausedCrossfade, "--metrics-every", every)
      #expect(bad.status == 64 && bad.err.contains("--metrics-every '\(every)' is not a duration from 10 ms to 168 h"))
    }
  }

  @Test func `the expectations of the example script hold`() async throws {
    let folder = Prosper.root.appendingPathComponent("sessions").path
    let run = try await Prosper.run([
      "play", folder + "/three-stages.json", "-o", "null:fast", "--script", folder + "/three-stages.script.jsonl",
      "--events", "off",
    ])
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
  }
}

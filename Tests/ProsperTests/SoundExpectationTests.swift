import Foundation
import Signal
import TestSupport
import Testing

/// What a script expects of the sound of a render.
struct SoundExpectationTests {
  /// Ten seconds of a tone of −23 dBFS as music, the same as an overlay from 5 s to 7 s, and silence from 10 s to 14 s.
  private static func session(in scratch: Scratch) throws -> String {
    for (name, seconds) in [("music.wav", 10), ("voice.wav", 2)] {
      let sine = TestSound.sine(1_000, rate: 48_000, count: seconds * 48_000, amplitude: pow(10, -23.0 / 20))
      try Data(TestWave.float(sine.flatMap { [$0.left, $0.right] }, channels: 2, rate: 48_000))
        .write(to: URL(fileURLWithPath: scratch.path(name)))
    }
    return try scratch.write(
      "s.yaml",
      """
      prosper: 1
      title: t
      volume: 0.5
      sampleRate: 48000
      stages:
        - {name: A, duration: 10s, tracks: [music.wav], overlays: [{sound: voice.wav, at: 5s, duck: {by: -20dB, attack: 0}}]}
        - {name: B, duration: 4s}
      """)
  }

  private static func play(_ lines: [String], _ options: [String] = []) async throws -> Prosper {
    let scratch = try Scratch()
    let session = try session(in: scratch)
    let script = try scratch.write("x.jsonl", lines.joined(separator: "\n"))
    let output = options.isEmpty ? ["-o", "null:fast"] : options
    return try await Prosper.run(["play", session, "--script", script, "--events", "off"] + output, in: scratch)
  }

  @Test func `levels of spans, layers and the whole output are compared with what is expected`() async throws {
    let run = try await Self.play([
      // The master volume of 0.5 is -6.02 dB: the output has it, the layers don't.
      #"{"from": "1s", "to": "4s", "expect": {"loudness": -29, "within": 0.05}}"#,
      #"{"from": "1s", "to": "4s", "layer": "music", "expect": {"loudness": -23, "within": 0.05, "peak": -23}}"#,
      #"{"from": "5s", "to": "7s", "expect": {"layer": "overlays", "loudness": {"min": -23.1, "max": -22.9}}}"#,
      // Lowered by 20 dB.
      #"{"from": "5s", "to": "7s", "layer": "music", "expect": {"rms": {"max": -45}, "truePeak": {"max": -42}}}"#,
      #"{"from": "0s", "layer": "gongs", "expect": {"peak": {"max": -100}}}"#,
      #"{"at": "end", "expect": {"length": 14, "silence": 4, "clipped": 0}}"#,
      #"{"at": "2s", "expect": {"stage": "A"}}"#,
    ])
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
  }

  @Test(arguments: [["--loudness", "-16", "--true-peak", "-3"], ["--for", "podcast-mono"]])
  func `the sound of a levelled file is that of the file`(options: [String]) async throws {
    let scratch = try Scratch()
    // The music has -29 LUFS; in the mono file each channel has half of its amplitude, and it is measured as one channel.
    let level = options[0] == "--for" ? -19 : -16
    let lines = [
      #"{"at": "end", "expect": {"loudness": {"min": \#(Double(level) - 0.15), "max": \#(Double(level) + 0.15)}, "length": 17}}"#,
      #"{"at": "end", "expect": {"truePeak": {"max": -1}}}"#,
      // The lead-in of 3 s is in the file, but not in session time.
      #"{"from": "10s", "to": "14s", "expect": {"peak": {"max": -100}, "silence": 4}}"#,
      #"{"from": "3s", "to": "4.5s", "expect": {"loudness": {"min": \#(level - 8), "max": \#(level + 8)}}}"#,
      // Layers are measured as they were mixed.
      #"{"from": "3s", "to": "4.5s", "layer": "music", "expect": {"loudness": -23, "within": 0.05}}"#,
    ]
    let script = try scratch.write("x.jsonl", lines.joined(separator: "\n"))
    let file = scratch.path("a.flac")
    let run = try await Prosper.run(
      ["play", try Self.session(in: scratch), "--script", script, "-o", file, "-q", "--lead-in", "3s"] + options,
      in: scratch)
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
  }

  @Test func `a failure says what was expected, what came, where it was nearest, and the line`() async throws {
    let run = try await Self.play([
      #"{"from": "1s", "to": "4s", "expect": {"loudness": {"min": -20, "max": -14}}}"#,
      #"{"from": "8s", "expect": {"silence": {"max": 2}}}"#,
      #"{"at": "end", "expect": {"length": {"max": 12}, "peak": {"max": -30}, "clipped": {"min": 1}}}"#,
      #"{"at": "2s", "expect": {"stage": "B"}}"#,
    ])
    let lines = run.err.split(separator: "\n").map { $0.split(separator: "x.jsonl:").last.map(String.init) ?? "" }
    #expect(run.status == 1)
    #expect(
      lines == [
        "4:1: expected stage B, found A (at run 2.000 s, session 2.000 s)",
        "1:1: expected loudness from -20.0 to -14.0 LUFS, found -29.0 LUFS, nearest -29.0 LUFS at 0:01.5 "
          + "(from 0:01 to 0:04)",
        "2:1: expected silence up to 2 s, found 4 s, from 0:10 (from 0:08 to the end)",
        "3:1: expected peak up to -30.0 dBFS, found -28.2 dBFS, at 0:05 (the whole output)",
        "3:1: expected clipped from 1, found 0 (the whole output)",
        "3:1: expected length up to 12 s, found 14 s (the whole output)",
      ], "\(run.err)")
  }

  @Test(arguments: [
    (#"{"from": "10s", "to": "5s", "expect": {"loudness": -20}}"#, "1:23: error: 'to' is not after 'from'"),
    (#"{"at": "3s", "expect": {"loudness": -20}}"#, "1:8: error: the sound is measured over a span"),
    (#"{"from": "1s", "expect": {"length": 3}}"#, "1:27: error: 'length' is that of the whole output"),
    (#"{"from": "1s", "layer": "voice", "expect": {"rms": 3}}"#, "1:25: error: 'layer' is 'voice'"),
    (#"{"from": "1s", "expect": {"loudnes": 3}}"#, "1:27: error: unknown key 'loudnes'; did you mean 'loudness'?"),
    (#"{"from": "1s", "expect": {"rms": {"min": 3, "max": 1}}}"#, "1:34: error: 'min' is above 'max'"),
    (#"{"from": "1s", "expect": {"rms": {}}}"#, "1:34: error: 'rms' has neither 'min' nor 'max'"),
    (#"{"from": "1s", "expect": {}}"#, "1:16: error: 'expect' has no condition"),
    (#"{"at": "end", "expect": {"clipped": {"min": 1e300}}}"#, "1:45: error: 'min' is 1e300; write a whole number"),
    (#"{"at": "end", "expect": {"clipped": 0.5}}"#, "1:37: error: 'clipped' is 0.5; write a whole number"),
    (#"{"layer": "music", "expect": {"rms": 1}}"#, "1:1: error: a line about the sound has no span"),
  ])
  func `a mistake in a line about the sound is reported with its position`(line: String, words: String) async throws {
    let run = try await Self.play([line])
    #expect(run.status == 65 && run.err.contains("x.jsonl:" + words), "\(run.err)")
  }

  @Test func `titles that no sound has and spans after the end are warned of, and the nearest value is a full window`()
    async throws
  {
    let run = try await Self.play([
      #"{"at": "6s", "expect": {"overlays": ["voice.wav"]}}"#, #"{"at": "1s", "expect": {"overlays": ["voise.wav"]}}"#,
      #"{"at": "1s", "expect": {"event": "track", "title": "other", "count": 0}}"#,
      #"{"from": "20s", "expect": {"peak": {"max": 0}}}"#,
      // Half of the first window of 0.4 s would be softer than the tone ever is.
      #"{"from": "0s", "to": "3s", "expect": {"loudness": {"max": -35}}}"#,
    ])
    let lines = run.err.split(separator: "\n").map { $0.split(separator: "x.jsonl:").last.map(String.init) ?? "" }
    #expect(
      lines.contains(
        "2:1: warning: no sound of the session or the script has the title 'voise.wav'; did you mean 'voice.wav'?")
    )
    #expect(
      lines.contains(
        "4:1: warning: the span begins after the session, which ends at 14.000 s; choose an earlier 'from'"))
    #expect(
      lines.contains { $0.hasPrefix("5:1: ") && $0.contains("found -29.0 LUFS, nearest -29.0 LUFS") }, "\(run.err)")
    #expect(lines.contains("4:1: the span was not played (from 0:20 to the end)"), "\(run.err)")
    #expect(lines.count == 5 && run.status == 1, "\(run.err)")
  }

  @Test func `live output refuses such a script, and measuring changes no sample`() async throws {
    let line = #"{"at": "end", "expect": {"clipped": 0}}"#
    let live = try await Self.play([line], ["-o", "null"])
    #expect(live.status == 64 && live.err.contains("only a render can check"), "\(live.err)")
    let scratch = try Scratch()
    let session = try Self.session(in: scratch)
    let script = try scratch.write("x.jsonl", line)
    let files = ["a.wav", "b.wav"].map { scratch.path($0) }
    _ = try await Prosper.run(["play", session, "-o", files[0]], in: scratch)
    let measured = try await Prosper.run(["play", session, "-o", files[1], "--script", script], in: scratch)
    #expect(measured.status == 0, "\(measured.err)")
    let bytes = try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    #expect(bytes[0] == bytes[1])
  }

  @Test func `what an event has as a member is that of the event, and not of the player at the end`() async throws {
    let own = try await Self.play([
      #"{"at": "4s", "do": "pause"}"#, #"{"after": "1s", "do": "resume"}"#,
      #"{"at": "end", "expect": {"event": "command", "outcome": "done", "count": 2}}"#,
      #"{"at": "end", "expect": {"event": "command", "outcome": "rejected", "count": 0}}"#,
      #"{"at": "end", "expect": {"event": "command", "name": "pause", "outcome": "done", "count": 1}}"#,
      #"{"at": "end", "expect": {"event": "stage.started", "index": 1, "stage": "B", "count": 1}}"#,
      #"{"at": "end", "expect": {"event": "state", "state": "paused", "stage": "A", "count": 1}}"#,
      #"{"at": "end", "expect": {"event": "track.skipped", "state": "finished", "count": 0}}"#,
      #"{"at": "end", "expect": {"event": "session.started", "title": "t"}}"#,
    ])
    #expect(own.status == 0 && own.err.isEmpty, "\(own.err)")
  }

  @Test func `members of events, ranges of counts, counts since a line, and no track can be expected`() async throws {
    let scratch = try Scratch()
    let right = try await Self.play([
      #"{"at": "3s", "do": "pause"}"#,
      #"{"after": "0s", "expect": {"event": "state", "previous": "playing", "since": "line"}}"#,
      #"{"after": "1s", "do": "resume"}"#,
      #"{"at": "14s", "expect": {"track": null, "event": "state", "atLeast": 2, "atMost": 9}}"#,
      #"{"at": "end", "expect": {"event": "session.finished", "reason": "completed", "tracks": 1}}"#,
      #"{"at": "end", "expect": {"event": "error", "code": "loadFailed", "atMost": 0}}"#,
    ])
    #expect(right.status == 0 && right.err.isEmpty, "\(right.err)")
    let wrong = try await Self.play([
      #"{"at": "3s", "expect": {"track": null}}"#,
      #"{"at": "end", "expect": {"event": "session.finished", "reason": "stopped"}}"#,
      #"{"at": "end", "expect": {"event": "track", "atLeast": 2}}"#,
    ])
    let found = wrong.err.split(separator: "\n").map { $0.split(separator: "x.jsonl:").last.map(String.init) ?? "" }
    #expect(wrong.status == 1 && found.count == 3)
    #expect(found.first?.hasPrefix("1:1: expected no track, found music") == true, "\(wrong.err)")
    #expect(
      found.dropFirst().first?.hasPrefix(
        "2:1: expected event session.finished with reason 'stopped' at least once, found 0") == true, "\(wrong.err)")
    #expect(found.last?.hasPrefix("3:1: expected event track at least 2 times, found 1") == true, "\(wrong.err)")
    let report = try scratch.write("r.html", "")
    let loudness = #"{"at": "end", "expect": {"event": "session.finished", "loudness": -27, "within": "#
    let levels = try await Self.play([loudness + "2}}", loudness + "0.1}}"], ["-o", "null:fast", "--report", report])
    #expect(
      levels.status == 1 && levels.err.contains("x.jsonl:2:1: expected event session.finished with loudness -27 "))
    #expect(levels.err.contains("found 0, but session.finished with loudness -2"), "\(levels.err)")
    let both = try await Self.play([#"{"at": "end", "expect": {"event": "track", "count": 1, "atMost": 3}}"#])
    #expect(both.status == 65 && both.err.contains("'count' and a range of it can't be combined"), "\(both.err)")
  }
}

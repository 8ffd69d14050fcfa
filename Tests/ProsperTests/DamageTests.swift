import Foundation
import TestSupport
import Testing

/// Damage is reported in one line, once, and a session loses no more than the damaged part.
@Suite struct DamageTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  /// Makes a file from the first bytes of a built-in sound in a format.
  private func make(_ sound: String, _ name: String, first count: (Int) -> Int) async throws {
    let whole = "whole." + name.split(separator: ".")[1]
    let made = try await Prosper.run(["sounds", "--play", sound, "-o", scratch.path(whole)], in: scratch)
    #expect(made.status == 0)
    let data = try Data(contentsOf: URL(fileURLWithPath: scratch.path(whole)))
    try data.prefix(count(data.count)).write(to: URL(fileURLWithPath: scratch.path(name)))
  }

  private func session(_ stages: String...) throws -> String {
    try scratch.write(
      "s.json", "{\"prosper\": 1, \"title\": \"T\", \"stages\": [\(stages.joined(separator: ",\n"))]}")
  }

  private func play(_ session: String, _ flags: String..., output: String = "null:fast") async throws -> Prosper {
    try await Prosper.run(["play", session, "-o", output] + flags, in: scratch)
  }

  @Test(arguments: [60, 400, 500, 1_000])
  func `a truncated MP3 file is reported in one line with its name, the cause and a fix`(size: Int) async throws {
    try await make("bell", "torn.mp3") { _ in size }
    let run = try await play(session(#"{"name": "A", "tracks": ["torn.mp3"]}"#))
    #expect(run.status == 66)
    #expect(run.err.split(separator: "\n").count == 1, "\(run.err)")
    #expect(run.err.contains("torn.mp3: is damaged at 0.00 s: ") && run.err.contains("; replace it"), "\(run.err)")
  }

  @Test func `an Ogg file that has lost its end is reported by check and by play`() async throws {
    try await make("rain", "hole.ogg") { $0 }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.path("hole.ogg")))
    for index in bytes.count - 100..<bytes.count - 50 { bytes[index] ^= 0x55 }
    try bytes.write(to: URL(fileURLWithPath: scratch.path("hole.ogg")))
    let file = try session(#"{"name": "A", "tracks": ["hole.ogg"]}"#)
    let strict = try await play(file, "--strict")
    let lenient = try await play(file, "--lenient")
    let check = try await Prosper.run(["check", file], in: scratch)
    #expect(strict.status == 65 && lenient.status == 0 && check.status == 65)
    #expect(strict.err == lenient.err && strict.err.contains("hole.ogg: is damaged at "))
    #expect(check.lines.count == 1 && check.out.contains("hole.ogg: is damaged at "))
  }

  @Test func `the text names each pass of a track, and each damaged place of a sound once`() async throws {
    try await make("bell", "cut.wav") { $0 / 2 }
    let file = try session(#"{"name": "A", "duration": 20, "tracks": ["cut.wav", {"generate": "wood"}]}"#)
    let run = try await play(file, "--events", "text", "--lenient")
    let told = run.lines.compactMap { line -> String? in
      line.firstMatch(of: /♪ (.*)/).map { String($0.1) } ?? (line.contains("is damaged at ") ? "damage" : nil)
    }
    #expect(told.prefix(5) == ["cut.wav", "damage", "wood", "cut.wav", "wood"], "\(run.out)")
    #expect(told.count { $0 == "damage" } == 1 && run.lines.last?.contains(" damaged sources") == true)
    let events = try await play(file, "--events", "jsonl", "--lenient").events()
    #expect(events.count { $0["event"] as? String == "track" } == told.count - 1)
    #expect(1 < events.count { $0["event"] as? String == "error" })
  }

  @Test func `a track that is left out is reported in its stage and at its turn, each time`() async throws {
    for name in ["no.wav", "nor.wav"] { _ = try scratch.write(name, "no sound at all") }
    let file = try session(
      #"{"name": "A", "duration": 3, "tracks": ["generate:rain"]}"#,
      #"{"name": "B", "crossfade": 0, "tracks": [{"generate": "bell"}, "no.wav", {"generate": "bell"}, "nor.wav"]}"#,
      #"{"name": "C", "duration": 2, "crossfade": 0, "tracks": ["no.wav"]}"#)
    let run = try await play(file, "--events", "jsonl")
    let told = run.lines.compactMap { line -> String? in
      guard let event = try? JSONDecoder().decode(Told.self, from: Data(line.utf8)) else { return nil }
      let isTold = ["stage.started", "track", "track.skipped", "error"].contains(event.event)
      return isTold ? "\(event.event) \(event.title ?? "") in \(event.stage ?? "")" : nil
    }
    #expect(
      told == [
        "stage.started  in A", "track rain in A", "stage.started  in B", "track bell in B",
        "track.skipped no.wav in B", "error  in B", "track bell in B", "track.skipped nor.wav in B", "error  in B",
        "stage.started  in C", "track.skipped no.wav in C", "error  in C",
      ])
  }

  private struct Told: Decodable {
    var event: String
    var title: String?
    var stage: String?
  }

  static let unplayable = [
    #"{"name": "Bad", "tracks": ["garbage.wav"]}"#, #"{"name": "Bad", "tracks": [{"file": "cut.ogg"}]}"#,
    #"{"name": "Bad", "tracks": [{"file": "whole.ogg", "start": "10m"}]}"#,
  ]

  @Test(arguments: unplayable, [true, false])
  func `a stage without any playable sound is left out and reported`(stage: String, isFirst: Bool) async throws {
    _ = try scratch.write("garbage.wav", String(repeating: "no sound at all ", count: 300))
    try await make("bell", "cut.ogg") { _ in 5_000 }
    let good = #"{"name": "Good", "duration": 2, "tracks": ["generate:rain"]}"#
    let file = try session(isFirst ? stage : good, isFirst ? good : stage)
    let lenient = try await play(file, "--lenient")
    let strict = try await play(file, "--strict")
    #expect(lenient.status == 0 && strict.status == 65, "\(lenient.err)")
    let events = try lenient.events()
    #expect(events.compactMap { $0["event"] as? String == "stage.started" ? $0["name"] as? String : nil } == ["Good"])
    #expect(events.filter { $0["event"] as? String == "track.skipped" }.count == 1)
    #expect(events.last?["reason"] as? String == "completed" && events.last?["played"] as? Double == 2)
    let lines = lenient.err.split(separator: "\n")
    #expect(lines.count == 2 && lines.contains { $0.contains("warning: the stage 'Bad' is left out") }, "\(lines)")
  }

  @Test func `a session is refused if nothing but its gongs can be played`() async throws {
    _ = try scratch.write("garbage.wav", String(repeating: "no sound at all ", count: 300))
    let file = try scratch.write(
      "s.json",
      #"{"prosper": 1, "title": "T", "stages": [{"name": "A", "tracks": ["garbage.wav"]}], "#
        + #""gongs": [{"sound": "generate:bowl", "at": "start"}]}"#)
    let run = try await play(file, "--lenient")
    #expect(run.status == 66 && run.out.isEmpty && run.err.split(separator: "\n").count == 1, "\(run.err)")
  }

  @Test(arguments: [1, 2, 7])
  func `damage in a repeated sound is reported once`(jobs: Int) async throws {
    try await make("bell", "half.flac") { $0 / 2 }
    let file = try session(
      #"{"name": "A", "duration": "2m", "repeat": "track", "tracks": ["half.flac"]}"#,
      #"{"name": "B", "tracks": ["half.flac"]}"#)
    let run = try await play(file, "--jobs", "\(jobs)", "--piece-frames", "20000")
    #expect(run.status == 65)
    #expect(1 < (try run.events().filter { $0["code"] as? String == "damaged" }.count))
    #expect(run.err.split(separator: "\n").count == 1 && run.err.contains("half.flac: is damaged at "), "\(run.err)")
  }

  static let printingCommands = [
    ["play", "s.json", "-o", "null:fast"], ["show", "s.json"], ["show", "s.json", "--json"], ["check", "bad.json"],
    ["sounds"], ["--version"], ["play", "--help"], ["help", "ctl"], ["metrics", "--drill"],
  ]

  @Test(arguments: printingCommands)
  func `text that can't be written to a full disk is reported, and the exit code is 74`(words: [String]) async throws {
    _ = try session(#"{"name": "A", "duration": 1, "tracks": ["generate:rain"]}"#)
    _ = try scratch.write("bad.json", "{}")
    let run = try await redirected(words, "> /dev/full")
    #expect(run.status == 74)
    #expect(run.err == "prosper: stdout can't be written: no space left on device; free some space, or redirect it\n")
  }

  @Test(arguments: printingCommands.prefix(3))
  func `a reader that has closed its end of the pipe is not an error`(words: [String]) async throws {
    _ = try session(#"{"name": "A", "duration": 1, "tracks": ["generate:rain"]}"#)
    let run = try await redirected(words, "| :; exit ${PIPESTATUS[0]}")
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
  }

  private func redirected(_ words: [String], _ redirection: String) async throws -> Prosper {
    let folder = scratch.path("")
    return try await Prosper.run(
      [Prosper.executable.path] + words, in: scratch,
      program: ["/bin/bash", "-c", "cd \(folder); \"$0\" \"$@\" \(redirection)"])
  }
}

import Foundation
import TestSupport
import Testing

/// A render has the same bytes and events for any number of decoding threads and any length of their pieces.
@Suite struct JobsTests {
  private let scratch: Scratch
  init() throws { scratch = try Scratch() }

  /// The number of jobs, and the most frames of a piece: from a tenth of a second to a quarter of the ring, the limit.
  static let variants = [(1, 262_144), (2, 4_410), (3, 20_000), (7, 100_000_000)]

  private struct Render: Equatable {
    var sound: Data
    var events: String
    var errors: String
    var status: Int32
  }

  private func render(_ session: String, _ flags: [String], jobs: Int, piece: Int) async throws -> Render {
    let path = scratch.path("\(jobs)-\(piece).wav")
    let run = try await Prosper.run(
      ["play", session, "-o", path, "--events", "jsonl", "--jobs", "\(jobs)", "--piece-frames", "\(piece)"] + flags,
      in: scratch)
    let sound = (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()
    try? FileManager.default.removeItem(atPath: path)
    return Render(sound: sound, events: run.out, errors: run.err, status: run.status)
  }

  /// Expects that all variants give the same result, and returns it.
  private func same(_ session: String, _ flags: String...) async throws -> Render {
    let first = try await render(session, flags, jobs: 1, piece: 262_144)
    for (jobs, piece) in Self.variants.dropFirst() {
      let other = try await render(session, flags, jobs: jobs, piece: piece)
      let isSameSound = other.sound == first.sound
      #expect(isSameSound && other.events == first.events, "--jobs \(jobs) --piece-frames \(piece)")
      #expect(other.errors == first.errors && other.status == first.status, "\(jobs) jobs: \(other.errors)")
    }
    return first
  }

  @Test(arguments: ["first-sit.yaml", "three-stages.json", "zazen.json", "body-scan.yaml", "sleep.yaml"])
  func `an example session is the same with any number of jobs`(name: String) async throws {
    let path = Prosper.root.appendingPathComponent("sessions/\(name)").path
    let made = try await same(path, "--from", "-40s")
    #expect(made.status == 0 && 1_000_000 < made.sound.count)
  }

  /// In the silence between the strikes, a branch equals the end of the previous piece even if it would round the next
  /// strike in another way.
  @Test(arguments: [22_050, 44_100])
  func `an MP3 file with digital silence is the same with any number of jobs`(rate: Int) async throws {
    let strikes = try scratch.write(
      "strikes.yaml",
      """
      prosper: 1
      title: Strikes
      sampleRate: \(rate)
      stages: [{name: One, duration: 60s, gongs: [{sound: {generate: bell, end: 300ms}, every: 1700ms}]}]
      """)
    let made = try await Prosper.run(["play", strikes, "-o", scratch.path("strikes.mp3")], in: scratch)
    #expect(made.status == 0, "\(made.err)")
    let session = try scratch.write(
      "played.yaml",
      """
      prosper: 1
      title: Played
      sampleRate: \(rate)
      stages: [{name: One, tracks: [strikes.mp3]}]
      """)
    let played = try await same(session, "--encoding", "f32")
    #expect(played.status == 0 && 10_000_000 < played.sound.count)
  }

  /// libsndfile can't write FLAC at this rate, so the render shows that prosper uses libFLAC itself.
  @Test func `a FLAC file at an unusual rate is the same with any number of jobs`() async throws {
    let session = try scratch.write(
      "odd.yaml",
      """
      prosper: 1
      title: Odd
      sampleRate: 88201
      stages: [{name: One, duration: 6s, tracks: ["generate:rain"]}]
      """)
    var files: [Data] = []
    for jobs in [1, 2, 3, 7] {
      let path = scratch.path("\(jobs).flac")
      let run = try await Prosper.run(
        ["play", session, "-o", path, "--jobs", "\(jobs)", "--events", "off"], in: scratch)
      #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
      files.append(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    #expect(Set(files).count == 1 && 1_000_000 < files[0].count)
  }

  /// A longer run: `PROSPER_TEST_SESSIONS=500 scripts/test --filter JobsTests`.
  private static let sessions = number("PROSPER_TEST_SESSIONS") ?? 6
  /// The seed of the first session, to repeat one that failed: `PROSPER_TEST_SEED=248`.
  private static let firstSeed = number("PROSPER_TEST_SEED") ?? 1

  private static func number(_ variable: String) -> Int? {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
  }

  @Test func `random sessions with random scripts are the same with any number of jobs`() async throws {
    try await makeSounds()
    var played = 0
    for seed in Self.firstSeed..<Self.firstSeed + Self.sessions {
      let random = RandomRender(seed: UInt64(seed))
      let session = try scratch.write("random.json", random.session)
      let flags = try random.flags + ["--script", scratch.write("random.jsonl", random.script)]
      var first: Render?
      for way in random.ways {
        let made = try await render(session, flags, jobs: way.jobs, piece: way.piece)
        let isSame = first == nil || made == first
        #expect(isSame, "seed \(seed), \(way): \(Self.difference(first, made))\n\(random.session)\n\(random.script)")
        first = first ?? made
      }
      if let first, 100_000 < first.sound.count { played += 1 }
    }
    #expect(Self.sessions / 2 < played)
  }

  private static func difference(_ first: Render?, _ other: Render) -> String {
    guard let first, first.events == other.events, first.errors == other.errors else {
      let lines = zip((first?.events ?? "").split(separator: "\n"), other.events.split(separator: "\n"))
      let differing = lines.first { $0 != $1 }.map { "\($0)\n\($1)" }
      return "\(differing ?? "other events") \(first?.errors ?? "")|\(other.errors)"
    }
    let byte = zip(first.sound, other.sound).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    return "\(first.status), \(first.sound.count) bytes; \(other.status), \(other.sound.count); byte \(byte ?? -1)"
  }

  /// Makes the sounds of `RandomRender`.
  private func makeSounds() async throws {
    for ending in ["wav", "flac", "ogg", "mp3", "opus", "caf"] {
      let made = try await Prosper.run(
        ["play", bedSession(rate: 44_100, length: 14), "-o", scratch.path("a.\(ending)")], in: scratch)
      #expect(made.status == 0, "\(made.err)")
      guard ["flac", "mp3", "ogg"].contains(ending) else { continue }
      var bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.path("a.\(ending)")))
      for index in bytes.count / 2..<bytes.count / 2 + 900 { bytes[index] = UInt8(truncatingIfNeeded: index &* 37) }
      try bytes.write(to: URL(fileURLWithPath: scratch.path("cut.\(ending)")))
    }
    let high = try await Prosper.run(
      ["play", bedSession(rate: 48_000, length: 14), "-o", scratch.path("high.flac")], in: scratch)
    #expect(high.status == 0, "\(high.err)")
    _ = try scratch.write("not.wav", String(repeating: "no sound at all ", count: 300))
  }

  private func bedSession(rate: Int, length: Int = 14) throws -> String {
    try scratch.write(
      "bed.json",
      """
      {"prosper": 1, "title": "Bed", "sampleRate": \(rate), "stages": [
        {"name": "A", "duration": \(length), "tracks": ["generate:rain"],
         "gongs": [{"sound": "generate:bowl", "at": [0, 3.7, \(length - 11)]}]}]}
      """)
  }

  private func bed(_ ending: String) async throws -> String {
    let made = try await Prosper.run(
      ["play", bedSession(rate: 44_100), "-o", scratch.path("bed" + ending)], in: scratch)
    #expect(made.status == 0, "\(made.err)")
    return "bed" + ending
  }

  private func session(of bed: String, rate: Int) throws -> String {
    try scratch.write(
      "s.json",
      """
      {"prosper": 1, "title": "T", "sampleRate": \(rate), "fadeOut": 2, "crossfade": {"duration": 3},
       "stages": [
        {"name": "One", "tracks": ["\(bed)", {"file": "\(bed)", "start": 3.3, "end": 13}],
         "overlays": [{"sound": "\(bed)", "at": 2, "volume": "-9dB", "duck": {"by": "-12dB"}}]},
        {"name": "Two", "duration": 10, "tracks": [{"file": "\(bed)", "start": 2}],
         "gongs": [{"sound": "generate:bell", "at": [0, 4, 9]}]}]}
      """)
  }

  /// The endings of sounds at 44,100 Hz, and the rates of the sessions that play them.
  private static let formats =
    [".wav", ".flac", ".ogg", ".mp3", ".opus"].flatMap { [($0, 44_100), ($0, 48_000)] }
    + [(".aiff", 44_100), (".caf", 44_100)]

  @Test(arguments: formats)
  func `every format is the same with any number of jobs`(ending: String, rate: Int) async throws {
    let made = try await same(session(of: bed(ending), rate: rate))
    #expect(made.status == 0 && made.errors.isEmpty)
  }

  @Test(arguments: [".flac", ".ogg", ".mp3", ".opus"])
  func `damage is reported in the same way with any number of jobs`(ending: String) async throws {
    let name = try await bed(ending)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.path(name)))
    for index in bytes.count / 2..<bytes.count / 2 + 3_000 { bytes[index] = UInt8(truncatingIfNeeded: index &* 37) }
    try bytes.write(to: URL(fileURLWithPath: scratch.path(name)))
    let made = try await same(session(of: name, rate: 44_100))
    #expect(made.status == 65 && made.errors.contains("is damaged at"), "\(made.errors)")
  }

  @Test func `damage of several sounds is listed in the order in which it is heard`() async throws {
    try await makeSounds()
    let session = try scratch.write(
      "two.json",
      """
      {"prosper": 1, "title": "T", "sampleRate": 44100, "stages": [
        {"name": "A", "tracks": ["cut.mp3"], "overlays": [{"sound": "cut.flac", "at": 0.5, "volume": 0.5}]}]}
      """)
    let errors = try await same(session).errors
    let isOverlay = errors.split(separator: "\n").map { $0.contains("cut.flac: is damaged at 7.") }
    #expect(isOverlay == [true, false], "\(errors)")
  }

  @Test func `a script is the same with any number of jobs`() async throws {
    let script = try scratch.write(
      "s.jsonl",
      """
      {"at": 2, "do": "pause"}
      {"after": 3, "do": "resume"}
      {"when": {"state": "crossfading"}, "do": "seek", "by": -4}
      {"after": 6, "do": "next"}
      {"after": 2, "do": "volume", "to": 0.3, "over": 2}
      {"after": 1, "do": "gong", "sound": "generate:bell"}
      {"after": 3, "do": "finish", "fade": 1}
      {"at": "end", "expect": {"state": "finished"}}
      """)
    let made = try await same(session(of: bed(".flac"), rate: 44_100), "--script", script)
    #expect(made.status == 0, "\(made.errors)")
  }

  @Test func `a number of jobs that can't be used is refused`() async throws {
    for jobs in ["0", "65", "-1", "many"] {
      let run = try await Prosper.run(["play", "s.json", "-o", "null:fast", "--jobs=\(jobs)"], in: scratch)
      #expect(run.status == 64 && run.err.contains("jobs"), "\(run.err)")
    }
  }
}

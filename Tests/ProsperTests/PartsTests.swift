import Foundation
import Glibc
import TestSupport
import Testing

/// The series of the article on parameters and parts: six files, which are five evenings in two languages.
struct PartsTests {
  private let scratch: Scratch
  /// The files of the article, by their paths.
  private let files: [String: String]
  private static let evenings = (1...5).flatMap { evening in ["en", "de"].map { (evening: evening, lang: $0) } }

  init() throws {
    scratch = try Scratch()
    let article = Prosper.root.appending(path: "Sources/ProsperKit/ProsperKit.docc/PartsAndParameters.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    let blocks = text.matches(of: /```yaml\n# (.+\.yaml)\n((?s:.)*?)```/).map { (String($0.1), String($0.2)) }
    files = Dictionary(uniqueKeysWithValues: blocks)
    for (name, text) in files { try write(name, text) }
    let talks = (1...5).map { "\($0)" } + ["welcome", "close"]
    for (number, talk) in talks.enumerated() {
      for (shift, lang) in ["en", "de"].enumerated() {
        // Each talk has a sound of its own, so that no other one can take its place.
        let sound = Self.wave(hertz: Double(200 + 50 * number + 20 * shift), seconds: number < 5 ? 12 : 5)
        try sound.write(to: URL(fileURLWithPath: scratch.path("parts/talks/\(talk)-\(lang).flac")))
      }
    }
  }

  /// A WAV file with one tone. What a sound file is depends on its content, not on its name.
  private static func wave(hertz: Double, seconds: Int) -> Data {
    let rate = 8_000
    let number = { (value: Int, bytes: Int) in (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    let samples = (0..<rate * seconds).flatMap { frame in
      number(Int(8_000 * sin(2 * .pi * hertz * Double(frame) / Double(rate))), 2)
    }
    let format = number(16, 4) + number(1, 2) + number(1, 2) + number(rate, 4) + number(2 * rate, 4) + number(2, 2)
    let head = Array("WAVEfmt ".utf8) + format + number(16, 2) + Array("data".utf8) + number(samples.count, 4)
    return Data(Array("RIFF".utf8) + number(head.count + samples.count, 4) + head + samples)
  }

  private func write(_ name: String, _ text: String) throws {
    let file = URL(fileURLWithPath: scratch.path(name))
    let talks = file.deletingLastPathComponent().appending(path: "talks")
    try FileManager.default.createDirectory(at: talks, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func run(_ words: [String]) async throws -> Prosper {
    try await Prosper.run(
      words, in: scratch, program: ["/usr/bin/env", "-C", scratch.path(""), Prosper.executable.path])
  }

  private func settings(_ evening: Int, _ lang: String) -> [String] {
    ["--set", "evening=\(evening)", "--set", "lang=\(lang)", "--set", "sit=1m"]
  }

  /// An evening as one would write it by hand.
  private func handWritten(_ evening: Int, _ lang: String) -> String {
    """
    prosper: 1
    title: Evening \(evening) (\(lang))
    language: \(lang)
    crossfade: 5s
    fadeOut: 10s
    sounds:
      bowl: {generate: bowl, pitch: 180, volume: 0.8}
      rain: {generate: rain, volume: 0.5}
    stages:
      - name: Arrive
        duration: 3m
        tracks: [rain]
        overlays: [{sound: parts/talks/welcome-\(lang).flac, at: 10s, duck: {by: -12dB}}]
      - {name: Talk \(evening), tracks: [parts/talks/\(evening)-\(lang).flac], crossfade: 0}
      - {name: Sit, duration: 1m, gongs: [{sound: bowl, at: [10s, end], strikes: 3}]}
      - name: Close
        duration: 2m
        tracks: [{sound: rain, volume: -6dB}]
        overlays: [{sound: parts/talks/close-\(lang).flac, at: 30s}]

    """
  }

  @Test func `the series has six files, and no line twice`() {
    #expect(files.count == 6)
    let lines = files.values.flatMap { $0.split(separator: "\n") }.filter { !["prosper: 1", "stages:"].contains($0) }
    let repeated = Dictionary(grouping: lines) { $0 }.filter { 1 < $1.count }.keys
    #expect(repeated.isEmpty, "\(repeated)")
  }

  @Test func `every evening passes check, shows its talk, and sounds like the same evening written by hand`()
    async throws
  {
    let whole = try await run(["check", ".", "--set", "evening=2"])
    #expect(whole.status == 0 && whole.out.isEmpty, "\(whole.out)\(whole.err)")
    for (evening, lang) in Self.evenings {
      let words = ["evening.yaml"] + settings(evening, lang)
      let check = try await run(["check"] + words)
      #expect(check.status == 0 && check.out.isEmpty, "\(check.out)\(check.err)")
      try write("hand.yaml", handWritten(evening, lang))
      let shows = [try await run(["show"] + words), try await run(["show", "hand.yaml"])]
      let shown = shows[0].out.replacing(/\nParameters\n(?s:.)*?\n\n/, with: "\n")
      #expect(shown == shows[1].out && shown.contains("\(evening)-\(lang).flac"), "\(shows[0].out)\(shows[0].err)")
      let short = ["--duration", "1m", "--events", "off", "--output"]
      let plays = [
        try await run(["play"] + words + short + ["a.wav"]), try await run(["play", "hand.yaml"] + short + ["b.wav"]),
      ]
      #expect(plays.map(\.status) == [0, 0], "\(plays[0].err)")
      let sounds = try ["a.wav", "b.wav"].map { try Data(contentsOf: URL(fileURLWithPath: scratch.path($0))) }
      #expect(sounds[0] == sounds[1], "evening \(evening), \(lang)")
    }
  }

  @Test func `the parameters are listed, and the session is printed as one file`() async throws {
    let show = try await run(["show", "evening.yaml"] + settings(3, "de"))
    #expect(
      show.out.contains(
        """
        Parameters
          evening = 3 (no default; of 1, 2, 3, 4, 5): Which of the five evenings
          lang = de (default en; of en, de): The language of the talks
          sit = 1m (default 20m): How long the sit is

        """.replacing("(no default; of", with: "(of")), "\(show.out)")
    let json = try #require(try await run(["show", "evening.yaml", "--json"] + settings(3, "de")).events().first)
    let parameters = try #require(json["parameters"] as? [[String: Any]])
    #expect(parameters.map { $0["name"] as? String } == ["evening", "lang", "sit"])
    #expect(parameters[0]["default"] is NSNull && parameters[1]["values"] as? [String] == ["en", "de"])
    #expect(parameters.map { $0["value"] as? String } == ["3", "de", "1m"])
    let resolved = try await run(["show", "evening.yaml", "--resolved"] + settings(3, "de"))
    #expect(resolved.status == 0 && resolved.err.isEmpty)
    #expect(!resolved.out.contains("${") && !resolved.out.contains("include") && !resolved.out.contains("parameters"))
    try write("resolved.yaml", resolved.out)
    try write("hand.yaml", handWritten(3, "de"))
    let shows = [try await run(["show", "resolved.yaml"]), try await run(["show", "hand.yaml"])]
    #expect(shows[0].status == 0 && shows[0].out == shows[1].out)
  }

  @Test func `a mistake in any of the files is told at its place, and through which files it came`() async throws {
    try write("parts/sit.yaml", try #require(files["parts/sit.yaml"]).replacing("gongs:", with: "gong:"))
    let check = try await run(["check", "evening.yaml"] + settings(1, "en"))
    let problem =
      "parts/sit.yaml:6:5: error: unknown key 'gong'; did you mean 'gongs'? (included from evening.yaml:14:14)"
    #expect(check.status == 65 && check.out == problem + "\n")
    let json = try #require(try await run(["check", "evening.yaml", "--json"] + settings(1, "en")).events().first)
    let places = try #require(json["includedFrom"] as? [[String: Any]])
    #expect(json["file"] as? String == "parts/sit.yaml" && places.count == 1)
    #expect(places[0]["file"] as? String == "evening.yaml" && places[0]["line"] as? Int == 14)
    let github = try await run(["check", "evening.yaml", "--github"] + settings(1, "en"))
    #expect(github.out.hasPrefix("::error file=parts/sit.yaml,line=6,col=5,title=unknownKey::"))
    #expect(github.out.hasSuffix("(included from evening.yaml:14:14)\n"))
    _ = try await run(["check", "evening.yaml", "--junit", "j.xml"] + settings(1, "en"))
    let junit = try String(contentsOfFile: scratch.path("j.xml"), encoding: .utf8)
    #expect(junit.contains("file=\"evening.yaml\" line=\"14\"") && junit.contains("parts/sit.yaml:6:5: unknown key"))
    try FileManager.default.removeItem(atPath: scratch.path("bells.yaml"))
    let missing = try await run(["check", "evening.yaml"] + settings(1, "en"))
    #expect(missing.status == 66 && missing.out.hasPrefix("evening.yaml:8:11: error: bells.yaml: no such file"))
  }

  @Test func `a value is missing, unknown or not possible`() async throws {
    for words in [["check"], ["show"], ["play", "--output", "null:fast"]] {
      let missing = try await run(words + ["evening.yaml"])
      #expect(
        missing.status == 65
          && (missing.out + missing.err).hasPrefix(
            "evening.yaml:5:3: error: the parameter 'evening' has no value; give it a default, or set it with --set"),
        "\(missing.out)\(missing.err)")
      let unknown = try await run(words + ["evening.yaml", "--set", "evening=6", "--set", "lnag=de"])
      #expect(
        unknown.status == 65
          && unknown.out + unknown.err == """
            --set:1:1: error: the parameter 'evening' can't be '6'; use one of '1', '2', '3', '4', '5'
            --set:2:1: error: the session has no parameter 'lnag'; did you mean 'lang'?

            """,
        "\(unknown.out)\(unknown.err)")
      let malformed = try await run(words + ["evening.yaml", "--set", "evening"])
      #expect(malformed.status == 64 && malformed.err.contains("--set 'evening' has no name and value"))
    }
    try write(
      "other.yaml",
      "prosper: 1\ntitle: T\nparameters: {length: 1m}\nstages: [{name: A, duration: \"${length}\"}]\n")
    let none = try await run(["check", "evening.yaml", "other.yaml", "--set", "evening=1", "--set", "x=2"])
    #expect(
      none.status == 64
        && none.err == "prosper: --set: no session has a parameter 'x'; use one of 'evening', 'lang', 'length', 'sit'\n"
    )
    #expect(
      try await run(["check", "evening.yaml", "other.yaml", "--set", "evening=1", "--set", "length=3m"]).status == 0
    )
  }

  @Test func `measure and compare take values, too`() async throws {
    let levels = try await run(["measure", "evening.yaml", "--json"] + settings(1, "en"))
    #expect(levels.status == 0 && levels.out.contains("Evening 1 (en)"), "\(levels.err)")
    try write("hand.yaml", handWritten(4, "de"))
    #expect(try await run(["compare", "hand.yaml", "evening.yaml"] + settings(4, "de")).status == 0)
    #expect(try await run(["compare", "hand.yaml", "evening.yaml"] + settings(3, "de")).status == 1)
    let unknown = try await run(["measure", "parts/talks/1-en.flac", "--set", "a=1"])
    #expect(unknown.status == 64 && unknown.err == "prosper: --set: no session has a parameter 'a'; leave it out\n")
  }

  @Test func `an interrupted evening is resumed with its values, and with no other ones`() async throws {
    let play = ["play", "evening.yaml", "--no-control", "--output"]
    let left = try await Prosper.run(
      play + ["null", "--from", "3m"] + settings(3, "de"), in: scratch,
      program: ["/usr/bin/env", "-C", scratch.path(""), Prosper.executable.path]
    ) {
      $0.waitUntilItSays(#""event":"position""#)
      $0.send(SIGTERM)
    }
    #expect(left.status == 143, "\(left.err)")
    let other = try await run(play + ["null:fast", "--resume"] + settings(3, "en"))
    #expect(
      other.status == 65
        && other.err.contains("with --set evening=3 --set lang=de --set sit=1m; to resume it, leave out --set"),
      "\(other.err)")
    let resumed = try await run(play + ["null:fast", "--resume"])
    #expect(resumed.status == 0 && resumed.out.contains("Evening 3 (de)"), "\(resumed.err)")
    #expect(try resumed.events().last?["session"] as? Double ?? 0 > 360)
    try write("parts/close.yaml", try #require(files["parts/close.yaml"]).replacing("30s", with: "31s"))
    let changed = try await run(play + ["null:fast", "--resume"])
    #expect(changed.status == 65 && changed.err.contains("has changed since it was interrupted at"), "\(changed.err)")
  }

  @Test func `a schedule keeps the values`() async throws {
    let words = ["schedule", "add", "evening.yaml", "--at", "20:00", "--dry-run"]
    let units = try await run(words + ["--set", "evening=2", "--set", "lang=de"])
    #expect(
      units.status == 0 && units.out.contains(#""--set" "evening=2" "--set" "lang=de""#), "\(units.out)\(units.err)")
    let missing = try await run(words)
    #expect(missing.status == 65 && missing.err.contains("the parameter 'evening' has no value"))
  }

  @Test func `the list of sessions has those that need a value, and leaves out parts`() async throws {
    let library = scratch.path(".local/share/prosper/sessions")
    try FileManager.default.createDirectory(atPath: library, withIntermediateDirectories: true)
    for name in ["evening.yaml", "bells.yaml"] {
      try FileManager.default.copyItem(atPath: scratch.path(name), toPath: "\(library)/\(name)")
    }
    try FileManager.default.copyItem(atPath: scratch.path("parts"), toPath: "\(library)/parts")
    let list = try await run(["sessions"])
    #expect(list.status == 0, "\(list.err)")
    #expect(list.out.contains("evening") && list.out.contains("lang = en (of en, de): The language of the talks"))
    #expect(!list.out.contains("bells"))
    let json = try await run(["sessions", "--json"]).events().first { $0["name"] as? String == "evening" }
    let parameters = try #require(json?["parameters"] as? [[String: Any]])
    #expect(parameters.map { $0["name"] as? String } == ["evening", "lang", "sit"])
  }

  @Test func `an output can't replace an included file`() async throws {
    try write("parts/x.wav", "prosper: 1\nstages: [{name: A, duration: 1s}]\n")
    try write("s.yaml", "prosper: 1\ntitle: T\nstages: [{include: parts/x.wav}]\n")
    let play = try await run(["play", "s.yaml", "--output", "parts/x.wav"])
    #expect(play.status == 64 && play.err.contains("is a file that the session uses"), "\(play.err)")
  }
}

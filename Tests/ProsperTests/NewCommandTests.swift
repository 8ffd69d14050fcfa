import Foundation
import Signal
import TestSupport
import Testing

@testable import prosper

/// `prosper new`: a session file from a template or from the user's sounds.
struct NewCommandTests {
  @Test(arguments: ["sit", "zazen", "body-scan", "sleep", "breath", "choices"], ["a.yaml", "a.yml", "a.json"])
  func `a template passes check without a warning, and the command to play it is printed`(
    template: String, name: String
  ) async throws {
    let scratch = try Scratch()
    let path = scratch.path(name)
    let made = try await Prosper.run(["new", path, "--template", template, "--minutes", "25"], in: scratch)
    #expect(made.status == 0 && made.err.isEmpty && made.out.contains("prosper play \(path)"), "\(made.err)")
    let check = try await Prosper.run(["check", "--strict", path], in: scratch)
    #expect(check.status == 0 && check.out.isEmpty, "\(check.out)")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains("# ") != name.hasSuffix("json"))
    let shown = try await Prosper.run(["show", path, "--json"], in: scratch)
    #expect(shown.out.contains(#""end":1500.0"#), "\(shown.out)")
  }

  @Test(arguments: ["a.yaml", "a.json"])
  func `the template with parameters plays what is chosen`(name: String) async throws {
    let scratch = try Scratch()
    let path = scratch.path(name)
    #expect(try await Prosper.run(["new", path, "--template", "choices"], in: scratch).status == 0)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for value in ["${sit}", "${bell}", "${music}"] {
      #expect(text.components(separatedBy: value).count == 2, "\(text)")
    }
    let shown = try await Prosper.run(
      ["show", path, "--set", "sit=7m", "--set", "bell=gong", "--set", "music=ocean", "--resolved"], in: scratch)
    #expect(shown.status == 0, "\(shown.err)")
    for value in ["7m", "gong", "ocean"] { #expect(shown.out.contains(value), "\(shown.out)") }
    let wrong = try await Prosper.run(["check", path, "--set", "bell=bel"], in: scratch)
    #expect(wrong.status == 65 && wrong.out.contains("'bel'"), "\(wrong.out)")
  }

  @Test func `an existing file is not changed without --force`() async throws {
    let scratch = try Scratch()
    let path = try scratch.write("a.yaml", "mine")
    for command in [["new", path], ["sit", "9m", "--save", path]] {
      let refused = try await Prosper.run(command, in: scratch)
      #expect(refused.status == 73 && refused.out.isEmpty)
      #expect(refused.err.hasPrefix("prosper: \(path): already exists; "), "\(refused.err)")
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }
    let forced = try await Prosper.run(["new", path, "--force"], in: scratch)
    #expect(forced.status == 0)
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("prosper: 1"))
    #expect(try scratch.names().filter { $0.hasSuffix(".part") } == [])
  }

  @Test func `the printed command plays a file whatever its name is, and a folder is not replaced`() async throws {
    let scratch = try Scratch()
    let there = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, scratch.path(""), Prosper.executable.path]
    for (name, word) in [
      ("-a.yaml", "./-a.yaml"), ("it's é.yaml", "'it'\\''s é.yaml'"), ("$(id).json", "'$(id).json'"),
    ] {
      let made = try await Prosper.run(["new", "--", name], in: scratch, program: there)
      #expect(made.status == 0 && made.out.hasSuffix("; play it with: prosper play \(word)\n"), "\(made.out)")
    }
    try FileManager.default.createDirectory(atPath: scratch.path("folder.yaml"), withIntermediateDirectories: false)
    let refused = try await Prosper.run(["new", "--force", scratch.path("folder.yaml")], in: scratch)
    #expect(refused.status == 73 && refused.err.hasSuffix("can't be created: is a directory; choose another name\n"))
  }

  @Test func `sounds are written with paths from the session, whatever characters they have`() async throws {
    let scratch = try Scratch()
    for folder in ["audio", "sessions"] {
      try FileManager.default.createDirectory(atPath: scratch.path(folder), withIntermediateDirectories: false)
    }
    let sound = Data(TestWave.stereo(TestSound.noise(8_000), rate: 8_000))
    for name in ["a.wav", "b\u{7}\u{1B}c\nd\u{202E}.wav"] {
      try sound.write(to: URL(fileURLWithPath: "\(scratch.path("audio"))/\(name)"))
      for target in ["sessions/s.yaml", "sessions/s.json", "audio/s.yaml", "-"] {
        let path = target == "-" ? target : scratch.path(target)
        let made = try await Prosper.run(["new", "--force", path, "\(scratch.path("audio"))/\(name)"], in: scratch)
        #expect(made.status == 0 && made.err.isEmpty, "\(made.err)")
        let written = try target == "-" ? scratch.write("-.yaml", made.out) : path
        let text = try String(contentsOfFile: written, encoding: .utf8)
        if target.hasPrefix("sessions") { #expect(text.contains("../audio/"), "\(text)") }
        let check = try await Prosper.run(["check", written], in: scratch)
        #expect(check.status == 0, "\(check.out)")
      }
    }
  }

  @Test func `a short sound is a gong if it is struck, and otherwise an overlay`() async throws {
    let scratch = try Scratch()
    let struck = try await Prosper.run(["sounds", "--play", "bowl", "-o", scratch.path("bowl.wav")], in: scratch)
    #expect(struck.status == 0)
    // Four seconds of words: noise that swells and fades, twice a second.
    let words = TestSound.noise(32_000).enumerated().map { index, frame in
      frame * Float(abs(sin(2 * .pi * Double(index) / 8_000)))
    }
    try Data(TestWave.stereo(words, rate: 8_000)).write(to: URL(fileURLWithPath: scratch.path("words.wav")))
    let made = try await Prosper.run(
      ["new", scratch.path("s.json"), scratch.path("words.wav"), scratch.path("bowl.wav")], in: scratch)
    #expect(made.status == 0, "\(made.err)")
    let text = try String(contentsOfFile: scratch.path("s.json"), encoding: .utf8)
    let overlays = try #require(text.range(of: "\"overlays\""))
    #expect(text[overlays.lowerBound...].contains("words.wav") && !text[..<overlays.lowerBound].contains("words.wav"))
    #expect(text.contains("\"gongs\"") && text.contains("bowl.wav"), "\(text)")
  }

  @Test func `a voice of any length becomes an overlay that lowers the music`() async throws {
    let scratch = try Scratch()
    let music = try Self.noise("music.wav", seconds: 150, gain: 0.1, in: scratch)
    let talk = try Self.noise("talk.wav", seconds: 130, gain: 0.1, in: scratch)
    let made = try await Prosper.run(["new", scratch.path("s.json"), music, "--voice", talk], in: scratch)
    #expect(made.status == 0 && made.err.isEmpty, "\(made.err)")
    let text = try Data(contentsOf: URL(fileURLWithPath: scratch.path("s.json")))
    let session = try #require(JSONSerialization.jsonObject(with: text) as? [String: Any])
    let stages = try #require(session["stages"] as? [[String: Any]])
    let overlays = try #require(stages.first?["overlays"] as? [[String: Any]])
    #expect(stages.count == 1 && overlays.count == 1 && overlays[0]["duck"] != nil, "\(session)")
    let refused = try await Prosper.run(["new", "-", "--template", "sit", "--voice", talk], in: scratch)
    #expect(refused.status == 64 && refused.err.contains("give either --template or sound files"))
  }

  @Test func `a symbolic link to a session is kept, and its target replaced`() async throws {
    let scratch = try Scratch()
    let path = try scratch.write("a.yaml", "mine")
    try FileManager.default.createSymbolicLink(atPath: scratch.path("link.yaml"), withDestinationPath: path)
    #expect(try await Prosper.run(["new", "-f", scratch.path("link.yaml")], in: scratch).status == 0)
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("prosper: 1"))
    let target = try FileManager.default.destinationOfSymbolicLink(atPath: scratch.path("link.yaml"))
    #expect(target == path)
  }

  /// A WAV file with noise, at 8,000 Hz. The noise of a strike decays by 60 dB.
  private static func noise(
    _ name: String, seconds: Int, gain: Float, isStrike: Bool = false, in scratch: Scratch
  ) throws -> String {
    let count = seconds * 8_000
    let frames = TestSound.noise(count).enumerated().map { index, frame in
      frame * gain * (isStrike ? exp(-6.9 * Float(index) / Float(count)) : 1)
    }
    let path = scratch.path(name)
    try Data(TestWave.float(frames, rate: 8_000)).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test func `the length of a sound file determines its use, loud ones get a volume, and titles come from tags`()
    async throws
  {
    let scratch = try Scratch()
    let loud = try Self.noise("loud.wav", seconds: 130, gain: 3.9, in: scratch)
    let voice = try Self.noise("voice.wav", seconds: 40, gain: 0.1, in: scratch)
    let bell = try Self.noise("bell.wav", seconds: 4, gain: 0.1, isStrike: true, in: scratch)
    let source = try scratch.write(
      "source.yaml",
      "prosper: 1\ntitle: Morning raga\nsampleRate: 8000\nstages: [{name: A, duration: 3m, tracks: ['generate:pink']}]")
    let raga = scratch.path("raga.flac")
    #expect(try await Prosper.run(["play", source, "-o", raga], in: scratch).status == 0)
    let path = scratch.path("my-first_session.yaml")
    let made = try await Prosper.run(["new", path, loud, voice, bell, raga], in: scratch)
    #expect(made.status == 0 && made.err.isEmpty, "\(made.err)")
    let check = try await Prosper.run(["check", "--strict", path], in: scratch)
    #expect(check.status == 0 && check.out.isEmpty, "\(check.out)")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for line in [
      "title: My first session", "  - name: loud", "  - name: Morning raga", "tracks: [raga.flac]",
      "loudness: {music: -26, overlays: -20}", "tracks: [loud.wav]", "- {sound: voice.wav, at: 10s, duck: {by: -9dB}}",
      "bell: {file: bell.wav}", "- {sound: bell, at: start}", "- {sound: bell, at: end}",
    ] { #expect(text.contains(line), "\(line) is not in\n\(text)") }
  }

  @Test func `a silent file is not used, and with a file that can't be played nothing is written`()
    async throws
  {
    let scratch = try Scratch()
    let silent = try Self.noise("silent.wav", seconds: 4, gain: 0, in: scratch)
    let bell = try Self.noise("bell.wav", seconds: 4, gain: 0.1, isStrike: true, in: scratch)
    let path = scratch.path("a.yaml")
    let broken = try await Prosper.run(["new", path, bell, scratch.path("nowhere.wav")], in: scratch)
    #expect(
      broken.status == 66 && broken.err.hasSuffix("nowhere.wav: no such file; check the path\n")
        && !FileManager.default.fileExists(atPath: path))
    let nothing = try await Prosper.run(["new", path, silent], in: scratch)
    #expect(nothing.status == 64 && nothing.err.contains("silent.wav: contains only silence, so it is not used"))
    let made = try await Prosper.run(["new", path, silent, bell], in: scratch)
    #expect(made.status == 0 && made.err.split(separator: "\n").count == 1)
    #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("silent"))
  }

  static let refusals: [([String], String)] = [
    (["a.txt"], "'a.txt' is not a name for a session file; choose one that ends with .yaml or .json"),
    (["a.yaml", "--minutes", "0"], "--minutes must be a number from 1 to 1440"),
    (["a.yaml", "--template", "zen"], "zen"),
    (["a.yaml", "https://localhost/a.mp3"], "https://localhost/a.mp3: only files can be examined; download it, and"),
    (["a.yaml", "b.wav", "--template", "sit"], "give either --template or sound files"),
  ]

  @Test(arguments: refusals)
  func `wrong usage is refused in one line`(options: [String], reason: String) async throws {
    let run = try await Prosper.run(["new"] + options)
    #expect(run.status == 64 && run.err.contains(reason) && run.err.split(separator: "\n").count == 1, "\(run.err)")
  }
}

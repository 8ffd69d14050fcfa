import Foundation
import Glibc
import TestSupport
import Testing

/// Bad input of any kind leads to a clear error, the right exit code, and no output that looks complete.
@Suite struct BadInputTests {
  @Test(arguments: [["--version", "--json"], ["--json", "--version"]])
  func `the version is also printed as JSON, with facts about the build`(words: [String]) async throws {
    let (plain, run) = (try await Prosper.run(["--version"]), try await Prosper.run(words))
    let facts = try #require(try JSONSerialization.jsonObject(with: Data(run.out.utf8)) as? [String: Any])
    #expect(run.status == 0 && run.err.isEmpty && run.lines.count == 1)
    #expect(plain.out == "prosper \(facts["version"] as? String ?? "")\n")
    var machine = utsname()
    uname(&machine)
    let name = withUnsafeBytes(of: &machine.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    #expect(facts["architecture"] as? String == name && facts["sessionFormat"] as? Int == 1)
  }

  /// Every malformed session of the parser's examples, through the whole program.
  @Test func `each malformed session is rejected with exit code 65, and nothing is written`() async throws {
    let folder = Prosper.root.appendingPathComponent("Tests/SessionsTests/Examples/bad")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasSuffix(".expected") }
    #expect(40 <= names.count)
    let scratch = try Scratch()
    for name in names.sorted() {
      let path = folder.appendingPathComponent(name).path
      let run = try await Prosper.run(["play", path, "-o", scratch.path("out.wav")], in: scratch)
      #expect(run.status == 65, "\(name)")
      let errors = run.err.split(separator: "\n")
      #expect(!errors.isEmpty && errors.allSatisfy { $0.hasPrefix(path + ":") }, "\(name): \(run.err)")
      #expect(!FileManager.default.fileExists(atPath: scratch.path("out.wav")), "\(name)")
    }
  }

  @Test func `a fade-out longer than the tracks of the last stage is rejected with its position`() async throws {
    let scratch = try Scratch()
    let text = "prosper: 1\ntitle: t\nfadeOut: 59s\nstages:\n  - {name: A, tracks: [\"generate:wood\"]}\n"
    let session = try scratch.write("s.yaml", text)
    let check = try await Prosper.run(["check", session], in: scratch)
    let play = try await Prosper.run(["play", session, "-o", scratch.path("out.wav")], in: scratch)
    for (run, said) in [(check, check.out), (play, play.err)] {
      #expect(
        run.status == 65
          && said.hasPrefix("\(session):3:1: error: 'fadeOut' is 59 s, but the last stage in line 5 lasts only "))
    }
    #expect(!FileManager.default.fileExists(atPath: scratch.path("out.wav")))
  }

  static let unplayable: [(String, Int32, String)] = [
    ("missing", 66, "no such file"), ("folder", 66, "folder"), ("fifo", 66, "FIFO"), ("device", 66, "device"),
    ("empty.wav", 66, "empty"), ("garbage.wav", 66, "not in a supported format"),
    ("header.flac", 66, "not in a supported format"),
  ]

  @Test(arguments: unplayable)
  func `a session whose only sound can't be played is rejected with the reason`(
    name: String, status: Int32, words: String
  ) async throws {
    let scratch = try Scratch()
    try makeSounds(in: scratch)
    let sound = name == "device" ? "/dev/zero" : scratch.path(name)
    let session = try scratch.write("s.json", Self.session(of: [sound]))
    let run = try await Prosper.run(["play", session, "-o", scratch.path("out.wav")], in: scratch)
    #expect(run.status == status, "\(run.err)")
    let errors = run.err.split(separator: "\n")
    #expect(errors.count == 1 && errors.allSatisfy { $0.contains(words) && $0.hasPrefix(session + ":") }, "\(run.err)")
    #expect(!FileManager.default.fileExists(atPath: scratch.path("out.wav")))
  }

  @Test func `an invalid sound among others is skipped and reported, with exit code 65 if strict and 0 if lenient`()
    async throws
  {
    let scratch = try Scratch()
    try makeSounds(in: scratch)
    let session = try scratch.write("s.json", Self.session(of: [scratch.path("garbage.wav"), "generate:wood"]))
    let strict = try await Prosper.run(["play", session, "-o", scratch.path("a.wav")], in: scratch)
    let lenient = try await Prosper.run(["play", session, "-o", scratch.path("b.wav"), "--lenient"], in: scratch)
    #expect(strict.status == 65 && lenient.status == 0)
    let skipped = try lenient.events().filter { $0["event"] as? String == "track.skipped" }
    #expect(skipped.count == 1 && (skipped.first?["reason"] as? String)?.contains("not in a supported format") == true)
  }

  @Test func `a missing sound is rejected before playback, whether strict or lenient`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.json", Self.session(of: ["generate:wood", "nowhere.wav"]))
    for flag in ["--strict", "--lenient"] {
      let run = try await Prosper.run(["play", session, "-o", "null:fast", flag], in: scratch)
      #expect(run.status == 66 && run.out.isEmpty && run.err.contains("nowhere.wav"))
    }
  }

  @Test func `a truncated sound plays as far as it goes, with exit code 65 if strict and 0 if lenient`() async throws {
    let scratch = try Scratch()
    let long = try await Prosper.run(["sounds", "--play", "bell", "-o", scratch.path("bell.flac")], in: scratch)
    #expect(long.status == 0)
    let data = try Data(contentsOf: URL(fileURLWithPath: scratch.path("bell.flac")))
    try data.prefix(data.count / 2).write(to: URL(fileURLWithPath: scratch.path("half.flac")))
    let session = try scratch.write("s.json", Self.session(of: ["half.flac", "generate:wood"]))
    let strict = try await Prosper.run(["play", session, "-o", "null:fast"], in: scratch)
    #expect(strict.status == 65 && strict.err.contains("half.flac") && strict.err.contains("damaged"))
    let lenient = try await Prosper.run(["play", session, "-o", "null:fast", "--lenient"], in: scratch)
    #expect(lenient.status == 0)
    #expect(try lenient.events().contains { $0["event"] as? String == "error" && $0["code"] as? String == "damaged" })
    #expect(try lenient.events().last?["reason"] as? String == "completed")
  }

  static let refusals: [([String], Int32)] = [
    (["play"], 64), (["play", "nowhere.json"], 66), (["play", "/tmp"], 66), (["play", "/dev/null"], 66),
    (["frobnicate"], 64), (["check"], 64), (["check", "nowhere.json"], 66), (["show", "nowhere.json"], 66),
    (["sounds", "--play", "bell", "-o", "x.doc"], 64),
    (["sounds", "--play", "bell", "-o", "x.flac", "--encoding", "f32"], 64),
    (["sounds", "--play", "bell", "-o", "/nowhere/x.wav"], 73), (["sounds", "--play", "bell", "-o", "null:slow"], 64),
  ]

  @Test(arguments: refusals)
  func `a command that can't be executed exits with its code and prints the reason`(arguments: [String], status: Int32)
    async throws
  {
    let run = try await Prosper.run(arguments)
    #expect(run.status == status, "\(run.err)")
    #expect(!(run.err + run.out).isEmpty && !run.err.contains("Fatal error"))
  }

  @Test(arguments: ["wav", "flac", "ogg", "mp3", "aiff", "caf"])
  func `check reports a truncated sound if the session reaches the damage`(format: String) async throws {
    let scratch = try Scratch()
    let made = try await Prosper.run(["sounds", "--play", "bell", "-o", scratch.path("whole.\(format)")], in: scratch)
    #expect(made.status == 0)
    let data = try Data(contentsOf: URL(fileURLWithPath: scratch.path("whole.\(format)")))
    try data.prefix(data.count / 2).write(to: URL(fileURLWithPath: scratch.path("half.\(format)")))
    let session = try scratch.write("s.json", Self.session(of: ["whole.\(format)", "half.\(format)"]))
    let check = try await Prosper.run(["check", session], in: scratch)
    let play = try await Prosper.run(["play", session, "-o", "null:fast"], in: scratch)
    #expect(check.status == 65 && play.status == 65)
    #expect(
      check.lines.count == 1 && check.out.contains("s.json:1:") && check.out.contains("half.\(format): is damaged"))
    let start = try scratch.write(
      "t.json", Self.session(of: ["half.\(format)"]).replacing("\"tracks\"", with: "\"duration\": 1, \"tracks\""))
    let fine = try await Prosper.run(["check", start], in: scratch)
    #expect(fine.status == 0 && fine.out.isEmpty, "a stage of one second does not reach the damage: \(fine.out)")
  }

  @Test(arguments: [
    (["plya", "s.yaml"], "there is no command 'plya'; did you mean 'play'?"),
    (["help", "plya"], "there is no command 'plya'; did you mean 'play'?"),
    (["/etc/hostname"], "there is no command '/etc/hostname'; did you mean 'prosper play /etc/hostname'?"),
    (["sounds", "--play", "bwol"], "there is no built-in sound 'bwol'; did you mean 'bowl'?"),
    (["play"], "missing expected argument '<session>'; see 'prosper play --help'"),
    (["play", "s.yaml", "--ouput", "a.wav"], "unknown option '--ouput'. Did you mean '--output'?"),
    (["--bogus"], "unknown option '--bogus'; see 'prosper --help'"),
    (
      ["sounds", "--output", "a.wav"],
      "options of the output need --play; add --play with the name of a sound; see 'prosper sounds --help'"
    ),
    (
      ["play", "s.yaml", "--output", "pulse:"],
      "the value 'pulse:' is invalid for '--output <out>': it is not an output; write pulse, pulse:SINK, a file, -, "
        + "pipe:PATH, null, null:fast, snapcast://HOST/SOURCE or icecast://HOST/MOUNT.opus; see 'prosper play --help'"
    ),
    (
      ["play", "s.yaml", "-o", "null", "-o", "-"],
      "--output - can't be combined with a live output, because its reader would determine the pace; write pipe:PATH; see "
        + "'prosper play --help'"
    ),
    (
      ["play", "s.yaml", "-o", "null", "--groups", "hall"],
      "--groups needs a Snapcast server; add --output snapcast://HOST/SOURCE; see 'prosper play --help'"
    ),
    (
      ["play", "s.yaml", "--give-up-after", "soon"],
      "the value 'soon' is invalid for '--give-up-after <duration>': it is not a duration; write it like 90s, 5m "
        + "or 1:30; see 'prosper play --help'"
    ),
    (
      ["metrics", "--operations", "7"],
      "--operations needs --drill; add it; see 'prosper metrics --help'"
    ),
    (
      ["ctl", "{\"do\":}"],
      "column 7: '}' where a value is expected; write a value"
    ),
  ])
  func `wrong usage is reported in one line that says how to fix it`(arguments: [String], line: String) async throws {
    let run = try await Prosper.run(arguments)
    #expect(run.status == 64 && run.err == "prosper: \(line)\n" && run.out.isEmpty)
  }

  @Test(arguments: ["a.wav", "a.flac", "a.ogg", "a.mp3", "a.aiff", "a.caf"])
  func `a sound file in place of a session is reported as a sound file`(name: String) async throws {
    let scratch = try Scratch()
    let made = try await Prosper.run(["sounds", "--play", "wood", "-o", scratch.path(name)], in: scratch)
    #expect(made.status == 0)
    let run = try await Prosper.run(["check", scratch.path(name)], in: scratch)
    #expect(run.status == 65 && run.lines.count == 1)
    #expect(run.out.contains("\(name):1:1: error: this is a sound file, not a session; name it in a session"))
  }

  private static func session(of sounds: [String]) -> String {
    let tracks = sounds.map { "\"\($0)\"" }.joined(separator: ", ")
    return "{\"prosper\": 1, \"title\": \"T\", \"stages\": [{\"name\": \"A\", \"tracks\": [\(tracks)]}]}"
  }

  private func makeSounds(in scratch: Scratch) throws {
    try FileManager.default.createDirectory(atPath: scratch.path("folder"), withIntermediateDirectories: true)
    mkfifo(scratch.path("fifo"), 0o600)
    _ = try scratch.write("empty.wav", "")
    _ = try scratch.write("garbage.wav", String(repeating: "no sound at all ", count: 500))
    _ = try scratch.write("header.flac", "fLaC")
  }
}

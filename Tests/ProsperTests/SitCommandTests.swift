import Foundation
import Glibc
import TestSupport
import Testing

/// `prosper sit`, as a user would call it.
struct SitCommandTests {
  static let options: [[String]] = [
    ["20s"],
    ["20s", "--prepare", "2s", "--strikes", "1", "--every", "6s"],
    ["0:30", "--bell", "bell", "--random", "2", "--seed", "7", "--music", "rain", "--fade-out", "5s"],
    ["15s", "--bell", "wood.wav", "--spacing", "500ms", "--music", "generate:drone", "--prepare", "1s"],
  ]

  @Test(arguments: options, ["s.yaml", "s.json"])
  func `a saved sit passes check and plays the same samples and events as the sit itself`(
    options: [String], name: String
  ) async throws {
    let scratch = try Scratch()
    try await Self.makeWood(in: scratch)
    let words = ["sit"] + options.map { $0.hasSuffix(".wav") ? scratch.path($0) : $0 }
    let saved = try await Prosper.run(words + ["--save", scratch.path(name)], in: scratch)
    #expect(saved.status == 0 && saved.err.isEmpty, "\(saved.err)")
    #expect(saved.out.contains("prosper play \(scratch.path(name))"))
    let check = try await Prosper.run(["check", "--strict", scratch.path(name)], in: scratch)
    #expect(check.status == 0 && check.out.isEmpty && check.err.isEmpty, "\(check.out)")
    let sit = try await Prosper.run(words + ["-o", scratch.path("a.wav")], in: scratch)
    let play = try await Prosper.run(["play", scratch.path(name), "-o", scratch.path("b.wav")], in: scratch)
    #expect(sit.status == 0 && play.status == 0 && sit.err.isEmpty && sit.played == play.played, "\(sit.err)")
    #expect(try Self.bytes(scratch.path("a.wav")) == Self.bytes(scratch.path("b.wav")))
  }

  private static func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

  private static func makeWood(in scratch: Scratch) async throws {
    let made = try await Prosper.run(["sounds", "--play", "wood", "-o", scratch.path("wood.wav")], in: scratch)
    #expect(made.status == 0)
  }

  @Test func `the bells of a sit sound at their times`() async throws {
    let run = try await Prosper.run(
      ["sit", "1m", "--prepare", "10s", "--strikes", "2", "--every", "25s", "-o", "null:fast"])
    let gongs = try run.events().filter { $0["event"] as? String == "gong" }
    #expect(gongs.compactMap { $0["session"] as? Double } == [10, 14, 35, 60, 70, 74])
  }

  @Test func `a sit with a talk is as long as it, and an open one ends with its bells when it is told to`() async throws
  {
    let scratch = try Scratch()
    let talk = TestSound.sine(440, rate: 8_000, count: 12_004, amplitude: 0.1)
    try Data(TestWave.stereo(talk, rate: 8_000)).write(to: URL(fileURLWithPath: scratch.path("talk.wav")))
    let sit = ["sit", "-o", "null:fast"]
    let guided = try await Prosper.run(sit + ["--guide", scratch.path("talk.wav"), "--bell", "none"], in: scratch)
    let last = try #require(try guided.events().last)
    #expect(last["played"] as? Double == 1.501 && last["overlays"] as? Int == 1 && last["gongs"] as? Int == 0)
    let script = try scratch.write("s.jsonl", #"{"at": "12s", "do": "nextStage"}"#)
    let open = try await Prosper.run(sit + ["open", "--every", "5s", "--script", script], in: scratch)
    let bells = try open.events().filter { $0["event"] as? String == "gong" }.map { $0["session"] as? Double }
    #expect(bells == [0, 4, 5, 8, 10, 12, 16, 20] && open.status == 0)
  }

  @Test func `the fade-in of a sit is as short as its music needs`() async throws {
    let scratch = try Scratch()
    try await Self.makeWood(in: scratch)
    let sit = ["sit", "10s", "--music", scratch.path("wood.wav"), "-o", "null:fast", "--events", "off"]
    let run = try await Prosper.run(sit, in: scratch)
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
  }

  @Test func `random bells are different without a seed, and the file states the seed that repeats them`() async throws
  {
    let sit = ["sit", "25m", "--random", "3", "--save", "-"]
    let (one, other) = (try await Prosper.run(sit), try await Prosper.run(sit))
    #expect(one.status == 0 && one.out != other.out)
    let seed = try #require(one.out.firstMatch(of: #/from the seed ([0-9]+)\./#)?.1)
    #expect(try await Prosper.run(sit + ["--seed", String(seed)]).out == one.out)
  }

  @Test func `the help fits a screen of 24 lines with 80 columns`() async throws {
    let help = try await Prosper.run(["sit", "--help"])
    let lines = help.out.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(help.status == 0 && lines.count <= 25 && lines.allSatisfy { $0.count <= 80 }, "\(lines.count)")
  }

  static let refusals: [([String], Int32, String)] = [
    ([], 64, "missing expected argument '<duration>'; see 'prosper sit --help'"),
    (["soon"], 64, "the duration 'soon' is not a length of time; write it like 12m, 90s or 1:30:00"),
    (["25"], 64, "the duration '25' has no unit; write 25m for minutes, or 25s for seconds"),
    (["1.5", "--save", "-"], 64, "the duration '1.5' has no unit; write 1.5m for minutes, or 1.5s for seconds"),
    (["9m", "--every", "3"], 64, "--every '3' has no unit; write 3m for minutes, or 3s for seconds"),
    (["1e3"], 64, "the duration '1e3' is not a length of time; write it like 12m, 90s or 1:30:00"),
    (["9m", "-o", "a.wav", "--output", "a.wav"], 64, "--output a.wav is given twice; leave one out"),
    (["9m", "--music", "rain", "--music", "drone"], 64, "--music is given 2 times; give one sound"),
    (["9m", "--bell", "bowl", "--bell=gong"], 64, "--bell is given 2 times; give one sound"),
    (["0s"], 64, "a sit can't last 0 s; choose a time above zero and, together with the preparation, up to 168h"),
    (["9m", "--bell", "bwl"], 64, "--bell: there is no built-in sound and no file 'bwl'; did you mean 'bowl'?"),
    (["9m", "--bell", "qqqq"], 64, "no file 'qqqq'; use one of 'bowl', 'gong', 'bell', 'wood', 'beep'\n"),
    (["9m", "--bell", "nowhere.wav"], 66, "nowhere.wav: no such file; check the path\n"),
    (["9m", "--spacing", "0"], 64, "the spacing of the strikes must be above zero"),
    (["9m", "--every", "0"], 64, "the interval of the bells must be"),
    (["9m", "--random", "0"], 64, "the number of bells must be above zero"),
    (["9m", "--music", "/dev/zero"], 66, "/dev/zero"),
    (["9m", "--bell", "rain"], 64, "--bell 'rain' never ends; use one of 'bowl', 'gong', 'bell', 'wood', 'beep'"),
    (
      ["9m", "--fade-out", "5s"], 64,
      "a fade-out needs music; leave out the fade-out, or add music, for example --music rain"
    ),
    (
      ["9m", "--every", "9m"], 64,
      "the interval of the bells, 9:00, must be shorter than the sit of 9:00; choose a shorter interval"
    ),
    (["9m", "--every", "1m", "--random", "3"], 64, "--every and --random can't be combined; give only one"),
    (["open", "--random", "3"], 64, "random bells need a sit with an end; choose a duration, or bells at an interval"),
    (["9m", "--bell", "none", "--every", "3m"], 64, "--every needs a bell; leave out --bell none"),
    (["9m", "--bell", "none", "--strikes", "3"], 64, "--strikes needs a bell; leave out --bell none"),
    (["9m", "--every-volume", "50%"], 64, "--every-volume needs --every or --random; add one of them"),
    (["9m", "--every", "3m", "--every-volume", "-90dB"], 64, "'-90dB' is not a volume; write 0.5, 50% or -6dB"),
    (["--guide", "rain"], 64, "--guide 'rain' never ends"),
    (["5s", "--guide", "bowl"], 64, "longer than the sit of 5 s; choose a longer sit, or leave out its duration"),
    (["open", "-o", "null:fast"], 64, "stage 'Sit' is open and would never end in a file"),
    (["9m", "--seed", "3"], 64, "--seed needs --random; add --random with a number"),
    (
      ["9m", "--spacing", "5m"], 64,
      "3 strikes every 5:00 do not fit into the sit of 9:00; reduce their number or spacing with --strikes or --spacing"
    ),
    (["9m", "--save", "s.yaml", "-o", "s.flac"], 64, "--save writes the sit without playing it; leave out --output"),
    (["9m", "--strikes", "0"], 64, "--strikes must be a whole number from 1 to 1000"),
    (["9m", "--strikes", "-1"], 64, "--strikes must be a whole number from 1 to 1000"),
    (["9m", "--random", "-1"], 64, "the number of bells must be above zero"),
    (["9m", "--resume"], 64, "--resume continues the last sit with its own settings; leave out the duration; see"),
    (["--resume", "--every", "5m"], 64, "settings; leave out --every; see 'prosper sit --help'"),
    (["--resume", "--strikes", "3"], 64, "settings; leave out --strikes; see 'prosper sit --help'"),
    (["--resume", "--save", "-"], 64, "settings; leave out --save; see 'prosper sit --help'"),
    (["--resume"], 66, "there is no sit to resume; start one with 'prosper sit 25m'"),
    (
      ["9m", "--save", "sit.txt"], 64,
      "'sit.txt' is not a name for a session file; choose one that ends with .yaml or .json"
    ),
    (["9m", "--save", "/nowhere/s.yaml"], 73, "/nowhere/s.yaml: can't be created: no such file or directory"),
    (["9m", "--save", "/dev/null/s.yaml"], 73, "/dev/null/s.yaml: can't be created: not a directory"),
    (["9m", "--volume", "3", "-o", "null:fast"], 64, "--volume '3' is not a master volume"),
  ]

  @Test(arguments: refusals)
  func `options that don't fit are refused with one line`(
    options: [String], status: Int32, reason: String
  ) async throws {
    let run = try await Prosper.run(["sit"] + options)
    #expect(run.status == status && run.out.isEmpty && run.err.contains(reason), "\(run.status) \(run.err)")
    #expect(run.err.hasPrefix("prosper: ") && run.err.split(separator: "\n").count == 1)
  }

  @Test func `a file that exists is kept, and no option is named that sit does not have`() async throws {
    let scratch = try Scratch()
    let path = try scratch.write("s.yaml", "mine")
    let run = try await Prosper.run(["sit", "9m", "--save", path], in: scratch)
    #expect(run.status == 73)
    #expect(run.err == "prosper: \(path): already exists; choose another name, or remove the file first\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
  }

  @Test func `a sit that was interrupted is resumed with its own options, by sit and by play`() async throws {
    let scratch = try Scratch()
    let sit = ["sit", "3m", "--random", "2", "--music", "ocean", "-o", "null", "--no-control"]
    let left = try await Prosper.run(sit + ["--from", "20s"], in: scratch) {
      $0.waitUntilItSays(#""event":"position""#)
      $0.send(SIGTERM)
    }
    #expect(left.status == 143, "\(left.err)")
    for resume in [["sit", "--resume"], ["play", "--resume"]] {
      let run = try await Prosper.run(resume + ["-o", "null:fast"], in: scratch)
      let events = try run.events()
      let first = try #require(events.first?["session"] as? Double)
      #expect(run.status == 0 && 20 <= first && first < 180, "\(run.err)")
      #expect(events.last?["reason"] as? String == "completed")
    }
  }
}

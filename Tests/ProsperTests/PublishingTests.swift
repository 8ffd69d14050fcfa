import Foundation
import Signal
import TestSupport
import Testing

/// Tags, chapters and lists of stages, through the whole program.
@Suite struct PublishingTests {
  private static let png = Data([0x89, 0x50, 0x4E, 0x47, 1, 2, 3])

  private static func session(_ more: String = "") -> String {
    """
    {"prosper": 1, "title": "T", "sampleRate": 8000,\(more)
     "stages": [{"name": "A", "duration": "1s"}, {"name": "B ü😀", "duration": "1.5s"}, {"name": "C", "duration": 1}]}
    """
  }

  /// The beginnings and the titles of the chapters of a file, as ffmpeg finds them.
  private func chapters(_ path: String) throws -> [String] {
    let words = ["-v", "error", "-show_entries", "chapter=start_time:chapter_tags=title", "-of", "csv=p=0", path]
    let text = try output(of: "/usr/bin/ffprobe", words, environment: [:], mustSucceed: true)
    return text.split(separator: "\n").map { String($0).replacingOccurrences(of: "000,", with: " ") }
  }

  @Test(arguments: [
    ([], ["0.000 A", "1.000 B ü😀", "2.500 C"]), (["--lead-in", "250ms"], ["0.250 A", "1.250 B ü😀", "2.750 C"]),
    (["--from", "2s"], ["0.000 B ü😀", "0.500 C"]), (["--stage", "C"], ["0.000 C"]), (["--no-chapters"], []),
  ])
  func `stages are chapters at their times in the file`(options: [String], expected: [String]) async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.json", Self.session())
    for name in ["a.flac", "a.mp3"] {
      let run = try await Prosper.run(["play", session, "-q", "-o", scratch.path(name)] + options, in: scratch)
      #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
      #expect(try chapters(scratch.path(name)) == expected, "\(name)")
    }
  }

  @Test(arguments: [1, 7, 48_000])
  func `chapters are the stages that a script has entered, at any block size`(block: Int) async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.json", Self.session())
    let script = try scratch.write(
      "s.jsonl",
      """
      {"at": "0.5s", "do": "goto", "stage": "C"}
      {"at": "0.75s", "do": "pause"}
      {"after": "6m", "do": "resume"}
      {"after": "0.25s", "do": "previousStage"}
      {"after": "0.5s", "do": "nextStage"}

      """)
    let path = scratch.path("a.opus")
    let words = ["play", session, "-q", "-o", path, "--script", script, "--block-frames", "\(block)"]
    let run = try await Prosper.run(words, in: scratch)
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    // The session pauses after a fade of 20 ms, and the pause takes no time in the file.
    #expect(try chapters(path) == ["0.000 A", "0.500 C", "1.020 B ü😀", "1.520 C"])
  }

  @Test func `chapters and tags change no sample`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write(
      "s.yaml", LiveTests.session.replacingOccurrences(of: "title:", with: "artist: A\ncover: c.png\ntitle:"))
    try Self.png.write(to: URL(fileURLWithPath: scratch.path("c.png")))
    let plain = try scratch.write("p.yaml", LiveTests.session)
    for suffix in ["mp3", "ogg", "opus", "flac"] {
      var sums: [String] = []
      for (name, words) in [("a", [session]), ("b", [plain, "--no-chapters"])] {
        let path = scratch.path("\(name).\(suffix)")
        let run = try await Prosper.run(["play", "-q", "-o", path] + words, in: scratch)
        #expect(run.status == 0, "\(run.err)")
        let decode = ["-v", "error", "-i", path, "-map", "0:a", "-f", "md5", "-"]
        sums.append(try output(of: "/usr/bin/ffmpeg", decode, environment: [:], mustSucceed: true))
      }
      #expect(sums[0] == sums[1], "\(suffix)")
    }
  }

  @Test func `a cover that is missing or no picture is an error with its place, and nothing is played`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.json", Self.session(#" "cover": "c.png","#))
    let out = scratch.path("a.flac")
    let missing = try await Prosper.run(["play", session, "-o", out], in: scratch)
    #expect(missing.status == 66 && missing.out.isEmpty)
    let place = "\(session):1:59: error: \(scratch.path("c.png"))"
    #expect(missing.err.hasPrefix("\(place): no such file; check the path"), "\(missing.err)")
    _ = try scratch.write("c.png", "<svg/>")
    let problem = "\(place): is not a picture; give the path of a JPEG or PNG file\n"
    for command in [["play", "--lenient", "-o", out], ["check"], ["show"]] {
      let run = try await Prosper.run(command + [session], in: scratch)
      #expect(run.status == 65 && (run.err == problem || run.out.hasPrefix(problem)), "\(run.err) \(run.out)")
    }
    #expect(try !scratch.names().contains("a.flac"))
    try Self.png.write(to: URL(fileURLWithPath: scratch.path("c.png")))
    #expect(try await Prosper.run(["check", session], in: scratch).status == 0)
    // The cover is an input.
    try FileManager.default.linkItem(atPath: scratch.path("c.png"), toPath: scratch.path("c.flac"))
    let over = try await Prosper.run(["play", session, "-o", scratch.path("c.flac")], in: scratch)
    #expect(over.status == 64 && over.err.contains("is a file that the session uses"), "\(over.err)")
  }

  @Test func `show writes the stages as chapters, a cue sheet and labels`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.json", Self.session())
    _ = try scratch.write("sit.flac", "")
    let (json, cue, labels) = (scratch.path("c.json"), scratch.path("sit.cue"), scratch.path("l.txt"))
    let all = ["show", session, "--chapters", json, "--cue", cue, "--labels", labels]
    let run = try await Prosper.run(all, in: scratch)
    #expect(run.status == 0 && run.out.isEmpty && run.err.isEmpty, "\(run.err)")
    let text = { (path: String) in try String(contentsOfFile: path, encoding: .utf8) }
    #expect(try text(labels) == "0.000000\t1.000000\tA\n1.000000\t2.500000\tB ü😀\n2.500000\t3.500000\tC\n")
    #expect(try text(cue).hasPrefix("TITLE \"T\"\nFILE \"sit.flac\" WAVE\n  TRACK 01 AUDIO\n"))
    for (option, path) in [("--chapters", json), ("--labels", labels)] {
      let printed = try await Prosper.run(["show", session, option, "-"], in: scratch)
      #expect(try printed.status == 0 && printed.out == text(path))
    }
    let printed = try await Prosper.run(["show", session, "--cue", "-"], in: scratch)
    #expect(printed.out.contains("FILE \"s.wav\" WAVE\n") && printed.out.contains("INDEX 01 00:02:38\n"))
  }

  @Test func `lists of stages need times, and files of their own`() async throws {
    let scratch = try Scratch()
    let open = try scratch.write("o.json", Self.session().replacingOccurrences(of: "\"1.5s\"", with: "\"open\""))
    for option in ["--chapters", "--cue", "--labels"] {
      let run = try await Prosper.run(["show", open, option, "-"], in: scratch)
      #expect(run.status == 64 && run.out.isEmpty)
      #expect(run.err.contains("\(option): stage 'B ü😀' is open, so the times after it are unknown"), "\(run.err)")
    }
    let session = try scratch.write("s.json", Self.session())
    for words in [["--cue", "-", "--labels", "-"], ["--chapters", "c.json", "--json"]] {
      #expect(try await Prosper.run(["show", session] + words, in: scratch).status == 64)
    }
    let over = try await Prosper.run(["show", session, "--labels", session], in: scratch)
    #expect(over.status == 64 && over.err.contains("is a file that the session uses"), "\(over.err)")
    let stages = (1...100).map { #"{"name": "\#($0)", "duration": 1}"# }.joined(separator: ",")
    let many = try scratch.write("m.json", #"{"prosper": 1, "title": "T", "stages": [\#(stages)]}"#)
    let run = try await Prosper.run(["show", many, "--cue", "-"], in: scratch)
    #expect(run.status == 64 && run.err.contains("a cue sheet has at most 99 tracks"), "\(run.err)")
  }
}

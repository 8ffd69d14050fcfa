import Foundation
import Signal
import TestSupport
import Testing

/// Output to files, to streams and to no device, through the whole program.
@Suite struct OutputTests {
  @Test func `a stream on stdout equals the file, sample for sample, and events go to stderr`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", LiveTests.session)
    let arguments = ["play", session, "--encoding", "f32", "--events", "jsonl", "-o"]
    let file = try await Prosper.run(arguments + [scratch.path("a.wav")], in: scratch)
    #expect(file.status == 0 && file.err.isEmpty)
    let shell = "exec \"$0\" \"$@\" > \(scratch.path("raw"))"
    let stream = try await Prosper.run(
      [Prosper.executable.path] + arguments + ["-"], in: scratch, program: ["/bin/sh", "-c", shell])
    #expect(stream.status == 0 && Prosper.played(in: stream.err) == file.played)
    let raw = try Data(contentsOf: URL(fileURLWithPath: scratch.path("raw")))
    let frames = raw.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 8).map { bytes.loadUnaligned(fromByteOffset: $0, as: Frame.self) }
    }
    let isTheFile = try frames == FloatWave(at: scratch.path("a.wav")).frames
    #expect(isTheFile)
  }

  @Test func `a reader of the older event schema receives its seven states`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", LiveTests.session)
    let run = try await Prosper.run(["play", session, "-o", "null:fast", "--events", "jsonl:1"], in: scratch)
    let events = try run.events()
    #expect(events.map { $0["seq"] as? Int } == Array(1...events.count))
    let states = events.filter { $0["event"] as? String == "state" }
    #expect(states.map { $0["state"] as? String } == ["preparing", "playing", "fadingOut", "playing", "finished"])
    #expect(states.map { $0["previous"] as? String } == ["idle", "preparing", "playing", "fadingOut", "playing"])
    #expect(states.allSatisfy { $0["schema"] as? Int == 1 })
    #expect(events.contains { $0["event"] as? String == "crossfade.started" })
  }

  @Test func `two renders have the same bytes and the same events at any block size`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", LiveTests.session)
    let whole = try await Prosper.run(["play", session, "-o", scratch.path("0.flac")], in: scratch)
    for block in [1, 480, 60_000] {
      let path = scratch.path("\(block).flac")
      let run = try await Prosper.run(["play", session, "-o", path, "--block-frames", "\(block)"], in: scratch)
      #expect(run.status == 0 && run.out == whole.out, "\(block)")
      #expect(FileManager.default.contentsEqual(atPath: path, andPath: scratch.path("0.flac")), "\(block)")
    }
  }

  @Test(arguments: ["s.jsonl", "struck.wav"])
  func `a render refuses to overwrite its script and the sounds that it names`(output: String) async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", LiveTests.session)
    let sound = Data(TestWave.stereo(TestSound.noise(800), rate: 8_000))
    try sound.write(to: URL(fileURLWithPath: scratch.path("struck.wav")))
    // A name of the sound that occurs only in the script.
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("link.wav"), withDestinationPath: scratch.path("struck.wav"))
    let script = try scratch.write("s.jsonl", #"{"at": 0.5, "do": "gong", "sound": "link.wav"}"#)
    // An output with an unknown extension would be refused for that reason.
    let target = scratch.path(output == "s.jsonl" ? "script.wav" : output)
    if output == "s.jsonl" { try FileManager.default.linkItem(atPath: script, toPath: target) }
    let before = try Data(contentsOf: URL(fileURLWithPath: target))
    let run = try await Prosper.run(["play", session, "--script", script, "-o", target], in: scratch)
    #expect(run.status == 64 && run.err.contains("is a file that the session uses"), "\(run.err)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == before)
  }

  @Test func `a 16-bit stereo file is reproduced bit for bit`() async throws {
    let scratch = try Scratch()
    let make = try await Prosper.run(
      ["sounds", "--play", "bell", "-o", scratch.path("in.wav"), "--encoding", "s16"], in: scratch)
    #expect(make.status == 0)
    // The title of the sound, which is a tag of both files.
    let text = #"{"prosper": 1, "title": "bell", "stages": [{"name": "A", "tracks": ["in.wav"]}]}"#
    let session = try scratch.write("s.json", text)
    let run = try await Prosper.run(["play", session, "-o", scratch.path("out.wav"), "--encoding", "s16"], in: scratch)
    #expect(run.status == 0)
    #expect(FileManager.default.contentsEqual(atPath: scratch.path("in.wav"), andPath: scratch.path("out.wav")))
  }

  @Test(arguments: [1, 2, 7])
  func `a signal during a render leaves a complete file of what was played`(jobs: Int) async throws {
    let scratch = try Scratch()
    let sessions = Prosper.root.appendingPathComponent("sessions/sleep.yaml").path
    for (signal, status) in [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)] {
      let path = scratch.path("\(status).wav")
      let words = ["play", sessions, "-o", path, "--encoding", "f32", "--jobs", "\(jobs)"]
      let run = try await Prosper.run(words, in: scratch) { running in
        // The unfinished file has begun to grow, so the signal comes in the middle of the render.
        _ = eventually { scratch.holdsUnfinished(of: 1_000_000) }
        running.send(signal)
      }
      #expect(run.status == status)
      let wave = try FloatWave(at: path)
      let played = try #require(try run.events().last?["played"] as? Double)
      let milliseconds = (Double(wave.frames.count) * 1_000 / Double(wave.rate)).rounded()
      #expect(milliseconds == (played * 1_000).rounded())
      #expect(wave.frames.suffix(10).allSatisfy { $0.peak < 0.001 }, "the sound must fade out")
    }
    #expect(try scratch.names().allSatisfy { !$0.hasSuffix(".part") })
  }

  @Test func `the next render removes what a killed render has left`() async throws {
    let scratch = try Scratch()
    let long = Prosper.root.appendingPathComponent("sessions/sleep.yaml").path
    let killed = try await Prosper.run(["play", long, "-o", scratch.path("a.wav")], in: scratch) { running in
      _ = eventually { scratch.holdsUnfinished(of: 1_000_000) }
      running.send(SIGKILL)
    }
    #expect(killed.status == -SIGKILL)
    #expect(try scratch.names().contains { $0.hasSuffix(".part") })
    let session = try scratch.write("s.yaml", LiveTests.session)
    let run = try await Prosper.run(["play", session, "-o", scratch.path("b.wav")], in: scratch)
    #expect(run.status == 0)
    #expect(try scratch.names().allSatisfy { !$0.hasSuffix(".part") && $0 != "a.wav" })
  }

  @Test func `a folder removed during a render ends the render with 74 and one line`() async throws {
    let scratch = try Scratch()
    let folder = scratch.path("gone")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let session = Prosper.root.appendingPathComponent("sessions/sleep.yaml").path
    let run = try await Prosper.run(["play", session, "-o", folder + "/a.wav", "--events", "off"], in: scratch) { _ in
      _ = eventually { scratch.holdsUnfinished(of: 1_000_000, in: "gone") }
      try? FileManager.default.removeItem(atPath: folder)
    }
    let line = "prosper: \(folder)/a.wav: can't be written: "
    #expect(run.status == 74 && run.err.hasPrefix(line), "\(run.status) \(run.err)")
    #expect(run.err.split(separator: "\n").count == 1 && !FileManager.default.fileExists(atPath: folder))
  }

  /// Even root can't create a file in that folder, or one with that name.
  @Test(arguments: ["/proc/a.wav", String(repeating: "a", count: 300) + ".wav"])
  func `a file that can't be created is reported before rendering, with exit code 73`(path: String) async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", LiveTests.session)
    let run = try await Prosper.run(["play", session, "-o", path], in: scratch)
    #expect(run.status == 73 && run.err.hasPrefix("prosper: \(path): can't be created: "), "\(run.err)")
    #expect(run.err.split(separator: "\n").count == 1)
    #expect(try run.events().last?["played"] as? Double == 0)
  }

  @Test func `a reader that closes stdout ends the render with 74`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", LiveTests.session)
    let shell = "{ \"$0\" \"$@\"; echo $? > \(scratch.path("status")); } | head -c 1000 > /dev/null"
    _ = try await Prosper.run(
      [Prosper.executable.path, "play", session, "-o", "-", "--events", "off"], in: scratch,
      program: ["/bin/sh", "-c", shell])
    #expect(try String(contentsOfFile: scratch.path("status"), encoding: .utf8) == "74\n")
  }

  @Test func `a session started in its middle equals the end of the whole session`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", LiveTests.session)
    for arguments in [["whole.wav"], ["rest.wav", "--stage", "Two"], ["same.wav", "--from", "2s"]] {
      let run = try await Prosper.run(
        ["play", session, "--encoding", "f32", "-o", scratch.path(arguments[0])] + arguments.dropFirst(), in: scratch)
      let stages = try run.events().filter { $0["event"] as? String == "stage.started" }
      let isWhole = arguments.count == 1
      #expect(run.status == 0 && stages.map { $0["name"] as? String } == (isWhole ? ["One", "Two"] : ["Two"]))
    }
    let whole = try FloatWave(at: scratch.path("whole.wav")).frames
    let rest = try FloatWave(at: scratch.path("rest.wav")).frames
    let isTheEnd = rest == Array(whole.dropFirst(96_000))
    #expect(isTheEnd)
    #expect(FileManager.default.contentsEqual(atPath: scratch.path("rest.wav"), andPath: scratch.path("same.wav")))
  }

  @Test func `playback can start at any position of a session, counted from either end`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write(
      "s.yaml",
      """
      {prosper: 1, title: T, sampleRate: 8000, stages: [{name: A, duration: 5s, tracks: ['generate:rain'],
        gongs: [{sound: 'generate:wood', at: end}]}]}
      """)
    let begins: [([String], Double)] = [
      (["--from", "start"], 0), (["--from", "1s"], 1), (["--from", "-1s"], 4), (["--from=-1s"], 4),
      (["--from", "-1"], 4),
      (["--from", "-0:05"], 0), (["--from", "end"], 5),
    ]
    for (words, begin) in begins {
      let run = try await Prosper.run(["play", session, "-o", "null:fast"] + words, in: scratch)
      let events = try run.events()
      #expect(run.status == 0 && events.first?["session"] as? Double == begin, "\(words) \(run.err)")
      #expect(events.count { $0["event"] as? String == "gong" } == 1)
    }
  }

  @Test func `an invalid start position is wrong usage, reported in one line`() async throws {
    let scratch = try Scratch()
    let closed = try scratch.write("s.yaml", "{prosper: 1, title: T, stages: [{name: A, duration: 5s}]}")
    let open = try scratch.write("o.yaml", "{prosper: 1, title: T, stages: [{name: A, duration: open}]}")
    let mistakes = [
      (closed, "-6s", "--from -6s is before the session's start; count back at most 0:05"),
      (closed, "5s", "--from 5s is not before the session's end at 5 s; give an earlier position"),
      (
        closed, "-x",
        "--from '-x' is not a position; write it like 12:30, 90s, 1h5m, -30s (before the end), start or end"
      ),
      (
        open, "end",
        "--from end counts from the end, but a session with an open stage has no known end; count from the start"
      ),
      (open, "1e300", "--from 1e300 is above the limit of 168 hours; give an earlier position"),
    ]
    for (session, from, problem) in mistakes {
      let run = try await Prosper.run(["play", session, "-o", "null", "--from", from], in: scratch)
      #expect(run.status == 64 && run.err == "prosper: \(problem)\n" && run.out.isEmpty)
    }
  }

  @Test func `a mistake on the command line is reported without the warnings of the session`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write(
      "s.yaml", "{prosper: 1, title: T, stages: [{name: A, duration: 5s, repeatCount: 2}]}")
    let run = try await Prosper.run(["play", session, "-o", "null:fast", "--volume", "3"], in: scratch)
    #expect(run.status == 64 && run.err.hasPrefix("prosper: --volume '3' is not a master volume"))
  }
}

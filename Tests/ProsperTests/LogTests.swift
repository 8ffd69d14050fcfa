import Foundation
import Signal
import TestSupport
import Testing

@testable import Player
@testable import SavedState
@testable import prosper

/// The lines that live runs add to the log.
@Suite struct LogTests {
  private static let session = """
    {prosper: 1, title: 'Rain, "bells"', sampleRate: 8000,
     stages: [{name: A, duration: LENGTH, tracks: ["generate:drone"]}]}
    """

  private static func session(_ length: String, in scratch: Scratch) throws -> String {
    try scratch.write("s.yaml", session.replacing("LENGTH", with: length))
  }

  /// The fields of each line after the header.
  private static func log(in scratch: Scratch) throws -> [[String]] {
    let text = try String(contentsOfFile: path(in: scratch), encoding: .utf8)
    #expect(text.hasPrefix("start,duration,planned,session,reason,note\n") && text.hasSuffix("\n"))
    // No test has a comma in a field, but for the title of the session.
    return text.split(separator: "\n").dropFirst().map { line in
      line.replacing("\"Rain, \"\"bells\"\"\"", with: "TITLE")
        .split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
    }
  }

  private static func path(in scratch: Scratch) -> String { scratch.path("state/prosper/log.csv") }

  private static func run(
    _ words: [String], in scratch: Scratch, whileRunning: @escaping @Sendable (Running) -> Void = { _ in }
  ) async throws -> Prosper {
    try await Prosper.run(
      words, environment: ["XDG_STATE_HOME": scratch.path("state"), "TZ": "Europe/Berlin"], in: scratch,
      whileRunning: whileRunning)
  }

  private static func mode(_ path: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  @Test func `a live run is logged with start, duration, planned length, title and reason`() async throws {
    let scratch = try Scratch()
    let run = try await Self.run(["play", try Self.session("1s", in: scratch), "-o", "null"], in: scratch)
    #expect(run.status == 0 && run.err.isEmpty)
    let events = try run.events()
    let line = try #require(try Self.log(in: scratch).first)
    #expect(line.dropFirst() == ["1.000", "1.000", "TITLE", "completed", ""])
    let begin = events.first { $0["event"] as? String == "stage.started" }?["time"] as? String
    #expect(line[0].wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0[12]:00/#) != nil)
    #expect(begin?.prefix(19) == line[0].prefix(19), "\(line)")
    #expect(try Self.mode(Self.path(in: scratch)) == 0o600 && Self.mode(scratch.path("state/prosper")) == 0o700)
  }

  @Test func `a sit into a pipe is logged, and a run that ends with a signal or a command`() async throws {
    let scratch = try Scratch()
    let capture = try FIFOCapture(in: scratch)
    let script = try scratch.write("s.jsonl", #"{"at": 1.5, "do": "stop"}"#)
    let sit = ["sit", "10m", "-o", "pipe:\(capture.path)", "--no-control", "--script", script]
    #expect(try await Self.run(sit, in: scratch).status == 0)
    _ = try await capture.frames()
    let session = try Self.session("10m", in: scratch)
    for (signal, status) in [(SIGTERM, 143), (SIGINT, 130)] as [(Int32, Int32)] {
      let run = try await Self.run(["play", session, "-o", "null", "--no-control"], in: scratch) { running in
        running.waitUntilItSays(#""event":"position","stage":"A","track":"drone","position":1"#)
        running.send(signal)
      }
      #expect(run.status == status, "\(run.err)")
    }
    let lines = try Self.log(in: scratch)
    #expect(lines.map { $0[4] } == ["stopped", "terminated", "interrupted"], "\(lines)")
    #expect(lines.map { $0[3] } == ["A sit of 10 minutes", "TITLE", "TITLE"])
    let durations = lines.compactMap { Double($0[1]) }
    #expect(durations.count == 3 && durations.allSatisfy { 1..<60 ~= $0 }, "\(lines)")
    #expect(lines[1][2] == "600.000" && lines[0][2] == "633.920", "\(lines)")
  }

  @Test func `a run that a signal ends while the server stalls is logged`() async throws {
    let scratch = try Scratch()
    let server = try await onOwnThread { try PulseServer() }
    let session = try Self.session("10m", in: scratch)
    let run = try await Prosper.run(
      ["play", session], environment: ["XDG_STATE_HOME": scratch.path("state"), "PULSE_SERVER": server.address],
      in: scratch
    ) { running in
      running.waitUntilItSays(#""event":"position","stage":"A","track":"drone","position":1"#)
      server.stall()
      running.send(SIGTERM)
    }
    server.resume()
    #expect(run.status == 143)
    let lines = try Self.log(in: scratch)
    #expect(lines.count == 1 && lines[0][4] == "terminated" && 1..<60 ~= Double(lines[0][1]) ?? 0, "\(lines)")
  }

  @Test func `a run is logged once, also if the program ends before its session`() async throws {
    let scratch = try Scratch()
    let record = SitRecord(in: StateFolder(path: scratch.path("state/prosper")))
    record.leave(.completed, played: 7)
    let started = PlayerEvent.sessionStarted(title: "T", rate: .studio, duration: 90, SessionOrigin())
    for (event, time, session) in [
      (started, 1_795_671_000, 60), (.stageStarted(name: "A", index: 0, duration: nil), 1_795_671_005.9, 60),
      (.stageStarted(name: "B", index: 1, duration: nil), 1_795_671_010, 65),
    ] as [(PlayerEvent, Double, Double)] {
      record.note(StampedEvent(run: 0, time: time, session: session, event: event))
    }
    try await onOwnThread {
      record.leaveSoon(.terminated, at: 72.5)
      record.leave(.completed, played: 20)
    }
    let log = try SitLog(in: StateFolder(path: scratch.path("state/prosper"))).read()
    let start = try #require(SitTime(seconds: 1_795_671_005))
    #expect(
      log.sits.map(\.sit) == [LoggedSit(start: start, duration: 12.5, planned: 90, session: "T", reason: "terminated")])
  }

  @Test func `a log that another program keeps locked does not keep a signal from ending the program`() async throws {
    let scratch = try Scratch()
    let session = try Self.session("10m", in: scratch)
    try FileManager.default.createDirectory(
      atPath: scratch.path("state/prosper"), withIntermediateDirectories: true)
    let lock = open(Self.path(in: scratch), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX) == 0)
    let run = try await Self.run(["play", session, "-o", "null", "--no-control"], in: scratch) { running in
      running.waitUntilItSays(#""event":"position","stage":"A","track":"drone","position":1"#)
      running.send(SIGTERM)
      // A program that does not end would block the test.
      if !eventually({ !running.isThere }) { running.send(SIGKILL) }
    }
    #expect(run.status == 143)
  }

  @Test func `a run with a lost server is logged with its failure, and an open session has no planned length`()
    async throws
  {
    let scratch = try Scratch()
    let server = try await onOwnThread { try PulseServer() }
    let session = try Self.session("open", in: scratch)
    let run = try await Prosper.run(
      ["play", session, "--give-up-after", "0.1s"],
      environment: ["XDG_STATE_HOME": scratch.path("state"), "PULSE_SERVER": server.address], in: scratch
    ) { running in
      running.waitUntilItSays(#""event":"position","stage":"A","track":"drone","position":1"#)
      server.kill()
    }
    #expect(run.status == 75)
    let lines = try Self.log(in: scratch)
    #expect(lines.count == 1 && lines[0][4] == "outputFailed" && lines[0][2].isEmpty, "\(lines)")
  }

  @Test func `renders, short runs, built-in sounds and runs with --no-log are not logged`() async throws {
    let scratch = try Scratch()
    let session = try Self.session("1s", in: scratch)
    let short = try scratch.write("short.yaml", Self.session.replacing("LENGTH", with: "0.9s"))
    for words in [
      ["play", session, "-o", "null:fast"], ["play", session, "-o", scratch.path("a.wav")],
      ["play", session, "-o", "null", "--no-log"], ["play", short, "-o", "null"],
      ["sounds", "--play", "wood", "-o", "null"], ["check", session],
    ] {
      #expect(try await Self.run(words, in: scratch).status == 0, "\(words)")
    }
    // No server.
    #expect(try await Self.run(["play", session], in: scratch).status == 69)
    #expect(!FileManager.default.fileExists(atPath: Self.path(in: scratch)))
  }

  @Test func `two players that end at the same time lose no line`() async throws {
    let scratch = try Scratch()
    let session = try Self.session("1s", in: scratch)
    try await withThrowingTaskGroup(of: Int32.self) { group in
      for _ in 0..<4 {
        group.addTask { try await Self.run(["play", session, "-o", "null", "--no-control"], in: scratch).status }
      }
      for try await status in group { #expect(status == 0) }
    }
    let lines = try Self.log(in: scratch)
    #expect(lines.count == 4 && lines.allSatisfy { $0.dropFirst().first == "1.000" }, "\(lines)")
  }

  @Test func `a log that can't be written is one warning, and changes no exit code`() async throws {
    let scratch = try Scratch()
    let session = try Self.session("1s", in: scratch)
    let run = try await Prosper.run(
      ["play", session, "-o", "null"], environment: ["XDG_STATE_HOME": "/proc/nowhere"], in: scratch)
    let warnings = run.err.split(separator: "\n").filter { $0.contains("log.csv") }
    #expect(
      run.status == 0
        && warnings == [
          "prosper: /proc/nowhere/prosper/log.csv: can't be written (no such file or directory): this run is not in the log"
        ], "\(run.err)")
    if let apart = SmallDisk.apart {
      try FileManager.default.createDirectory(atPath: scratch.path("state"), withIntermediateDirectories: true)
      let program = ["/usr/bin/unshare"] + apart + ["/bin/sh", "-c", "mount -t tmpfs -o ro none \"$0\" && exec \"$@\""]
      let run = try await Prosper.run(
        ["play", session, "-o", "null"], environment: ["XDG_STATE_HOME": scratch.path("state")], in: scratch,
        program: program + [scratch.path("state"), Prosper.executable.path])
      let warnings = run.err.split(separator: "\n").filter { $0.contains("log.csv") }
      #expect(run.status == 0 && warnings.count == 1 && run.err.contains("read-only file system"), "\(run.err)")
    }
    let homeless = try await Prosper.run(["play", session, "-o", "null"], environment: ["HOME": ""], in: scratch)
    #expect(homeless.status == 0)
    #expect(homeless.err == "prosper: HOME is not set, so there is no log for this run; set HOME, or add --no-log\n")
  }
}

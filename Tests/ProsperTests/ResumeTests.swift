import Foundation
import Glibc
import SavedState
import Signal
import TestSupport
import Testing

/// A player that is killed, and the next one, which resumes its session.
struct ResumeTests {
  private static let session = """
    prosper: 1
    title: Interrupted
    sampleRate: 8000
    crossfade: 3s
    stages:
      - name: One
        duration: 5s
        tracks: [{sound: "generate:rain", end: 4s}, "generate:drone"]
        gongs: [{sound: "generate:bowl", at: 1s}]
      - name: Two
        duration: 30s
        tracks: ["generate:ocean"]
        overlays: [{sound: {sound: "generate:rain", end: 4s}, at: 2s, fadeIn: 1s}]
    """

  @Test func `a session on stdin can't be resumed, and says so`() async throws {
    for path in ["-", "/dev/stdin", "/dev/fd/0"] {
      let run = try await Prosper.run(["play", path, "--resume", "-o", "null:fast"])
      #expect(run.status == 64 && run.out.isEmpty)
      #expect(
        run.err.hasPrefix(
          "prosper: no position is saved for a session on stdin or in a pipe; save it as a file to resume it"))
    }
  }

  /// The frame at which a run began, and the last one that it reported.
  private static func frames(of run: Prosper) throws -> (first: Int, last: Int) {
    let times = try run.events().compactMap { $0["session"] as? Double }.map { Int(($0 * 8_000).rounded()) }
    return (times.first ?? 0, times.last ?? 0)
  }

  /// The folder can't be written, as on a full disk.
  @Test func `a position that can't be saved is reported once, and the session plays`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("s.yaml", LiveTests.session)
    let run = try await Prosper.run(
      ["play", session, "-o", "null", "--no-control", "--no-log"], environment: ["XDG_STATE_HOME": "/proc/nowhere"],
      in: scratch)
    #expect(run.status == 0 && run.err.hasPrefix("prosper: /proc/nowhere/prosper/place-"), "\(run.err)")
    #expect(run.err.hasSuffix(": this session can't be resumed\n") && run.err.split(separator: "\n").count == 1)
  }

  /// Plays the session from its seventh second and ends it with a signal.
  private static func leave(_ session: String, in scratch: Scratch) async throws {
    let left = try await Prosper.run(["play", session, "-o", "null", "--no-control", "--from", "7s"], in: scratch) {
      $0.waitUntilItSays(#""event":"position""#)
      $0.send(SIGTERM)
    }
    #expect(left.status == 143)
  }

  @Test(arguments: ["null", "pipe:fifo"])
  func `a session ended during a pause resumes where it was paused`(output: String) async throws {
    let scratch = try Scratch()
    let session = try scratch.write("session.yaml", Self.session)
    // The volume is set long after the ramp into the pause has been heard.
    let script = try scratch.write(
      "s.jsonl", #"{"at": 0.5, "do": "pause"}"# + "\n" + #"{"at": 1, "do": "volume", "to": 0.5}"#)
    let name = output.replacing("fifo", with: scratch.path("fifo"))
    let left = try await Prosper.run(["play", session, "-o", name, "--no-control", "--script", script], in: scratch) {
      $0.waitUntilItSays(#""event":"volume""#)
      $0.send(SIGINT)
    }
    let paused = try #require(try left.events().first { $0["state"] as? String == "paused" }?["session"] as? Double)
    #expect(left.status == 130)
    // After the ramp; both times are reported in milliseconds.
    #expect(try abs(Self.frames(of: left).last - Int((paused * 8_000).rounded()) - 160) <= 8)
    let run = try await Prosper.run(["play", "--resume", "-o", "null:fast"], in: scratch)
    #expect(try Self.frames(of: run).first <= Self.frames(of: left).last && run.status == 0)
  }

  @Test func `a session that never began can't be resumed`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("session.yaml", Self.session)
    #expect(try await Prosper.run(["play", session, "-o", "pulse", "--no-control"], in: scratch).status == 69)
    let none = try await Prosper.run(["play", "--resume", "-o", "null:fast"], in: scratch)
    #expect(none.status == 66 && none.err.hasPrefix("prosper: there is no unfinished session to resume; "))
  }

  @Test func `a run that never began keeps the saved position of the run before it`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("session.yaml", Self.session)
    try await Self.leave(session, in: scratch)
    #expect(try await Prosper.run(["play", session, "-o", "pulse", "--no-control"], in: scratch).status == 69)
    let run = try await Prosper.run(["play", "--resume", "-o", "null:fast"], in: scratch)
    #expect(try run.status == 0 && 7 * 8_000 <= Self.frames(of: run).first)
  }

  @Test func `a session that is started again reports where it was left, and can still be resumed there`() async throws
  {
    let scratch = try Scratch()
    let session = try scratch.write("session.yaml", Self.session)
    try await Self.leave(session, in: scratch)
    let words = ["play", session, "-o", "null", "--no-control"]
    let anew = try await Prosper.run(words, in: scratch) {
      $0.waitUntilItSays(#""event":"position""#)
      $0.send(SIGTERM)
    }
    // The session has warnings of its own.
    let notes = anew.err.split(separator: "\n").filter { $0.hasPrefix("prosper: \(session) was interrupted at 0:0") }
    #expect(notes.count == 1 && notes.allSatisfy { $0.contains(" of stage 'Two'; to continue there, ") }, "\(anew.err)")
    #expect(notes.allSatisfy { $0.hasSuffix("and run: prosper play --resume \(session)") })
    let run = try await Prosper.run(["play", "--resume", "-o", "null:fast"], in: scratch)
    #expect(try run.status == 0 && 7 * 8_000 <= Self.frames(of: run).first)
    #expect(!run.err.contains("was interrupted at"))
  }

  @Test func `a resumed render that starts after an open stage needs no end of that stage`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write(
      "session.yaml",
      """
      prosper: 1
      title: Waits
      sampleRate: 8000
      stages:
        - {name: Wait, duration: open, tracks: ["generate:drone"]}
        - {name: Two, duration: 20s, tracks: ["generate:rain"]}
      """)
    let whole = try await Prosper.run(["play", session, "-o", scratch.path("a.wav")], in: scratch)
    #expect(whole.status == 64 && whole.err.contains("stage 'Wait' is open"))
    let script = try scratch.write("s.jsonl", #"{"at": 0.5, "do": "nextStage"}"#)
    let left = try await Prosper.run(
      ["play", session, "-o", "null", "--no-control", "--script", script], in: scratch
    ) {
      $0.waitUntilItSays(#""session":2.0"#)
      $0.send(SIGKILL)
    }
    #expect(left.status == -SIGKILL)
    let run = try await Prosper.run(["play", "--resume", session, "-o", scratch.path("b.wav")], in: scratch)
    #expect(run.status == 0, "\(run.err)")
    #expect(try run.events().first { $0["event"] as? String == "stage.started" }?["name"] as? String == "Two")
    let rest = try await Prosper.run(["play", session, "--stage", "Two", "-o", scratch.path("c.wav")], in: scratch)
    #expect(rest.status == 0 && FileManager.default.fileExists(atPath: scratch.path("c.wav")), "\(rest.err)")
  }

  /// It may have been left long before.
  @Test func `a session that was left before another one finished resumes only by its name`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("session.yaml", Self.session)
    try await Self.leave(session, in: scratch)
    let short = try scratch.write(
      "short.yaml", "prosper: 1\ntitle: S\nstages: [{name: A, duration: 1s, tracks: [\"generate:rain\"]}]")
    #expect(try await Prosper.run(["play", short, "-o", "null", "--no-control"], in: scratch).status == 0)
    let bare = try await Prosper.run(["play", "--resume", "-o", "null:fast"], in: scratch)
    #expect(bare.status == 66 && bare.out.isEmpty)
    #expect(
      bare.err.hasPrefix("prosper: the last session finished; \(session), played before it, was interrupted at"))
    let named = try await Prosper.run(["play", "--resume", session, "-o", "null:fast"], in: scratch)
    #expect(try named.status == 0 && 7 * 8_000 <= Self.frames(of: named).first)
  }

  @Test func `a finished session is not resumed`() async throws {
    let scratch = try Scratch()
    let short = try scratch.write(
      "short.yaml", "prosper: 1\ntitle: S\nstages: [{name: A, duration: 1s, tracks: [\"generate:rain\"]}]")
    #expect(try await Prosper.run(["play", short, "-o", "null", "--no-control"], in: scratch).status == 0)
    let none = try await Prosper.run(["play", "--resume", "-o", "null:fast"], in: scratch)
    #expect(none.status == 66 && none.err.hasPrefix("prosper: there is no unfinished session to resume; "))
    let again = try await Prosper.run(["play", "--resume", short, "-o", "null:fast"], in: scratch)
    #expect(try again.status == 0 && Self.frames(of: again).first == 0)
  }

  @Test func `without a name, the session that was left last is resumed, even if a signal ended it`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("session.yaml", Self.session)
    try await Self.leave(session, in: scratch)
    let run = try await Prosper.run(["play", "--resume", "-o", "null:fast"], in: scratch)
    let (first, _) = try Self.frames(of: run)
    #expect(run.status == 0 && 8 * 8_000 <= first)
    #expect(try run.events().first { $0["event"] as? String == "stage.started" }?["name"] as? String == "Two")
  }

  @Test func `a session that has changed since it was interrupted is not resumed`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("session.yaml", Self.session)
    _ = try await Prosper.run(["play", session, "-o", "null", "--no-control"], in: scratch) {
      $0.waitUntilItSays(#""event":"position""#)
      $0.send(SIGKILL)
    }
    _ = try scratch.write("session.yaml", Self.session + "\n")
    let run = try await Prosper.run(["play", "--resume", session, "-o", "null:fast"], in: scratch)
    #expect(run.status == 65 && run.out.isEmpty)
    #expect(run.err.contains("session.yaml or one of its sounds has changed since it was interrupted at 0:0"))
    #expect(run.err.contains(" of stage '") && run.err.contains("or start with that stage: --stage "), "\(run.err)")
    let time = try #require(run.err.firstMatch(of: #/, or at that time: --from ([0-9:]+)\n/#)?.1)
    #expect(
      try await Prosper.run(["play", session, "--from", String(time), "-o", "null:fast"], in: scratch).status == 0)
  }

  /// No session time passes during a pause, however long the pause is.
  @Test func `changes made during a pause are kept`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("session.yaml", Self.session)
    let script = try scratch.write(
      "s.jsonl",
      """
      {"at": 0.5, "do": "pause"}
      {"at": 1, "do": "volume", "to": 0.25}
      {"at": 2.5, "do": "metrics"}
      """)
    let left = try await Prosper.run(
      ["play", session, "-o", "null", "--no-control", "--script", script], in: scratch
    ) {
      $0.waitUntilItSays(#""event":"metrics""#)
      $0.send(SIGKILL)
    }
    #expect(left.status == -SIGKILL)
    let quiet = try scratch.write(
      "q.jsonl", #"{"at": 0.5, "expect": {"volume": 0.25, "within": 0.001}}"#)
    let run = try await Prosper.run(
      ["play", "--resume", session, "-o", "null:fast", "--script", quiet], in: scratch)
    #expect(run.status == 0, "\(run.err)")
  }

  /// A script executes the command here, as `ctl` does.
  @Test(arguments: [false, true])
  func `a sound added by a command must be unchanged when the session is resumed`(isChanged: Bool) async throws {
    let scratch = try Scratch()
    let session = try scratch.write("session.yaml", Self.session)
    let sound = URL(fileURLWithPath: scratch.path("in.wav"))
    try Data(TestWave.stereo(TestSound.noise(160_000), rate: 8_000)).write(to: sound)
    let script = try scratch.write("s.jsonl", #"{"at": 1.5, "do": "playlist", "op": "append", "tracks": ["in.wav"]}"#)
    let left = try await Prosper.run(
      ["play", session, "-o", "null", "--no-control", "--script", script], in: scratch
    ) {
      // Two saved positions after the command.
      $0.waitUntilItSays(#""session":3.0"#)
      $0.send(SIGKILL)
    }
    #expect(left.status == -SIGKILL)
    if isChanged {
      try Data(TestWave.stereo(TestSound.noise(160_000, seed: 2), rate: 8_000)).write(to: sound)
    }
    let run = try await Prosper.run(["play", "--resume", session, "-o", "null:fast"], in: scratch)
    #expect(run.status == (isChanged ? 65 : 0) && run.out.isEmpty == isChanged)
    #expect(run.err.contains("session.yaml or one of its sounds has changed since") == isChanged)
  }

  @Test(arguments: ["", "{}", "{\"session\":1}\n{", String(repeating: "\n", count: 9_000)])
  func `an unreadable saved position counts as none`(text: String) async throws {
    let scratch = try Scratch()
    let session = try scratch.write("session.yaml", Self.session)
    _ = try await Prosper.run(["play", session, "-o", "null", "--no-control"], in: scratch) {
      $0.waitUntilItSays(#""event":"position""#)
      $0.send(SIGKILL)
    }
    let folder = scratch.path(".local/state/prosper")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix("place-") {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
    }
    let run = try await Prosper.run(["play", "--resume", "-o", "null:fast"], in: scratch)
    #expect(run.status == 66)
  }

  @Test func `changes saved by another version are left out if lenient, and refused if strict`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("session.yaml", Self.session)
    try await Self.leave(session, in: scratch)
    let folder = scratch.path(".local/state/prosper")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    let path = folder + "/" + (try #require(names.first { $0.hasPrefix("place-") }))
    let left = try #require(SavedPosition.load(of: session, from: StateFolder(path: folder)))
    var fields = try #require(
      JSONSerialization.jsonObject(with: JSONEncoder().encode(left)) as? [String: Any])
    var place = try #require(fields["place"] as? [String: Any])
    place["past"] = ["frames": 8]
    fields["place"] = place
    let json = try JSONSerialization.data(withJSONObject: fields)
    try (Data("\(Fingerprint(json).text) ".utf8) + json + Data("\n".utf8)).write(to: URL(fileURLWithPath: path))
    let strict = try await Prosper.run(["play", "--resume", session, "-o", "null:fast", "--strict"], in: scratch)
    #expect(strict.status == 65 && strict.out.isEmpty, "\(strict.err)")
    #expect(strict.err.contains("during playback can't be repeated; leave out --strict, or add --lenient, to "))
    let lenient = try await Prosper.run(["play", "--resume", session, "-o", "null:fast", "--lenient"], in: scratch)
    #expect(lenient.status == 0 && lenient.err.contains("can't be repeated; the stage resumes as planned"))
    #expect(try 8 * 8_000 <= Self.frames(of: lenient).first)
  }
}

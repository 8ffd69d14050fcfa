import Foundation
import TestSupport
import Testing

/// Systems that lack threads or open files, and disks that fail for a moment: prosper plays everything, or ends with the
/// true cause.
@Suite struct ShortageTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func session(of track: String, _ duration: String = "") throws -> String {
    let text = "prosper: 1\ntitle: Short\nsampleRate: 48000\nstages: [{name: One, \(duration)tracks: ['\(track)']}]\n"
    return try scratch.write("s.yaml", text)
  }

  /// A sound of half a second at 48 kHz, in the format of the file's name.
  private func sound(_ name: String) async throws -> String {
    let stage = "{name: One, duration: 0.5, tracks: ['generate:rain']}"
    let text = "prosper: 1\ntitle: Sound\nsampleRate: 48000\nstages: [\(stage)]\n"
    let made = try await Prosper.run(
      ["play", try scratch.write("sound.yaml", text), "-o", scratch.path(name)], in: scratch)
    #expect(made.status == 0, "\(made.err)")
    return scratch.path(name)
  }

  /// Runs prosper with a limit. Files of tests that run at the same time, which it would inherit, are closed.
  private func limited(_ limit: String) -> [String] {
    let close = #"for file in /proc/$$/fd/*; do file=${file##*/}; ((file < 3)) || eval "exec $file>&-"; done"#
    return ["/bin/bash", "-c", close + "; ulimit \(limit); exec \"$0\" \"$@\"", Prosper.executable.path]
  }

  private static let noThread = "the system can't create another thread; end other programs"

  /// The threads start in this order: two for tasks, signals, events, encoder, loads, control, and those that decode.
  @Test(arguments: 0...8)
  func `a render ends with the cause if the system can't create a thread`(threads: Int) async throws {
    let few = try Prosper.preloading(.fewThreads).merging(["FEW_THREADS": "\(threads)"]) { $1 }
    let session = try session(of: "generate:rain", "duration: 1, ")
    let run = try await Prosper.run(
      ["play", session, "-o", scratch.path("a.wav"), "--jobs", "1"], environment: few, in: scratch)
    #expect(run.status == 73 && run.err.hasSuffix("\(Self.noThread)\n"), "\(run.status) \(run.err)")
    #expect(!run.out.contains(#""state":"playing""#))
    #expect(try scratch.names().allSatisfy { !$0.hasSuffix(".wav") && !$0.hasSuffix(".part") })
  }

  @Test(arguments: 0...16)
  func `a live session plays, or ends with the cause before it plays`(threads: Int) async throws {
    let few = try Prosper.preloading(.fewThreads).merging(["FEW_THREADS": "\(threads)"]) { $1 }
    let session = try session(of: try await sound("a.wav"))
    let run = try await Prosper.run(["play", session, "-o", "null"], environment: few, in: scratch)
    if run.status == 0 {
      #expect(run.out.contains(#""played":0.500"#) && 8 <= threads, "\(run.out)")
    } else {
      #expect(run.status == 73 && run.err.hasSuffix("\(Self.noThread)\n"), "\(run.status) \(run.err)")
      #expect(!run.out.contains(#""state":"playing""#))
    }
  }

  @Test func `what plays nothing needs no further thread`() async throws {
    let few = try Prosper.preloading(.fewThreads).merging(["FEW_THREADS": "0"]) { $1 }
    let session = try session(of: try await sound("a.wav"))
    for words in [["--version"], ["check", session], ["show", session], ["sessions"]] {
      let run = try await Prosper.run(words, environment: few, in: scratch)
      #expect(run.status == 0 && run.err.isEmpty, "\(words) \(run.status) \(run.err)")
    }
  }

  @Test(arguments: ["wav", "flac", "mp3"], [4, 5, 6, 8, 12, 16, 20, 24, 32, 64])
  func `with few open files a render is whole, or ends with the cause`(format: String, files: Int) async throws {
    let session = try session(of: try await sound("a.\(format)"))
    let output = scratch.path("out.\(format)")
    let run = try await Prosper.run(
      ["play", session, "-o", output], in: scratch, program: limited("-n \(files)"))
    if run.status == 0 {
      #expect(run.out.contains(#""played":0.500,"tracks":1"#) && run.err.isEmpty, "\(run.err)")
      #expect(FileManager.default.fileExists(atPath: output))
    } else {
      #expect([66, 73].contains(run.status) && files < 64, "\(run.status)")
      let isTrue = run.err.split(separator: "\n").allSatisfy {
        $0.lowercased().contains("too many open files; raise the limit with 'ulimit -n'")
      }
      #expect(isTrue && !run.err.isEmpty, "\(run.err)")
    }
  }

  @Test(arguments: [8, 12, 16, 20, 24, 32, 64])
  func `with few open files a live session plays its sound, or its exit code says that it did not`(
    files: Int
  ) async throws {
    let session = try session(of: try await sound("a.wav"))
    // The length of the sound is known, so the session begins.
    #expect(try await Prosper.run(["check", session], in: scratch).status == 0)
    let run = try await Prosper.run(["play", session, "-o", "null"], in: scratch, program: limited("-n \(files)"))
    let isHeard = run.out.contains(#""played":0.500,"tracks":1"#)
    #expect(isHeard == (run.status == 0), "\(run.status) \(run.out) \(run.err)")
    if !isHeard { #expect("\(run.err)\(run.out)".lowercased().contains("too many open files; raise"), "\(run.err)") }
  }

  /// `errno` 5 is EIO.
  @Test func `a read that fails once is tried again, and one that always fails is not called damage`() async throws {
    let sound = try await sound("a.flac")
    let session = try session(of: sound)
    let failing = ["STALLED_FILE": sound, "STALLED_AFTER": "0", "STALLED_ERROR": "5"]
      .merging(try Prosper.preloading(.stalledFile)) { $1 }
    let words = ["play", session, "-o", "null:fast", "--events", "off"]
    let once = try await Prosper.run(words, environment: failing, in: scratch)
    #expect(once.status == 0 && once.err.isEmpty, "\(once.err)")
    let always = ["STALLED_COUNT": "1000000"].merging(failing) { $1 }
    let run = try await Prosper.run(["check", session], environment: always, in: try Scratch())
    #expect(run.status == 66 && run.out.contains("\(sound): can't be read: input/output error"), "\(run.out)")
  }
}

import Foundation
import Signal
import TestSupport
import Testing

/// `prosper show --bundle`: a session as a folder that plays anywhere.
@Suite struct BundleTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Writes a session with two files of one name, one of them used twice, a spoken text, and a parameter.
  private func session() throws -> String {
    for (folder, title) in [("a", "One"), ("b", "Two")] {
      try FileManager.default.createDirectory(atPath: scratch.path(folder), withIntermediateDirectories: false)
      let wave = TestWave.stereo(TestSound.noise(title == "One" ? 8_000 : 4_000), rate: 8_000)
      try tagged(wave, title: title, artist: "Ann").write(to: URL(fileURLWithPath: scratch.path("\(folder)/s.wav")))
    }
    return try scratch.write(
      "s.yaml",
      """
      prosper: 1
      title: Evening
      parameters: {first: A}
      sounds: {words: {say: "Sit. [pause 300ms] ~ Rest.", breath: 500ms}}
      stages:
        - name: "${first}"
          tracks: [a/s.wav, {file: b/s.wav, start: 0.1s, volume: -6dB}, words]
          overlays: [{sound: a/s.wav, at: 100ms, volume: 0.5}]
          gongs: [{sound: "generate:bowl", at: start}]
      """)
  }

  /// The files of the test, without those that receive what is printed.
  private func names() throws -> [String] { try scratch.names().filter { !$0.hasPrefix("std") } }

  /// Fills the cache of spoken sentences.
  private func speak(_ session: String) async throws {
    let run = try await Prosper.run(["check", session], in: scratch)
    #expect(run.status == 0, "\(run.out)")
  }

  private func rendered(
    _ session: String, _ name: String, environment: [String: String] = [:]
  ) async throws -> Data {
    let file = scratch.path(name)
    let run = try await Prosper.run(
      ["play", session, "-o", file, "--encoding", "f32", "--seed", "7", "--events", "off"],
      environment: environment, in: scratch)
    #expect(run.status == 0, "\(run.err)")
    return try Data(contentsOf: URL(fileURLWithPath: file))
  }

  @Test(arguments: [44_100, 48_000])
  func `a bundle that was moved renders the same file, without an engine`(rate: Int) async throws {
    let session = try session()
    var text = try String(contentsOfFile: session, encoding: .utf8)
    text = text.replacing("title: Evening", with: "title: Evening\nsampleRate: \(rate)\nloudness: {music: -24}")
    try text.write(toFile: session, atomically: true, encoding: .utf8)
    let made = try await Prosper.run(["show", session, "--bundle", scratch.path("x")], in: scratch)
    #expect(made.status == 0 && made.err.isEmpty, "\(made.err)")
    let original = try await rendered(session, "s.wav")
    let files = FileManager.default
    #expect(
      try files.contentsOfDirectory(atPath: scratch.path("x/sounds")).sorted() == ["Sit. Rest.wav", "s 2.wav", "s.wav"])
    try files.createDirectory(atPath: scratch.path("far"), withIntermediateDirectories: false)
    try files.moveItem(atPath: scratch.path("x"), toPath: scratch.path("far/y"))
    for gone in ["a", "b", ".cache"] { try? files.removeItem(atPath: scratch.path(gone)) }
    let check = try await Prosper.run(
      ["check", scratch.path("far/y/session.yaml")], environment: ["PATH": "/nowhere"], in: scratch)
    #expect(check.status == 0, "\(check.out)")
    #expect(
      try await rendered(scratch.path("far/y/session.yaml"), "copy.wav", environment: ["PATH": "/nowhere"]) == original)
    let credits = try String(contentsOfFile: scratch.path("far/y/CREDITS.txt"), encoding: .utf8)
    #expect(credits.contains("sounds/s 2.wav\n  Title: Two\n  Artist: Ann\n"), "\(credits)")
    #expect(credits.contains("Spoken by: espeak-ng, its voice for en\n"), "\(credits)")
    let captions = try String(contentsOfFile: scratch.path("far/y/captions.vtt"), encoding: .utf8)
    #expect(captions.hasPrefix("WEBVTT\n") && captions.contains("\nRest.\n"), "\(captions)")
  }

  @Test func `a folder with something in it is refused, and nothing is left of a bundle that fails`() async throws {
    let session = try session()
    let folder = scratch.path("full")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    _ = try scratch.write("full/mine.txt", "mine")
    try await speak(session)
    let before = try names()
    for (path, status) in [(folder, 73), (session, 73), (scratch.path("none/x"), 73), ("-", 64)] {
      let run = try await Prosper.run(["show", session, "--bundle", path], in: scratch)
      #expect(run.status == status && run.out.isEmpty, "\(path): \(run.status) \(run.err)")
    }
    for option in ["--json", "--resolved", "--commands"] {
      #expect(try await Prosper.run(["show", session, "--bundle", folder, option], in: scratch).status == 64)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["mine.txt"])
    #expect(try names() == before)
    try FileManager.default.removeItem(atPath: scratch.path("b/s.wav"))
    #expect(try await Prosper.run(["show", session, "--bundle", scratch.path("x")], in: scratch).status == 66)
    #expect(try names() == before)
  }

  @Test func `a disk that becomes full is told, and nothing is left`() async throws {
    let session = try session()
    let folder = scratch.path("disk")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try await speak(session)
    let run = try await SmallDisk.standIn.run(
      ["show", session, "--bundle", "\(folder)/x"], .bytes(9_000), at: folder, in: scratch)
    #expect(run.status == 74 && run.out.contains("\(folder)/x/sounds/"), "\(run.status) \(run.out) \(run.err)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
  }
}

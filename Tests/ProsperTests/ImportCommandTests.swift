import Foundation
import Signal
import TestSupport
import Testing

@testable import prosper

/// `prosper new FILE LIST`: sessions of playlists, cue sheets, labels, programs of SBaGen and guides.
struct ImportCommandTests {
  /// A session of three stages as a sound file, with its cue sheet and its labels beside it.
  private static func rendered(in scratch: Scratch) async throws {
    let session = try scratch.write(
      "source.yaml",
      """
      prosper: 1
      title: Three parts
      artist: Ann
      sampleRate: 44100
      stages:
        - {name: Arrive, duration: 3.3s, tracks: ["generate:pink"]}
        - {name: Sit, duration: 4.04s, tracks: ["generate:white"]}
        - {name: Back, duration: 2s, tracks: ["generate:pink"]}
      """)
    let played = try await Prosper.run(["play", session, "-o", scratch.path("sit.wav")], in: scratch)
    #expect(played.status == 0, "\(played.err)")
    let shown = try await Prosper.run(
      ["show", session, "--cue", scratch.path("sit.cue"), "--labels", scratch.path("sit.txt")], in: scratch)
    #expect(shown.status == 0, "\(shown.err)")
  }

  @Test(arguments: ["sit.cue", "sit.txt"])
  func `a cue sheet and labels that prosper wrote become a session with the same ones, and the same sound`(
    list: String
  ) async throws {
    let scratch = try Scratch()
    try await Self.rendered(in: scratch)
    let path = scratch.path("new.yaml")
    let made = try await Prosper.run(["new", path, scratch.path(list)], in: scratch)
    #expect(made.status == 0 && made.err.isEmpty, "\(made.err)")
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("file: sit.wav"))
    let check = try await Prosper.run(["check", path], in: scratch)
    #expect(check.status == 0, "\(check.out)")
    let option = list == "sit.cue" ? "--cue" : "--labels"
    let shown = try await Prosper.run(["show", path, option, "-"], in: scratch)
    let lines = try String(contentsOfFile: scratch.path(list), encoding: .utf8).split(separator: "\n")
    // On stdout, a cue sheet has the name of the session.
    let kept = lines.filter { !$0.hasPrefix("FILE") && !$0.hasPrefix("TITLE") && !$0.hasPrefix("PERFORMER") }
    #expect(shown.out.split(separator: "\n").suffix(kept.count) == kept[...], "\(shown.out)")
    let played = try await Prosper.run(
      ["play", path, "-o", scratch.path("again.wav")], in: scratch)
    #expect(played.status == 0, "\(played.err)")
    let compared = try await Prosper.run(
      ["compare", scratch.path("sit.wav"), scratch.path("again.wav")], in: scratch)
    #expect(compared.status == 0, "\(compared.out)")
  }

  @Test func `what a playlist can't give is told on stderr, and stands as a comment above its track`() async throws {
    let scratch = try Scratch()
    let sound = Data(TestWave.stereo(TestSound.noise(8_000), rate: 8_000))
    try FileManager.default.createDirectory(atPath: scratch.path("music"), withIntermediateDirectories: false)
    try sound.write(to: URL(fileURLWithPath: scratch.path("music/a.wav")))
    try sound.write(to: URL(fileURLWithPath: scratch.path("b.wav")))
    // The names of Windows, a title in Windows-1252, and a file that is missing.
    let list = scratch.path("l.m3u")
    let text =
      Array("#EXTINF:1,Caf".utf8) + [0xE9] + Array("\r\nmusic\\a.wav\r\ngone.mp3\r\n\(scratch.path("b.wav"))".utf8)
    try Data(text).write(to: URL(fileURLWithPath: list))
    let path = scratch.path("music/s.yaml")
    let made = try await Prosper.run(["new", path, list], in: scratch)
    #expect(made.status == 0, "\(made.err)")
    #expect(made.err == "\(list):3:1: warning: \(scratch.path("gone.mp3")): no such file; check the path\n")
    let written = try String(contentsOfFile: path, encoding: .utf8)
    #expect(
      written.contains(
        """
              - {file: a.wav, title: "Café"}
              # line 3: \(scratch.path("gone.mp3")): no such file
              - "../b.wav"

        """), "\(written)")
    let check = try await Prosper.run(["check", path], in: scratch)
    #expect(check.status == 0, "\(check.out)")
  }

  @Test func `a guide is spoken by the voice that is given`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("s.yaml")
    let guide = try scratch.write("guide.txt", "# One\n\nSit. [pause 2s]\n\n# Two\n\nRest.\n")
    let made = try await Prosper.run(["new", path, guide, "--voice", "anna"], in: scratch)
    #expect(made.status == 0 && made.err.isEmpty, "\(made.err)")
    let written = try String(contentsOfFile: path, encoding: .utf8)
    #expect(written.contains("  voice: {default: anna, description: "), "\(written)")
    #expect(written.split(separator: "voice: \"${voice}\"").count == 3, "\(written)")
    let show = try await Prosper.run(["show", "--resolved", path], in: scratch)
    #expect(show.out.split(separator: "voice: anna").count == 3, "\(show.out)\(show.err)")
    let labels = try scratch.write("labels.txt", "0\t0.5\tA\n")
    let sound = Data(TestWave.stereo(TestSound.noise(8_000), rate: 8_000))
    try sound.write(to: URL(fileURLWithPath: scratch.path("labels.wav")))
    for refused in [[labels], [guide, "--voice", "b"], ["a.m3u"]] {
      let run = try await Prosper.run(["new", scratch.path("t.yaml"), "--voice", "anna"] + refused, in: scratch)
      #expect(run.status == 64 && run.err.contains("a guide"), "\(refused) \(run.err)")
      #expect(!FileManager.default.fileExists(atPath: scratch.path("t.yaml")))
    }
  }

  @Test func `a list that can't become a session is refused, and nothing is written`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("s.yaml")
    let text = try scratch.write("guide.txt", "[pause 2s] [sit]\n0\t1\n")
    let refused = try await Prosper.run(["new", path, text], in: scratch)
    #expect(refused.status == 65 && refused.err.hasPrefix("\(text):1:1: error: "), "\(refused.err)")
    let list = try scratch.write("a.m3u", "gone.wav\n")
    #expect(try await Prosper.run(["new", path, list], in: scratch).status == 66)
    #expect(try await Prosper.run(["new", path, scratch.path("none.cue")], in: scratch).status == 66)
    for others in [[text], ["--minutes", "5"], ["--voice", text], ["--template", "sit"], ["x.wav"]] {
      #expect(try await Prosper.run(["new", path, list] + others, in: scratch).status == 64, "\(others)")
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}

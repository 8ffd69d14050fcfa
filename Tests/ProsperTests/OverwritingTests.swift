import Foundation
import TestSupport
import Testing

/// No command writes over a file from which it reads, and a file that is replaced keeps its mode.
@Suite struct OverwritingTests {
  private func prepared() throws -> (scratch: Scratch, session: String) {
    let scratch = try Scratch()
    let sound = Data(TestWave.stereo(TestSound.noise(8_000), rate: 8_000))
    for name in ["a.wav", "unused.wav", "bad.wav"] { try sound.write(to: URL(fileURLWithPath: scratch.path(name))) }
    let session = """
      {"prosper": 1, "title": "T", "sounds": {"x": {"file": "unused.wav"}},
       "stages": [{"name": "A", "tracks": ["a.wav", "bad.wav"]}]}
      """
    try FileManager.default.linkItem(atPath: scratch.path("a.wav"), toPath: scratch.path("hard.wav"))
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("soft.wav"), withDestinationPath: scratch.path("a.wav"))
    return (scratch, try scratch.write("s.json", session))
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test(arguments: ["a.wav", "unused.wav", "hard.wav", "soft.wav", "s.json"], ["--svg", "--output"])
  func `neither a picture nor a render replaces the session or one of its sounds`(
    name: String, option: String
  ) async throws {
    let (scratch, session) = try prepared()
    // A render has the extension of a sound.
    let target = scratch.path(name == "s.json" ? "link.wav" : name)
    if name == "s.json" { try FileManager.default.linkItem(atPath: session, toPath: target) }
    let before = try Data(contentsOf: URL(fileURLWithPath: target))
    let words = [option == "--svg" ? "show" : "play", session, option, target]
    let run = try await Prosper.run(words, in: scratch)
    #expect(run.status == 64 && run.err.contains("is a file that the session uses; choose another name"), "\(run.err)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == before)
  }

  @Test func `a sound that can't be played, and a session on stdin, are not replaced either`() async throws {
    let (scratch, session) = try prepared()
    _ = try scratch.write("bad.wav", String(repeating: "no sound at all ", count: 500))
    let lenient = ["play", session, "--lenient", "--output", scratch.path("bad.wav")]
    #expect(try await Prosper.run(lenient, in: scratch).status == 64)
    let shell = "exec \"$0\" show - --svg \"$1\" < \"$1\""
    let run = try await Prosper.run(
      [Prosper.executable.path, session], in: scratch, program: ["/bin/sh", "-c", "cd \(scratch.path("")); \(shell)"])
    #expect(run.status == 64 && run.err.contains("is a file that the session uses"), "\(run.err)")
  }

  @Test func `a report and results get files of their own, whatever their names`() async throws {
    let (scratch, session) = try prepared()
    try FileManager.default.createDirectory(atPath: scratch.path("sub"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("dangling"), withDestinationPath: scratch.path("o.wav"))
    let script = try scratch.write("x.jsonl", #"{"at": "0s", "do": "gong", "sound": "added.wav"}"#)
    let added = Data(TestWave.stereo(TestSound.noise(8_000), rate: 8_000))
    try added.write(to: URL(fileURLWithPath: scratch.path("added.wav")))
    let play = ["play", session, "--script", script, "--output", scratch.path("o.wav"), "-q"]
    // The output does not exist yet, so only its folder and its name tell.
    for name in ["./o.wav", "sub/../o.wav", "dangling", "added.wav"] {
      for option in ["--report", "--junit"] {
        let run = try await Prosper.run(play + [option, scratch.path(name)], in: scratch)
        #expect(run.status == 64 && run.err.contains("choose another name"), "\(name): \(run.err)")
        #expect(!FileManager.default.fileExists(atPath: scratch.path("o.wav")))
      }
    }
    let both = ["--report", scratch.path("r"), "--junit", scratch.path("sub/../r")]
    #expect(try await Prosper.run(play + both, in: scratch).status == 64)
    #expect(try await Prosper.run(play + ["--report", "-"], in: scratch).status == 64)
    let check = ["check", session, "--script", script, "--junit", scratch.path("added.wav")]
    #expect(try await Prosper.run(check, in: scratch).status == 64)
    #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.path("added.wav"))) == added)
    let lists = ["show", session, "--chapters", scratch.path("l"), "--labels", scratch.path("sub/../l")]
    #expect(try await Prosper.run(lists, in: scratch).status == 64)
  }

  @Test func `a session or a sound that the command does not use is not replaced either`() async throws {
    let (scratch, session) = try prepared()
    let other = try scratch.write("other.yaml", "{prosper: 1, title: t, stages: [{name: A, duration: 1s}]}")
    let script = try scratch.write("x.jsonl", #"{"at": "end", "expect": {"event": "gong", "count": 0}}"#)
    let sound = scratch.path("talk.flac")
    _ = try await Prosper.run(["play", other, "-o", sound], in: scratch)
    for file in [other, sound] {
      let before = try Data(contentsOf: URL(fileURLWithPath: file))
      for words in [
        ["play", session, "-o", "null:fast", "--report", file], ["check", session, "--junit", file],
        ["play", session, "-o", "null:fast", "--script", script, "--junit", file], ["show", session, "--svg", file],
        ["compare", session, session, "--report", file],
      ] {
        let run = try await Prosper.run(words, in: scratch)
        #expect(
          run.status == 64 && run.err.contains("which would be lost; choose another name"), "\(words): \(run.err)")
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
    }
    // An older report is replaced, and an older difference.
    let difference = ["compare", session, session, "--diff", scratch.path("d.wav")]
    for _ in 1...2 { #expect(try await Prosper.run(difference, in: scratch).status == 0) }
    let report = scratch.path("r.html")
    for _ in 1...2 {
      #expect(try await Prosper.run(["play", session, "-o", "null:fast", "--report", report], in: scratch).status == 0)
    }
  }

  @Test func `a new session does not replace a sound of which it is made`() async throws {
    let (scratch, _) = try prepared()
    let path = scratch.path("b.yaml")
    try FileManager.default.linkItem(atPath: scratch.path("a.wav"), toPath: path)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let run = try await Prosper.run(["new", "--force", path, scratch.path("a.wav")], in: scratch)
    #expect(run.status == 64 && run.err.contains("is a file that the session uses"), "\(run.err)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test(arguments: [0o600, 0o640, 0o755, 0o444])
  func `every file that is replaced keeps its mode`(mode: Int) async throws {
    let (scratch, session) = try prepared()
    for (name, words) in [
      ("o.wav", ["play", session, "--output"]), ("o.flac", ["play", session, "--output"]),
      ("o.ogg", ["play", session, "--output"]), ("o.svg", ["show", session, "--svg"]), ("o.yaml", ["new", "--force"]),
    ] {
      let path = try scratch.write(name, "old")
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      let run = try await Prosper.run(words + [path], in: scratch)
      #expect(run.status == 0, "\(run.err)")
      #expect(try self.mode(path) == mode, "\(name)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) != Data("old".utf8))
    }
  }
}

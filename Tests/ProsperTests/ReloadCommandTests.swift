import Foundation
import TestSupport
import Testing

/// `ctl reload` and `play --watch` with a real player.
@Suite struct ReloadCommandTests {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  private func write(second: String, to name: String = "sit.yaml") throws -> String {
    try folder.write(
      name,
      """
      prosper: 1
      title: Reload
      sampleRate: 8000
      stages:
        - {name: One, duration: 30m, tracks: ["generate:rain"]}
        - {name: Two, duration: \(second), tracks: ["generate:ocean"]}
      """)
  }

  /// Whether a program has printed that the file can't be used.
  private static func isToldOfMistake(in folder: Scratch) -> Bool {
    let names = (try? folder.names().filter { $0.hasPrefix("stderr") }) ?? []
    return names.contains {
      (try? String(contentsOfFile: folder.path($0), encoding: .utf8))?.contains("not reloaded") ?? false
    }
  }

  private func run(_ words: [String]) async throws -> Prosper {
    try await Prosper.run(words, environment: ["XDG_RUNTIME_DIR": folder.path("")], in: folder)
  }

  private func status(until isReached: ([String: Any]) -> Bool) async throws -> [String: Any]? {
    for _ in 0..<500 {
      let reply = try await run(["ctl", "status", "--json"]).events().first
      if let status = reply?["status"] as? [String: Any], isReached(status) { return status }
    }
    return nil
  }

  @Test func `ctl reload takes over a changed file, and prints what is wrong with another one`() async throws {
    let path = try write(second: "20s")
    async let playing = run(["play", path, "--output", "null"])
    #expect(try await status { $0["track"] as? String == "rain" }?["duration"] as? Double == 1_820)
    _ = try write(second: "60s")
    #expect(try await run(["ctl", "reload"]).status == 0)
    let status = try await status { $0["duration"] as? Double == 1_860 }
    #expect(status?["track"] as? String == "rain" && status?["stage"] as? String == "One")
    let again = try await run(["ctl", "reload"])
    #expect(again.status == 1 && again.err == "prosper: the session file has not changed\n")
    _ = try write(second: "soon")
    let wrong = try await run(["ctl", "reload"])
    #expect(wrong.status == 1 && wrong.err.hasPrefix("prosper: \(path):6:27: 'duration' is 'soon'"))
    #expect(try await run(["ctl", "stop"]).status == 0)
    #expect(try await playing.status == 0)
  }

  @Test func `a change of an included file is noticed, also of one that was included meanwhile`() async throws {
    let stages = { (second: String) in
      "prosper: 1\nstages:\n  - {name: Two, duration: \(second), tracks: [\"generate:ocean\"]}\n"
    }
    let session = { (part: String) in
      """
      prosper: 1
      title: Parts
      sampleRate: 8000
      stages:
        - {name: One, duration: 30m, tracks: ["generate:rain"]}
        - {include: \(part)}
      """
    }
    _ = try folder.write("a.yaml", stages("20s"))
    let path = try folder.write("sit.yaml", session("a.yaml"))
    async let playing = run(["play", path, "--watch", "--output", "null", "--events", "off"])
    #expect(try await status { $0["track"] as? String == "rain" }?["duration"] as? Double == 1_820)
    _ = try folder.write("a.yaml", stages("30s"))
    #expect(try await status { $0["duration"] as? Double == 1_830 } != nil)
    _ = try folder.write("b.yaml", stages("soon"))
    _ = try folder.write("sit.yaml", session("b.yaml"))
    _ = eventually { Self.isToldOfMistake(in: folder) }
    _ = try folder.write("b.yaml", stages("40s"))
    #expect(try await status { $0["duration"] as? Double == 1_840 } != nil)
    #expect(try await run(["ctl", "stop"]).status == 0)
    let end = try await playing
    #expect(end.status == 0 && end.err.contains("(included from \(path):6:15)"), "\(end.err)")
  }

  @Test func `a session on stdin can't be reloaded, and a render is not watched`() async throws {
    let path = try write(second: "20s")
    for words in [["-", "--watch"], [path, "--watch", "--output", "null:fast"]] {
      let refused = try await run(["play"] + words)
      #expect(refused.status == 64 && refused.err.contains("watch"))
    }
  }

  @Test func `a watched file is read again when it is written or replaced, and a mistake is printed`() async throws {
    let path = try write(second: "20s")
    async let playing = Prosper.run(
      ["play", path, "--watch", "--output", "null", "--events", "off"],
      environment: ["XDG_RUNTIME_DIR": folder.path("")], in: folder
    ) { [folder] running in
      _ = eventually { Self.isToldOfMistake(in: folder) || !running.isThere }
      running.send(SIGTERM)
    }
    #expect(try await status { $0["track"] as? String == "rain" } != nil)
    _ = try write(second: "60s")
    #expect(try await status { $0["duration"] as? Double == 1_860 } != nil)
    // Editors write another file and rename it.
    let draft = try write(second: "90s", to: "draft.yaml")
    #expect(rename(draft, path) == 0)
    #expect(try await status { $0["duration"] as? Double == 1_890 } != nil)
    _ = try write(second: "soon")
    let ended = try await playing
    #expect(ended.status == 143 && ended.err.contains("prosper: not reloaded: \(path):6:27: 'duration' is 'soon'"))
  }

  /// Plays the watched session of a folder until it takes `seconds`, and stops it.
  private func watching(_ path: String, until seconds: Double, _ change: () throws -> Void) async throws -> Prosper {
    async let playing = run(["play", path, "--watch", "--output", "null", "--events", "jsonl"])
    #expect(try await status { $0["track"] as? String == "rain" } != nil)
    try change()
    #expect(try await status { $0["duration"] as? Double == seconds } != nil)
    #expect(try await run(["ctl", "stop"]).status == 0)
    return try await playing
  }

  @Test func `a watched file that is written slowly is read once it is complete`() async throws {
    let path = try write(second: "20s")
    let played = try await watching(path, until: 1_860) {
      let text = try String(contentsOfFile: path, encoding: .utf8)
      let half = text.components(separatedBy: "30m")
      #expect(unlink(path) == 0)
      let file = FileHandle(fileDescriptor: open(path, O_WRONLY | O_CREAT, 0o644), closeOnDealloc: true)
      // The first half is a session that would be over by now.
      try file.write(contentsOf: Data("\(half[0])30m}\n".replacing("30m", with: "1ms").utf8))
      letPass(seconds: 1)
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: Data(text.replacing("20s", with: "60s").utf8))
      try file.close()
    }
    let reloads = try played.events().filter { $0["name"] as? String == "reload" && $0["outcome"] as? String == "done" }
    #expect(reloads.count == 1)
  }

  @Test func `a watched file is read again when its folder is replaced`() async throws {
    for name in ["sits", "new"] { #expect(mkdir(folder.path(name), 0o755) == 0) }
    let path = try write(second: "20s", to: "sits/sit.yaml")
    _ = try write(second: "60s", to: "new/sit.yaml")
    _ = try await watching(path, until: 1_860) {
      #expect(rename(folder.path("sits"), folder.path("old")) == 0)
      #expect(rename(folder.path("new"), folder.path("sits")) == 0)
    }
  }
}

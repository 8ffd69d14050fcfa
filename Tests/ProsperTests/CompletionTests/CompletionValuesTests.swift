import ControlSocket
import Foundation
import Player
import TestSupport
import Testing

@testable import prosper

/// What the program offers to a shell for the last word of a command line.
struct CompletionValuesTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    _ = try scratch.write(
      "sit.yaml",
      """
      prosper: 1
      title: Sit
      stages:
        - {name: "$(touch ran)", duration: 1m}
        - {name: "It's: all", duration: 1m}
      """)
    for name in ["rain.flac", "RAIN.WAV", "notes.txt", "a.schema.json", ".hidden.yaml"] {
      _ = try scratch.write(name, "")
    }
    try FileManager.default.createDirectory(atPath: scratch.path("my sits"), withIntermediateDirectories: true)
    _ = try scratch.write("my sits/late.json", "{}")
  }

  /// The values that prosper offers for `argument`, if `words` are typed; the last of them is completed.
  private func offered(
    _ argument: String, _ words: String..., shell: String = "", environment: [String: String] = [:]
  ) async throws -> [String] {
    let line = [words[0], "--", argument, "\(words.count)", "\(words.last?.count ?? 0)", "prosper"] + words
    let run = try await Prosper.run(
      ["---completion"] + line, environment: ["SAP_SHELL": shell].merging(environment) { $1 }, in: scratch,
      program: ["/usr/bin/env", "-C", scratch.path(""), Prosper.executable.path])
    #expect(run.status == 0 && run.err.isEmpty)
    return run.lines.map(String.init)
  }

  @Test func `session files, folders and names of sessions are offered`() async throws {
    let all = try await offered("positional@0", "play", "")
    #expect(all.prefix(2) == ["my sits/", "sit.yaml"] && all.contains("three-stages") && all.count == 7)
    #expect(try await offered("positional@0", "check", "my sits/") == ["my sits/late.json"])
    #expect(
      try await offered("positional@0", "show", ".h") == [".hidden.yaml", "body-scan", "first-sit"] + all.suffix(3))
  }

  @Test func `the stages are those of the session on the line`() async throws {
    #expect(try await offered("--stage", "play", "sit.yaml", "--stage", "") == ["$(touch ran)", "It's: all"])
    let before = try await offered("--stage", "play", "--stage", "")
    #expect(before.isEmpty, "no session is named")
    let named = try await offered("--stage", "play", "three-stages", "--stage", "P")
    #expect(named.contains("Practice"))
  }

  @Test func `the parameters of the session on the line are offered, and then the values of one`() async throws {
    _ = try scratch.write("voices.yaml", "prosper: 1\nparameters: {lang: {default: en, values: [en, de]}}\n")
    _ = try scratch.write(
      "set.yaml",
      """
      prosper: 1
      title: Set
      include: [voices.yaml]
      parameters: {long: 20m, talk: {description: "The talk"}}
      stages: [{name: A, duration: "${long}"}]
      """)
    #expect(try await offered("--set", "play", "set.yaml", "--set", "") == ["lang=", "long=", "talk="])
    #expect(try await offered("--set", "show", "set.yaml", "--set", "lang=") == ["lang=en", "lang=de"])
    #expect(try await offered("--set", "check", "set.yaml", "--set", "long=") == ["long=20m"])
    #expect(try await offered("--set", "play", "set.yaml", "--set", "talk=").isEmpty)
    let fish = try await offered("--set", "play", "set.yaml", "--set", "", shell: "fish")
    #expect(fish.last == "talk=\tThe talk")
  }

  @Test func `quotes and a home folder in the name of a session are understood`() async throws {
    #expect(TypedLine.unquoted(#"my\ "sits"/'a\b'.yaml"#) == #"my sits/a\b.yaml"#)
    let home = ["HOME": scratch.path("")]
    #expect(try await offered("--stage", "play", "~/sit.yaml", "--stage", "", environment: home).count == 2)
    #expect(try await offered("--stage", "play", "'sit.yaml'", "--stage", "").count == 2)
    #expect(try await offered("positional@0", "play", "~/si", environment: home).first == "~/sit.yaml")
  }

  @Test func `each shell gets values that it takes literally`() async throws {
    let words = ["play", "sit.yaml", "--stage", ""]
    let bash = try await offered("--stage", words[0], words[1], words[2], words[3], shell: "bash")
    #expect(bash == [#"\$\(touch\ ran\)"#, #"It\'s:\ all"#])
    let zsh = try await offered("--stage", words[0], words[1], words[2], words[3], shell: "zsh")
    #expect(zsh == ["$(touch ran)", #"It's\: all"#, " "])
    let sounds = try await offered("--play", "sounds", "--play", "bow", shell: "fish")
    #expect(sounds.first?.hasPrefix("bowl\t") == true)
  }

  @Test func `outputs are offered with the outputs of the sound server`() async throws {
    let fixed = ["pulse", "null", "null:fast", "snapcast://", "icecast://", "pipe:", "-"]
    let none = try await offered("--output", "play", "sit.yaml", "--output", "")
    #expect(none == fixed + ["RAIN.WAV", "my sits/", "rain.flac"])
    let server = try await onOwnThread { try PulseServer(sink: "speakers", more: ["headphones"]) }
    let all = try await offered(
      "--output", "play", "sit.yaml", "-o", "pulse:", environment: ["PULSE_SERVER": server.address])
    #expect(all == fixed + ["pulse:speakers", "pulse:headphones"])
    #expect(try await offered("--output", "play", "sit.yaml", "--output=pipe:r") == ["pipe:rain.flac"])
  }

  @Test func `the words of ctl follow its grammar`() async throws {
    let verbs = try await offered("positional@0", "ctl", "")
    #expect(verbs.contains("next-stage") && verbs.contains("status") && verbs == verbs.sorted())
    #expect(try await offered("positional@0", "ctl", "--json", "music", "") == ["pause", "resume", "volume"])
    #expect(try await offered("positional@0", "ctl", "repeat", "") == ["off", "track", "playlist"])
    #expect(try await offered("positional@0", "ctl", "crossfade", "3s", "").contains("sCurve"))
    let sounds = try await offered("positional@0", "ctl", "overlay", "play", "")
    #expect(sounds.contains("generate:bowl") && sounds.contains("rain.flac") && !sounds.contains("sit.yaml"))
    let options = try await offered("positional@0", "ctl", "overlay", "play", "rain.flac", "--")
    #expect(options.contains("--fade-in") && options.contains("--duck"))
    #expect(try await offered("positional@0", "ctl", "overlay", "play", "a", "--curve", "").count == 5)
    #expect(try await offered("positional@0", "ctl", "overlay", "play", "a", "--layer", "").isEmpty)
    #expect(try await offered("positional@0", "ctl", "nonsense", "").isEmpty)
  }

  @Test func `players are offered by their process ID`() async throws {
    let server = try ControlServer(of: RecordingPlayer(), in: ControlFolder(runtime: scratch.path(""))) { _ in
      ControlRequest(.status)
    }
    #expect(try await offered("--player", "ctl", "--player", "") == ["\(ProcessInfo.processInfo.processIdentifier)"])
    // Their stages, for goto.
    #expect(
      try await offered("positional@0", "ctl", "goto", "", environment: ["XDG_RUNTIME_DIR": scratch.path("")])
        == ["Arrive", "Sit still"])
    server.stop()
  }
}

import Foundation
import TestSupport
import Testing

/// Commands that are run at events, by `--on` and by `hooks.yaml`.
@Suite struct HookTests {
  private let folder: Scratch
  private let session: String

  init() throws {
    folder = try Scratch()
    session = try folder.write(
      "sit.yaml",
      """
      prosper: 1
      title: "A $(touch hacked) sit"
      sampleRate: 8000
      stages:
        - {name: One, duration: 1s, tracks: ["generate:rain"], gongs: [{sound: "generate:beep", at: 0.5s}]}
        - {name: "It's two", duration: 1s}

      """)
  }

  private func run(_ words: [String]) async throws -> Prosper {
    try await Prosper.run(
      words, environment: ["XDG_CONFIG_HOME": folder.path("config"), "F": folder.path("")], in: folder)
  }

  /// The content of a file that a hook writes, once it has this many lines.
  private func lines(_ name: String, count: Int) throws -> [Substring] {
    let path = folder.path(name)
    let read = { (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: "\n") ?? [] }
    #expect(eventually { count <= read().count })
    return read()
  }

  @Test func `a hook gets the event, the session's title and the stage, each time`() async throws {
    let run = try await run([
      "play", session, "-o", "null:fast", "--on", "stage.started=echo \"$PROSPER_TITLE|$PROSPER_STAGE\" >>$F/stages",
      "--on", "gong=printf '%s\\n' \"$PROSPER_EVENT\" >>$F/gongs", "--on", "session.finished=echo end >>$F/gongs",
    ])
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    let stages = try lines("stages", count: 2)
    #expect(Set(stages) == ["A $(touch hacked) sit|One", "A $(touch hacked) sit|It's two"])
    let gongs = try lines("gongs", count: 2)
    let printed = try #require(run.lines.first { $0.contains("\"event\":\"gong\"") })
    #expect(gongs.contains(printed) && gongs.contains("end"))
  }

  @Test func `a hook has no descriptor of prosper`() async throws {
    let run = try await run([
      "play", session, "-o", "null", "--web=127.0.0.1:0", "--on", "gong=ls /proc/self/fd >$F/open",
    ])
    #expect(run.status == 0, "\(run.err)")
    // Input, output, errors, and the folder that is being listed.
    #expect(try lines("open", count: 4) == ["0", "1", "2", "3"])
  }

  @Test func `a hook that hangs, fails or prints changes nothing, and outlives the session`() async throws {
    let plain = try await run(["play", session, "-o", "null:fast", "--events", "off"])
    let begin = ContinuousClock.now
    let hooked = try await run([
      "play", session, "-o", "null:fast", "--events", "off", "--on", "session.started=sleep 600",
      "--on", "gong=echo noise; echo noise >&2; exit 3", "--on", "stage.started=false",
      "--on", "session.finished=while ! test -e $F/go; do sleep 0.05; done; echo later >$F/after",
    ])
    #expect((hooked.status, hooked.out, hooked.err) == (plain.status, plain.out, plain.err))
    #expect(ContinuousClock.now - begin < .seconds(300))
    _ = try folder.write("go", "")
    #expect(try lines("after", count: 1) == ["later"])
  }

  @Test func `a command that can't be run is said once`() async throws {
    let text = try folder.write("text", "no program")
    let run = try await run([
      "play", session, "-o", "null:fast", "--events", "off", "--on", "stage.started=/nowhere/at/all 'x'",
      "--on", "session.finished=\(text)",
    ])
    #expect(run.status == 0)
    #expect(
      Set(run.err.split(separator: "\n")) == [
        "prosper: the hook '/nowhere/at/all 'x'' has a command that was not found",
        "prosper: the hook '\(text)' has a command that can't be run; is it executable?",
      ], "\(run.err)")
    #expect(run.err.split(separator: "\n").count == 2)
  }

  @Test func `more than sixteen hooks at a time are left out, and that is said once`() async throws {
    let hooks = Array(repeating: ["--on", "session.started=echo x >>$F/many; sleep 5"], count: 40).flatMap(\.self)
    let run = try await run(["play", session, "-o", "null:fast", "--events", "off"] + hooks)
    #expect(run.status == 0 && run.err == "prosper: 16 hooks are still running; further ones are left out\n")
    #expect(try lines("many", count: 16).count == 16)
  }

  @Test func `the hooks of the file are run in live sessions, and its mistakes are told with their places`()
    async throws
  {
    try FileManager.default.createDirectory(atPath: folder.path("config/prosper"), withIntermediateDirectories: true)
    let file = try folder.write(
      "config/prosper/hooks.yaml",
      """
      gong: [echo one >>$F/heard, "echo two >>$F/heard"]
      gongs: echo no
      state: {command: echo no}
      session.finished: echo end >>$F/heard
      """)
    let live = try await run(["play", session, "-o", "null", "--events", "off"])
    #expect(live.status == 0)
    #expect(
      live.err.split(separator: "\n").sorted() == [
        "\(file):2:1: error: 'gongs': there is no such event; did you mean 'gong'?",
        "\(file):3:8: error: 'state' has no command here; write one as text",
      ], "\(live.err)")
    #expect(try Set(lines("heard", count: 3)) == ["one", "two", "end"])
    let render = try await run(["play", session, "-o", "null:fast", "--events", "off"])
    #expect(render.status == 0 && render.err.isEmpty)
    #expect(try lines("heard", count: 3).count == 3)
  }

  @Test(arguments: [
    ("gong", "--on 'gong' has no command; write it like"), ("gong=", "--on gong= has no command"),
    ("gnog=x", "--on 'gnog': there is no such event; did you mean 'gong'?"), ("=x", "--on '=x' has no command"),
    ("bell=x", "--on 'bell': there is no such event; did you mean 'gong'?"),
    ("end=x", "--on 'end': there is no such event; did you mean 'session.finished'?"),
  ])
  func `a hook that can't be read is wrong usage`(hook: String, problem: String) async throws {
    let run = try await run(["play", session, "-o", "null:fast", "--on", hook])
    #expect(run.status == 64 && run.err.contains(problem) && run.out.isEmpty, "\(run.err)")
    #expect(run.err.split(separator: "\n").count == 1)
  }

  @Test func `a session can't contain hooks`() async throws {
    let path = try folder.write(
      "own.yaml", "prosper: 1\ntitle: t\non: {gong: touch x}\nstages: [{name: A, duration: 1s}]\n")
    let run = try await run(["play", path, "-o", "null:fast"])
    #expect(run.status == 65 && run.err.contains("unknown key 'on'"))
  }
}

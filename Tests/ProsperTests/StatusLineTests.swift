import Foundation
import Signal
import Synchronization
import TestSupport
import Testing

/// The line at the bottom of a terminal, as the terminal receives it.
@Suite struct StatusLineTests {
  /// Two seconds with an event every 20 ms.
  private static let session = """
    prosper: 1
    title: Busy
    stages:
      - name: One
        duration: 1s
        tracks: ["generate:pink"]
        gongs: [{sound: "generate:wood", every: 20ms}]
      - name: Two
        duration: 1s
        crossfade: 500ms
        tracks: ["generate:rain"]
        overlays: [{sound: "generate:drone", at: 0}]
    """

  private static let bar: Set<Character> = ["━", "─", "▓", "░"]

  private struct Shown {
    var status: Int32
    var text: String
    var took: Duration

    /// The status lines in the order in which they were drawn.
    var draws: [Substring] {
      text.split(separator: "\r\u{1B}[K").filter { !$0.contains("\n") && $0.contains(where: bar.contains) }
    }

    var remains: [String] { Screen(showing: text).lines }
  }

  private func show(
    _ arguments: [String], environment: [String: String] = [:],
    whileRunning: @escaping @Sendable (Running) -> Void = { _ in }
  ) async throws -> Shown {
    let scratch = try Scratch()
    let session = try scratch.write("busy.yaml", Self.session)
    let terminal = try Terminal(columns: 72)
    let begun = ContinuousClock.now
    let run = try await Prosper.run(
      ["play", session] + arguments, environment: ["TERM": "xterm"].merging(environment) { $1 }, in: scratch,
      on: terminal, whileRunning: whileRunning)
    let text = try await onOwnThread { try terminal.hangUp() }
    return Shown(status: run.status, text: text, took: run.endedAt - begun)
  }

  @Test func `the status line and ctl status report that the output is lost`() async throws {
    let server = try await onOwnThread { try PulseServer() }
    let remote = try Scratch()
    let asked = Mutex("")
    let shown = try await show(
      [], environment: ["PULSE_SERVER": server.address, "XDG_RUNTIME_DIR": remote.path("")]
    ) { running in
      running.waitUntilItSays("━")
      server.kill()
      running.waitUntilItSays("waiting for the output")
      let said = try? output(
        of: Prosper.executable.path, ["ctl", "status"], environment: ["XDG_RUNTIME_DIR": remote.path("")])
      asked.withLock { $0 = said ?? "" }
      try? server.restart {}
    }
    #expect(shown.status == 0 && shown.draws.contains { $0.contains("One · waiting for the output") })
    #expect(shown.draws.last?.contains("waits") == false)
    #expect(asked.withLock { $0 }.contains("\noutput  lost; the session waits until it is back\n"))
  }

  /// The pause comes 30 ms after the position was drawn.
  @Test func `a pause is shown although no event follows it`() async throws {
    let scratch = try Scratch()
    let script = try scratch.write("s", #"{"at":"1.03s","do":"pause"}"# + "\n" + #"{"after":"1s","do":"resume"}"#)
    let shown = try await show(["--output", "null", "--script", script])
    #expect(shown.status == 0 && shown.draws.contains { $0.contains("‖") })
  }

  @Test func `after a skip, the status line shows the new duration`() async throws {
    let scratch = try Scratch()
    let script = try scratch.write("s", #"{"at":"0.2s","do":"nextStage"}"#)
    let shown = try await show(["--output", "null", "--script", script])
    #expect(shown.status == 0)
    #expect(shown.draws.last?.contains(" / 0:01") == true)
  }

  @Test func `the status line is drawn at most ten times a second, fits the width, and is removed at the end`()
    async throws
  {
    let shown = try await best(where: { (shown: Shown) in 10 <= shown.draws.count }) {
      try await show(["--output", "null"])
    }
    #expect(shown.status == 0)
    #expect(shown.draws.count <= Int(shown.took / .milliseconds(100)) + 1)
    for line in shown.draws { #expect(line.replacing(#/\u{1B}\[[0-9]*m/#, with: "").count < 72, "\(line)") }
    #expect(shown.draws.contains { $0.contains("▓") } && shown.draws.contains { $0.contains("Two · rain + drone") })
    #expect(shown.draws.contains { $0.contains("One · pink · next: rain") })
    #expect(shown.remains.last == "" && !shown.remains.joined().contains(where: Self.bar.contains))
  }

  @Test func `a signal removes the status line`() async throws {
    let shown = try await show(["--output", "null"]) { running in
      running.waitUntilItSays("━")
      running.send(SIGINT)
    }
    #expect(shown.status == 130)
    #expect(!shown.draws.isEmpty)
    #expect(shown.remains.last == "" && !shown.remains.joined().contains(where: Self.bar.contains))
  }

  @Test func `a render shows the status line, and NO_COLOR removes the colours`() async throws {
    let scratch = try Scratch()
    let shown = try await show(["--output", scratch.path("a.wav")], environment: ["NO_COLOR": "1"])
    #expect(shown.status == 0 && !shown.draws.isEmpty && !shown.text.contains("\u{1B}[2m"))
    #expect(shown.text.contains("prosper: the sound is in \(scratch.path("a.wav"))"))
    #expect(shown.remains.last == "")
  }

  @Test func `a long render says how long it still takes, and check which sounds it decodes`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write(
      "s.yaml", "prosper: 1\ntitle: t\nstages: [{name: A, duration: 3h, tracks: [\"generate:rain\"]}]\n")
    let terminal = try Terminal(columns: 120)
    let environment = ["TERM": "xterm", "NO_COLOR": "1"]
    let render = try await Prosper.run(
      ["play", session, "-o", "null:fast"], environment: environment, in: scratch, on: terminal
    ) { running in
      running.waitUntilItSays(" s left")
      running.send(SIGINT)
    }
    let shown = try await onOwnThread { try terminal.hangUp() }
    #expect(render.status == 130 && shown.contains(/\/ 3:00:0\d · (\d+ min )?\d+ s left/), "\(shown.suffix(2_000))")
    let wave = TestWave.float(Array(repeating: Frame(mono: 0.1), count: 8_000), rate: 8_000)
    try Data(wave).write(to: URL(fileURLWithPath: scratch.path("a.wav")))
    let short = try scratch.write(
      "b.yaml", "prosper: 1\ntitle: t\nstages: [{name: A, duration: 1s, tracks: [a.wav]}]\n")
    let other = try Terminal(columns: 120)
    let check = try await Prosper.run(["check", short], environment: environment, in: scratch, on: other)
    let text = try await onOwnThread { try other.hangUp() }
    #expect(check.status == 0 && text.contains("decoding the sounds of b.yaml · 0 of 1"), "\(text)")
  }

  @Test(arguments: [["--events", "off"], []])
  func `a dumb terminal, or one without events, shows no status line`(arguments: [String]) async throws {
    let shown = try await show(
      ["--output", "null:fast"] + arguments, environment: arguments.isEmpty ? ["TERM": "dumb"] : [:])
    #expect(shown.status == 0 && !shown.text.contains("\u{1B}") && shown.draws.isEmpty)
  }
}

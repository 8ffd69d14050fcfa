import Foundation
import Signal
import Synchronization
import TestSupport
import Testing

/// Compares what a real PulseAudio server plays with what is rendered.
@Suite(.serialized) struct LiveTests {
  /// Six seconds with crossfades between stages and tracks, a ducked overlay, overlapping gongs, and a final fade.
  static let session = """
    prosper: 1
    title: Live
    sampleRate: 48000
    fadeIn: 200ms
    fadeOut: 500ms
    crossfade: {duration: 700ms, curve: equalPower}
    sounds: {tick: {generate: wood}}
    stages:
      - name: One
        duration: 2s
        tracks: [{generate: rain, end: 1500ms}, {generate: ocean, end: 1500ms}]
        gongs: [{sound: tick, at: [start, 500ms, 600ms, end]}]
        overlays: [{sound: {generate: beep, length: 0.8}, at: 300ms, fadeIn: 50ms, duck: {by: -9dB, attack: 100ms, release: 200ms}}]
      - name: Two
        duration: 2500ms
        crossfade: {duration: 750ms, curve: sCurve}
        tracks: ["generate:pink"]
        gongs: [{sound: tick, every: 400ms, strikes: 2, spacing: 50ms}]
    """

  @Test func `live playback equals the rendered file, sample for sample, ten times in a row`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("live.yaml", Self.session)
    let render = try await Prosper.run(
      ["play", session, "-o", scratch.path("a.wav"), "--encoding", "f32", "--events", "off"], in: scratch)
    #expect(render.status == 0 && render.err.isEmpty)
    let rendered = try FloatWave(at: scratch.path("a.wav")).frames
    #expect(rendered.count > 48_000 * 4)
    try await withThrowingTaskGroup { listeners in
      // Two run at the same time, each with its own server: they wait for most of their time.
      for _ in 1...2 {
        listeners.addTask {
          let server = try await onOwnThread { try PulseServer() }
          for turn in 1...5 { try await expect(rendered, from: session, through: server, scratch, turn) }
        }
      }
      try await listeners.waitForAll()
    }
  }

  private func expect(
    _ rendered: [Frame], from session: String, through server: PulseServer, _ scratch: Scratch, _ turn: Int
  ) async throws {
    // Prosper reports an underrun. The session is then played again, if the machine was late.
    try await best(hasServer: true, where: { !$0 }) {
      let heard = try await Heard(session, through: server, in: scratch)
      let difference = heard.difference(from: rendered)
      #expect(heard.ranDry || difference == nil, "turn \(turn): \(difference ?? "")")
      return heard.ranDry
    }
  }

  @Test func `a server that stays away ends the session with exit code 75 and one line`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("live.yaml", Self.session)
    let server = try await onOwnThread { try PulseServer() }
    let arguments = ["play", session, "--give-up-after", "200ms"]
    let run = try await Prosper.run(arguments, environment: ["PULSE_SERVER": server.address], in: scratch) {
      $0.waitUntilItSays("crossfade.started")
      server.kill()
    }
    #expect(run.status == 75 && run.err.hasPrefix("prosper: the sound server was lost"))
    #expect(run.err.split(separator: "\n").count == 1)
  }

  @Test func `a server that is restarted plays the rest of the session`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("live.yaml", Self.session)
    let server = try await onOwnThread { try PulseServer() }
    let rest = Mutex<[Frame]?>(nil)
    let run = try await Prosper.run(["play", session], environment: ["PULSE_SERVER": server.address], in: scratch) {
      $0.waitUntilItSays("crossfade.started")
      server.kill()
      let capture = try? server.restart { try Capture(of: server) }
      _ = capture?.waitForTheEnd()
      rest.withLock { $0 = capture.map { Array($0.sound) } ?? [] }
    }
    #expect(run.status == 0 && run.err.isEmpty)
    let render = try await Prosper.run(
      ["play", session, "-o", scratch.path("a.wav"), "--encoding", "f32", "--events", "off"], in: scratch)
    #expect(render.status == 0)
    let rendered = try FloatWave(at: scratch.path("a.wav")).frames.sounding
    // The capture ends half a second after the player.
    _ = try await onOwnThread { eventually { rest.withLock { $0 != nil } } }
    let heard = try #require(rest.withLock { $0 })
    #expect(48_000 < heard.count && heard.count < rendered.count)
    // All but the 20 ms of the fade-in.
    let isItsEnd = Array(heard.dropFirst(960)) == Array(rendered.suffix(heard.count).dropFirst(960))
    #expect(isItsEnd)
  }

  @Test(arguments: [["stop"], ["finish"], ["pause", "finish"]])
  func `a listener can end the session while its output is lost`(commands: [String]) async throws {
    let scratch = try Scratch()
    let session = try scratch.write("live.yaml", Self.session)
    let server = try await onOwnThread { try PulseServer() }
    let environment = ["PULSE_SERVER": server.address, "XDG_RUNTIME_DIR": scratch.path("")]
    let isLost = Flag()
    async let run = Prosper.run(["play", session], environment: environment, in: scratch) {
      $0.waitUntilItSays("crossfade.started")
      _ = try? server.pactl("unload-module", "module-null-sink")
      $0.waitUntilItSays("output.lost")
      isLost.raise()
    }
    _ = try await onOwnThread { eventually { isLost.isRaised } }
    for command in commands {
      #expect(try await Prosper.run(["ctl", command], environment: environment, in: scratch).status == 0)
    }
    let ended = try await run
    #expect(try ended.status == 0 && ended.events().last?["reason"] as? String == "stopped", "\(ended.err)")
  }

  @Test func `outputs are listed and can be selected by name`() async throws {
    let scratch = try Scratch()
    let server = try await onOwnThread { try PulseServer(more: ["second"]) }
    let environment = ["PULSE_SERVER": server.address]
    let list = try await Prosper.run(["outputs"], environment: environment, in: scratch)
    #expect(list.status == 0 && list.lines.count == 2 && list.lines.filter { $0.hasPrefix("* ") }.count == 1)
    let good = try await Prosper.run(
      ["sounds", "--play", "wood", "-o", "pulse:second", "--events", "off"], environment: environment, in: scratch)
    #expect(good.status == 0 && good.err.isEmpty)
    let bad = try await Prosper.run(
      ["sounds", "--play", "wood", "-o", "pulse:third"], environment: environment, in: scratch)
    #expect(bad.status == 69 && bad.err.contains("there is no output 'third'") && bad.err.contains("second"))
    let named = environment.merging(["PULSE_SINK": "fourth"]) { $1 }
    let worse = try await Prosper.run(["sounds", "--play", "wood"], environment: named, in: scratch)
    #expect(worse.status == 69 && worse.err.contains("there is no output 'fourth'"), "\(worse.err)")
  }

  /// A device that can't be rewound is known as such only after more has been sent than it needs, so the server says
  /// nothing for the first three seconds.
  @Test(arguments: [1.0, 2.5, 3, 4])
  func `a pause takes effect within a tenth of a second`(second: Double) async throws {
    let scratch = try Scratch()
    let session = try scratch.write(
      "s.yaml", "prosper: 1\ntitle: S\nstages: [{name: A, duration: 60s, tracks: [\"generate:rain\"]}]")
    let script = try scratch.write(
      "s.jsonl", #"{"when": {"session": \#(second)}, "do": "pause"}"# + "\n" + #"{"after": 0.1, "do": "stop"}"#)
    let server = try await onOwnThread { try PulseServer() }
    try await best(hasServer: true, where: { (delay: Double) in delay < 0.1 }) {
      let run = try await Prosper.run(
        ["play", session, "--script", script], environment: ["PULSE_SERVER": server.address], in: scratch)
      let pause = try run.events().first { $0["state"] as? String == "paused" }
      return try #require(pause?["session"] as? Double) - second
    }
  }

  /// The contents of a FIFO can't be rewound, so a change may not be heard yet when the next one comes.
  @Test func `seeks in quick succession all take effect`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write(
      "s.yaml", "prosper: 1\ntitle: S\nstages: [{name: A, duration: 60s, tracks: [\"generate:rain\"]}]")
    let seeks = (0..<4).map { #"{"at": \#(0.5 + 0.03 * Double($0)), "do": "seek", "by": 10}"# }
    let script = try scratch.write("s.jsonl", (seeks + [#"{"at": 1, "do": "stop"}"#]).joined(separator: "\n"))
    let run = try await Prosper.run(
      ["play", session, "-o", "pipe:" + scratch.path("fifo"), "--no-control", "--script", script], in: scratch)
    #expect(try run.outcomes().map { $0["outcome"] as? String } == Array(repeating: "done", count: 5))
    let position = try run.events().compactMap { $0["position"] as? Double }.last
    #expect(40...41.5 ~= position ?? 0)
  }
}

extension [Frame] {
  /// The frames from the first to the last one that is not silent.
  var sounding: [Frame] {
    guard let first = firstIndex(where: { $0 != .silence }), let last = lastIndex(where: { $0 != .silence }) else {
      return []
    }
    return Array(self[first...last])
  }
}

import Foundation
import Signal
import Synchronization
import TestSupport
import Testing

/// An output that is unplugged while there is another one: headphones, and the speakers of the room.
@Suite struct UnpluggedLiveTests {
  /// Four seconds with a crossfade in the middle.
  private static let session = """
    prosper: 1
    title: Unplugged
    sampleRate: 48000
    crossfade: {duration: 1s, curve: equalPower}
    stages:
      - {name: One, duration: 2s, tracks: ["generate:rain"]}
      - {name: Two, duration: 2s, tracks: ["generate:ocean"]}
    """

  @Test func `a session pauses in its crossfade when its output is unplugged, and resumes only on command`()
    async throws
  {
    let scratch = try Scratch()
    let session = try scratch.write("unplugged.yaml", Self.session)
    // The milliseconds heard on the other output: until the server has reported the change, and a fade of 20 ms.
    try await best(where: { $0 < 200 }) {
      let server = try await onOwnThread { try PulseServer(more: ["hall"]) }
      try server.pactl("set-default-sink", "null")
      let room = LiveCapture(to: server, sink: "hall") { !$0.sound.isEmpty && 9_600 <= $0.silenceAtEnd }
      let environment = ["PULSE_SERVER": server.address, "XDG_RUNTIME_DIR": scratch.path("")]
      let ctl = { @Sendable (words: String...) in
        (try? output(of: Prosper.executable.path, ["ctl"] + words, environment: environment)) ?? ""
      }
      let status = Mutex("")
      let run = try await Prosper.run(["play", session], environment: environment, in: scratch) { running in
        room.waitUntilRunning()
        running.waitUntilItSays("crossfade.started")
        try? server.unplug("null")
        running.waitUntilItSays("crossfade.paused")
        status.withLock { $0 = ctl("status") }
        // The output comes back, but the listener has not resumed the session.
        try? server.plugIn("null")
        _ = try? server.pactl("set-default-sink", "null")
        running.waitUntilItSays(#""to":"null""#)
        _ = eventually(within: 0.5) { running.said().contains("crossfade.resumed") }
        #expect(!running.said().contains("crossfade.resumed"))
        _ = ctl("resume")
      }
      #expect(run.status == 0 && run.err.isEmpty)
      #expect(status.withLock { $0 }.contains("Unplugged, crossfadePaused"))
      try Self.check(try run.events())
      return 1_000 * Double(try await room.frames().sounding.count) / 48_000
    }
  }

  private static func check(_ events: [[String: Any]]) throws {
    let outputs = events.filter { ($0["event"] as? String)?.hasPrefix("output.") == true }
    #expect(outputs.map { $0["event"] as? String } == ["output.moved", "output.moved"])
    #expect(outputs.map { $0["to"] as? String } == ["hall", "null"])
    #expect(outputs.map { $0["reason"] as? String } == ["the previous output was removed; the session is paused", nil])
    let states = events.compactMap { event -> String? in
      let state = event["state"] as? String
      return state == event["previous"] as? String ? nil : state
    }
    #expect(states == ["preparing", "playing", "crossfading", "crossfadePaused", "crossfading", "playing", "finished"])
    #expect(events.last?["reason"] as? String == "completed" && events.last?["played"] as? Double == 4)
  }
}

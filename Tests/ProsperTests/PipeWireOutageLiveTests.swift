import Foundation
import Signal
import Synchronization
import TestSupport
import Testing

/// PipeWire, a part of it, or the selected sink goes away and comes back.
@Suite(.serialized) struct PipeWireOutageLiveTests {
  enum Fate: CaseIterable {
    /// Only `pipewire-pulse` is killed.
    case frontEnd
    /// PipeWire and WirePlumber are killed; `pipewire-pulse` survives, but its streams don't.
    case core
    /// All three are killed.
    case everything
    /// The sink that prosper was started with is removed.
    case namedSink
  }

  /// The program after it has reported the loss of its output.
  private final class Silenced: Sendable {
    let program = Mutex<Running?>(nil)

    /// Waits for the report, then runs `body`, with the program suspended if requested.
    func suspended<Result>(_ isSuspended: Bool, _ body: () throws -> Result) throws -> Result {
      _ = eventually(within: 20) { program.withLock { $0 != nil } }
      let running = try #require(program.withLock { $0 })
      if isSuspended { running.send(SIGSTOP) }
      defer { if isSuspended { running.send(SIGCONT) } }
      return try body()
    }
  }

  /// What was heard before and after.
  private struct Lives {
    var before: [Stretch]
    var after: [Stretch]
    /// Whether prosper reported an underrun.
    var ranDry = false

    /// Frames that were not heard; negative for frames heard twice. The fade of 20 ms is heard, but is not a stretch.
    var missed: Int { (after.first?.start ?? 0) - 959 - (before.last?.end ?? 0) }
  }

  @Test(arguments: Fate.allCases)
  func `playback resumes where it was lost`(_ fate: Fate) async throws {
    let session = try NumberedSession(seconds: 2.5)
    // Sound that a stalled machine has not captured before the loss counts as missed.
    try await best(where: { (lives: Lives) in !lives.ranDry && abs(lives.missed) < 2_400 }) {
      let server = try await onOwnThread { try PipeWireServer() }
      if fate == .namedSink { try await onOwnThread { try server.plugIn("hall") } }
      let isListening = Flag()
      let silenced = Silenced()
      let listener = Background { try Self.listen(to: server, until: fate, ready: isListening, silenced) }
      _ = try await onOwnThread { eventually(within: 20) { isListening.isRaised } }
      let run = try await session.playAlone(
        on: server, options: ["-o", fate == .namedSink ? "pulse:hall" : "pulse", "--give-up-after", "30s"]
      ) {
        $0.waitUntilItSays("output.lost")
        let running = $0
        silenced.program.withLock { $0 = running }
      }
      var lives = try await onOwnThread { try listener.value(within: 60) }
      lives.ranDry = try run.ranDry
      try session.expectWhole(run, outputs: ["output.lost", "output.restored"])
      let reason = fate == .namedSink ? "Entity killed" : "Connection terminated"
      #expect(try run.outputEvents().first?["reason"] as? String == reason)
      #expect(lives.before.first?.start == 0 && lives.after.last?.end == session.end)
      return lives
    }
  }

  /// Causes the loss when a second has been heard, and captures the rest. If prosper could recover before the capture
  /// runs, it is suspended until then.
  private static func listen(
    to server: PipeWireServer, until fate: Fate, ready: Flag, _ silenced: Silenced
  ) throws -> Lives {
    let sink = fate == .namedSink ? "hall" : server.sink
    let before = try Capture(of: server, sink: sink)
    ready.raise()
    #expect(before.wait { $0.sound.count > 48_000 })
    switch fate {
    case .frontEnd: server.kill()
    case .core: server.killPipeWire()
    case .everything: server.killAll()
    case .namedSink: try server.unplug(sink)
    }
    // All that was heard before.
    _ = before.wait { 24_000 < $0.silenceAtEnd }
    let after = try silenced.suspended(fate == .core || fate == .namedSink) {
      try server.restart {
        if fate == .namedSink { try server.plugIn(sink) }
        return try Capture(of: server, sink: sink)
      }
    }
    #expect(after.waitForTheEnd())
    return Lives(
      before: Stretch.all(in: before.frames.map(\.left)), after: Stretch.all(in: after.frames.map(\.left)))
  }
}

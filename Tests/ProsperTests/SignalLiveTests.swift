import Foundation
import Synchronization
import TestSupport
import Testing

/// How signals end a live session, whatever the sound server does.
@Suite(.serialized) struct SignalLiveTests {
  @Test(
    arguments: [(SIGINT, 130, "interrupted"), (SIGTERM, 143, "terminated"), (SIGHUP, 129, "terminated")]
      as [(Int32, Int32, String)])
  func `a signal fades out within a second, and the reason is reported`(signal: Int32, status: Int32, reason: String)
    async throws
  {
    let server = try await onOwnThread { try PulseServer() }
    // On a machine that stalls, the program ends in time without its last event.
    try await best(where: { (run: Ended) in run.took < .seconds(1) && run.reason == reason }) {
      let run = try await end(by: [signal], on: server.address)
      #expect(run.status == status && run.err.isEmpty)
      return run
    }
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)], Fate.allCases)
  func `a stalled or dead server delays no signal`(_ signal: (Int32, Int32), _ fate: Fate) async throws {
    try await best(where: { (runs: [Ended]) in runs.allSatisfy { $0.took < .seconds(1) } }) {
      let runs = try await withThrowingTaskGroup(of: Ended.self) { group in
        for pause in [0, 0.3, 1.1, 2.2] { group.addTask { try await end(by: signal.0, fate, since: pause) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(
        runs.count == 4 && runs.allSatisfy { $0.status == signal.1 && $0.err.isEmpty },
        "\(runs.map { "\($0.status) \($0.err)" })")
      return runs
    }
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)], ["pulse", "null"])
  func `a second signal ends the session long before the fade is over`(
    _ signal: (Int32, Int32), _ output: String
  ) async throws {
    let server = try await onOwnThread { try PulseServer() }
    // The fade alone lasts 400 ms.
    try await best(where: { $0.took < .milliseconds(250) }) {
      let run = try await end(by: [signal.0, signal.0], on: server.address, output)
      #expect(run.status == signal.1 && run.err.isEmpty)
      return run
    }
  }

  @Test func `SIGQUIT ends the session at once`() async throws {
    try await best(where: { $0.took < .milliseconds(250) }) {
      let run = try await end(by: [SIGQUIT], on: "unix:/nowhere", "null")
      #expect(run.status == 131 && run.err.isEmpty)
      return run
    }
  }

  @Test func `a signal that nohup ignores stays ignored`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("live.yaml", LiveTests.session)
    let program = ["/usr/bin/env", "nohup", Prosper.executable.path]
    let run = try await Prosper.run(["play", session, "-o", "null"], in: scratch, program: program) {
      $0.waitUntilItSays("crossfade.started")
      $0.send(SIGHUP)
    }
    #expect(run.status == 0)
  }

  enum Fate: CaseIterable {
    case stalled, dead
  }

  private struct Ended {
    var status: Int32
    var err: String
    /// The reason in the last event.
    var reason: String?
    /// The time from the first signal to the end.
    var took: Duration
  }

  /// - Parameter pause: The seconds from the failure of the server to the signal.
  private func end(by signal: Int32, _ fate: Fate, since pause: Double) async throws -> Ended {
    let server = try await onOwnThread { try PulseServer() }
    return try await end(by: [signal], on: server.address) {
      if fate == .dead { server.kill() } else { server.stall() }
      letPass(seconds: pause)
    }
  }

  /// Plays the session, sends it signals in the middle, 20 ms apart, and returns how it ended.
  private func end(
    by signals: [Int32], on address: String, _ output: String = "pulse",
    preparing: @escaping @Sendable () -> Void = {}
  ) async throws -> Ended {
    let scratch = try Scratch()
    let session = try scratch.write("live.yaml", LiveTests.session)
    let sent = Mutex(ContinuousClock.now)
    let arguments = ["play", session, "-o", output]
    let run = try await Prosper.run(arguments, environment: ["PULSE_SERVER": address], in: scratch) {
      $0.waitUntilItSays("crossfade.started")
      preparing()
      sent.withLock { $0 = ContinuousClock.now }
      for signal in signals {
        $0.send(signal)
        letPass(seconds: 0.02)
      }
    }
    let reason = try? run.events().last?["reason"] as? String
    return Ended(status: run.status, err: run.err, reason: reason, took: run.endedAt - sent.withLock { $0 })
  }
}

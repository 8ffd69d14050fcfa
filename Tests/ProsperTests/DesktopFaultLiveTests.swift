import Foundation
import Glibc
import TestSupport
import Testing

/// A session whose session bus is missing, dies or hangs: this is neither heard nor reported.
@Suite(.serialized) struct DesktopFaultLiveTests {
  private let folder: Scratch
  private let session: String

  init() throws {
    folder = try Scratch()
    session = try folder.write(
      "s.yaml",
      """
      prosper: 1
      title: Bus
      crossfade: {duration: 500ms}
      stages:
        - {name: One, duration: 2s, tracks: ["generate:rain"]}
        - {name: Two, duration: 2s, tracks: ["generate:ocean"]}
      """)
  }

  private func play(_ words: [String] = [], bus: String, _ act: @escaping @Sendable (Running) -> Void = { _ in })
    async throws -> Prosper
  {
    try await Prosper.run(
      ["play", session] + (words.contains("-o") ? [] : ["-o", "null"]) + words,
      environment: ["DBUS_SESSION_BUS_ADDRESS": bus], in: folder,
      whileRunning: act)
  }

  /// Plays four seconds, and checks that they are complete, that nothing is reported, and that the end does not wait
  /// for the bus.
  private func expectUndisturbed(bus: String, _ act: @escaping @Sendable (Running) -> Void = { _ in }) async throws {
    try await best(where: { $0 < .seconds(6) }) {
      let began = ContinuousClock.now
      let run = try await play(bus: bus, act)
      #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
      let events = try run.events()
      #expect(events.last?["reason"] as? String == "completed" && events.last?["played"] as? Double == 4)
      #expect(!events.contains { ["underrun", "warning", "error"].contains($0["event"] as? String) })
      return run.endedAt - began
    }
  }

  @Test(arguments: ["unix:path=/nowhere", "", "autolaunch:", "nonsense", "tcp:host=127.0.0.1,port=1"])
  func `without a bus a session plays, and nothing is reported`(address: String) async throws {
    try await expectUndisturbed(bus: address)
  }

  @Test func `a bus that accepts connections and never answers delays nothing`() async throws {
    let silent = try SilentBus(in: folder)
    try await expectUndisturbed(bus: silent.address)
    #expect(1 <= silent.connections)
  }

  @Test func `a bus that dies during the session disturbs nothing`() async throws {
    let bus = try await onOwnThread { try SessionBus() }
    try await expectUndisturbed(bus: bus.address) { running in
      running.waitUntilItSays("crossfade.started")
      bus.kill()
    }
  }

  @Test func `a bus that hangs during the session disturbs nothing`() async throws {
    let bus = try await onOwnThread { try SessionBus() }
    let folder = folder
    try await expectUndisturbed(bus: bus.address) { running in
      running.waitUntilItSays("stage.started")
      bus.hang()
      // More changes than the socket of a bus that doesn't read can buffer.
      for volume in 1...50 {
        _ = try? output(
          of: Prosper.executable.path, ["ctl", "volume", "0.\(volume)"],
          environment: ["XDG_RUNTIME_DIR": folder.path("")])
      }
    }
  }

  @Test(arguments: [["--no-mpris"], ["-o", "null:fast"]])
  func `with --no-mpris, and in a render, prosper does not connect to the bus`(words: [String])
    async throws
  {
    let silent = try SilentBus(in: folder)
    let run = try await play(words, bus: silent.address)
    #expect(run.status == 0 && run.err.isEmpty && silent.connections == 0)
  }

  @Test func `the options for notifications report a missing bus`() async throws {
    let run = try await play(["--do-not-disturb", "--notify"], bus: "unix:path=/nowhere")
    #expect(run.status == 0)
    #expect(run.err == "prosper: there is no session bus: notifications are neither silenced nor shown\n")
  }
}

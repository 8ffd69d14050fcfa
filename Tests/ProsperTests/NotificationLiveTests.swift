import Foundation
import Glibc
import TestSupport
import Testing

/// Notifications during a session, with a real bus and a notification service: prosper silences those of other
/// programs, and shows its own.
@Suite(.serialized) struct NotificationLiveTests {
  private let folder: Scratch
  private let session: String

  init() throws {
    folder = try Scratch()
    session = try folder.write(
      "s.yaml",
      """
      prosper: 1
      title: Evening sit
      sampleRate: 48000
      stages:
        - {name: One, duration: 3s, tracks: ["generate:rain"]}
      """)
  }

  private func play(
    on bus: SessionBus, _ words: [String], output: String = "null", environment: [String: String] = [:],
    act: @escaping @Sendable (Running) -> Void = { _ in }
  ) async throws -> Prosper {
    try await Prosper.run(
      ["play", session, "-o", output] + words, environment: bus.environment.merging(environment) { $1 }, in: folder,
      whileRunning: act)
  }

  private func server(_ silence: NotificationServer.Silence = .plasma) async throws -> (SessionBus, NotificationServer)
  {
    try await onOwnThread {
      let bus = try SessionBus()
      return (bus, try NotificationServer(on: bus, silence: silence))
    }
  }

  /// The calls that silence the notifications of a desktop, and that show them again.
  private static func calls(_ desktop: NotificationServer.Silence) -> (begin: String, end: String) {
    desktop == .gnome ? ("SetStatus 2", "SetStatus 0") : ("Inhibit", "UnInhibit")
  }

  @Test(arguments: [NotificationServer.Silence.plasma, .gnome])
  func `notifications are silenced while the session plays, but not during a pause`(
    desktop: NotificationServer.Silence
  ) async throws {
    let (bus, server) = try await server(desktop)
    let folder = folder
    let run = try await play(on: bus, ["--do-not-disturb"]) { running in
      let ctl = { (word: String) in
        _ = try? output(
          of: Prosper.executable.path, ["ctl", word], environment: ["XDG_RUNTIME_DIR": folder.path("")])
      }
      let waits = { (calls: Int) in _ = eventually { (try? server.calls().count) == calls || !running.isThere } }
      waits(1)
      ctl("pause")
      waits(2)
      ctl("resume")
      waits(3)
    }
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    let calls = try await onOwnThread { try server.calls() }
    let (begin, end) = Self.calls(desktop)
    #expect(calls == [begin, end, begin, end])
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGKILL], [NotificationServer.Silence.plasma, .gnome])
  func `notifications are shown again however the session ends`(
    signal: Int32, desktop: NotificationServer.Silence
  ) async throws {
    let (bus, server) = try await server(desktop)
    _ = try await play(on: bus, ["--do-not-disturb"]) { running in
      _ = eventually { (try? server.silencers()) == "1" || !running.isThere }
      running.send(signal)
    }
    let (calls, isFree) = try await onOwnThread {
      let isFree = try eventually { try server.silencers() == "0" }
      return (try server.calls(), isFree)
    }
    let isGraceful = [SIGINT, SIGTERM, SIGHUP].contains(signal)
    let (begin, end) = Self.calls(desktop)
    #expect(isFree && calls == [begin, isGraceful || desktop == .gnome ? end : "gone"], "\(calls)")
  }

  @Test func `a desktop that can't silence notifications is reported once, and the session plays`() async throws {
    let (bus, server) = try await server(.none)
    let run = try await play(on: bus, ["--do-not-disturb"])
    #expect(run.status == 0)
    #expect(
      run.err == "prosper: this desktop doesn't let programs silence notifications; "
        + "silence them in the desktop's settings\n")
    let calls = try await onOwnThread { try server.calls() }
    #expect(calls.isEmpty)
  }

  @Test func `a desktop without notifications is reported, and the session plays`() async throws {
    let bus = try await onOwnThread { try SessionBus() }
    let run = try await play(on: bus, ["--notify"])
    #expect(run.status == 0)
    #expect(run.err == "prosper: no notification service answers on the session bus: no notification is shown\n")
  }

  @Test(arguments: ["null", "null:fast"])
  func `the end of a session or render is announced, after notifications are shown again`(output: String) async throws {
    let (bus, server) = try await server()
    let run = try await play(on: bus, ["--notify", "--do-not-disturb"], output: output)
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    let calls = try await onOwnThread { try server.calls() }
    let end = "Notify 0|1|Evening sit|The session has ended after 0:03."
    #expect(calls == (output == "null" ? ["Inhibit", "UnInhibit", end] : [end]))
  }

  @Test func `without --notify nothing is announced`() async throws {
    let (bus, server) = try await server()
    let run = try await play(on: bus, [])
    let calls = try await onOwnThread { try server.calls() }
    #expect(run.status == 0 && calls.isEmpty)
  }

  @Test func `a lost output is announced urgently until it is back`() async throws {
    let (bus, server) = try await server()
    let sound = try await onOwnThread { try PulseServer() }
    let run = try await play(
      on: bus, ["--notify"], output: "pulse", environment: ["PULSE_SERVER": sound.address]
    ) { running in
      running.waitUntilItSays("stage.started")
      sound.kill()
      _ = eventually { (try? server.calls().count) == 1 || !running.isThere }
      try? sound.restart {}
      running.waitUntilItSays("session.finished")
    }
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    let calls = try await onOwnThread { try server.calls() }
    #expect(
      calls == [
        "Notify 0|2|Evening sit|The output is lost. The session continues when it is back.", "CloseNotification 1",
        "Notify 0|1|Evening sit|The session has ended after 0:03.",
      ])
  }
}

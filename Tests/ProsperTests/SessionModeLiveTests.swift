import Foundation
import TestSupport
import Testing

/// What is reported about the output, and what changes if another program manages it.
@Suite struct SessionModeLiveTests {
  private static let session = """
    prosper: 1
    title: Modes
    sampleRate: 48000
    stages: [{name: Sit, duration: 1500ms, tracks: ["generate:rain"]}]
    """

  private static let telephone = "module-null-sink sink_name=call channels=1 norewinds=1"

  @Test(arguments: ["managed", "external"])
  func `an output that is muted or mono is reported once`(mode: String) async throws {
    let scratch = try Scratch()
    let session = try scratch.write("modes.yaml", Self.session)
    let server = try await onOwnThread { try PulseServer(modules: [Self.telephone]) }
    try server.pactl("set-sink-mute", "call", "1")
    let run = try await Prosper.run(
      ["play", session, "-o", "pulse:call", "--session-mode", mode, "--log-level", "debug"],
      environment: ["PULSE_SERVER": server.address], in: scratch)
    #expect(run.status == 0)
    let warnings = try run.events().filter { $0["event"] as? String == "warning" }
    #expect(
      warnings.compactMap { $0["message"] as? String } == [
        "the output 'call' is muted; unmute it in the desktop's mixer",
        "the output 'call' has one channel: stereo is mixed down; use another output",
      ])
    #expect(run.err.contains("PulseAudio 16"), "\(run.err)")
    #expect(run.err.contains("output 'call' (48000 Hz, 1 channels)"), "\(run.err)")
  }

  @Test func `a good output causes no warning`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("modes.yaml", Self.session)
    let server = try await onOwnThread { try PulseServer() }
    let run = try await Prosper.run(
      ["play", session, "--session-mode", "external"], environment: ["PULSE_SERVER": server.address], in: scratch)
    #expect(run.status == 0 && run.err.isEmpty, "\(run.err)")
    #expect(try !run.events().contains { $0["event"] as? String == "warning" })
  }

  @Test func `an output that is muted during the session is reported`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("modes.yaml", Self.session.replacing("1500ms", with: "20s"))
    let server = try await onOwnThread { try PulseServer() }
    let run = try await Prosper.run(["play", session], environment: ["PULSE_SERVER": server.address], in: scratch) {
      running in
      running.waitUntilItSays(#""event":"position""#)
      _ = try? server.pactl("set-sink-mute", server.sink, "1")
      running.waitUntilItSays(#""event":"warning""#)
      running.send(SIGTERM)
    }
    let warnings = try run.events().filter { $0["event"] as? String == "warning" }
    #expect(
      warnings.compactMap { $0["message"] as? String } == [
        "the output 'null' is muted; unmute it in the desktop's mixer"
      ])
  }

  /// A call begins, one second of the session plays, and the server goes away for good.
  @Test(arguments: ["managed", "external"])
  func `an external session pauses for no call and waits for no server`(mode: String) async throws {
    let scratch = try Scratch()
    let session = try scratch.write("modes.yaml", Self.session.replacing("1500ms", with: "20s"))
    let server = try await onOwnThread {
      try PulseServer(modules: ["module-role-cork trigger_roles=phone cork_roles=music"])
    }
    let isManaged = mode == "managed"
    let run = try await Prosper.run(
      ["play", session, "--session-mode", mode, "--give-up-after", "300ms"],
      environment: ["PULSE_SERVER": server.address], in: scratch
    ) { running in
      running.waitUntilItSays(#""event":"position""#)
      let call = try? server.player(role: "phone")
      running.waitUntilItSays("output.corked")
      if !isManaged { running.waitUntilItSays(#""session":2."#) }
      server.kill()
      call?.end()
    }
    #expect(run.status == 75)
    let names = try run.events().compactMap { $0["event"] as? String }
    #expect(names.contains("output.corked"))
    #expect(names.contains("output.lost") == isManaged)
    #expect(names.contains("error"))
    let states = try run.events().filter { $0["event"] as? String == "state" }.compactMap { $0["state"] as? String }
    #expect(states.contains("paused") == isManaged, "\(states)")
  }

  /// The server reports the end of a call only to a stream that is already corked.
  @Test func `a call that is over before prosper has answered it silences nothing for long`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("modes.yaml", Self.session.replacing("1500ms", with: "4s"))
    let server = try await onOwnThread { try PulseServer(modules: ["module-role-cork"]) }
    let run = try await Prosper.run(
      ["play", session, "--no-control"], environment: ["PULSE_SERVER": server.address], in: scratch
    ) { running in
      let isMuted = { (try? server.pactl("list", "sink-inputs").contains("Mute: yes")) == true }
      running.waitUntilItSays(#""event":"position""#)
      running.send(SIGSTOP)
      let call = try? server.player(role: "phone")
      _ = eventually(isMuted)
      call?.end()
      _ = eventually { !isMuted() }
      running.send(SIGCONT)
      running.waitUntilItSays("session.finished")
      running.send(SIGTERM)
    }
    #expect(run.status == 0)
    let names = try run.events().compactMap { $0["event"] as? String }
    #expect(names.contains("output.corked"))
  }

  /// The server mutes the stream during a call, and does not report its end.
  @Test func `an external session reports each call`() async throws {
    let scratch = try Scratch()
    let session = try scratch.write("modes.yaml", Self.session.replacing("1500ms", with: "60s"))
    let server = try await onOwnThread { try PulseServer(modules: ["module-role-cork"]) }
    let run = try await Prosper.run(
      ["play", session, "--session-mode", "external"], environment: ["PULSE_SERVER": server.address], in: scratch
    ) { running in
      let isMuted = { (try? server.pactl("list", "sink-inputs").contains("Mute: yes")) == true }
      running.waitUntilItSays(#""event":"position""#)
      for _ in 0..<2 {
        let call = try? server.player(role: "phone")
        _ = eventually(isMuted)
        call?.end()
        _ = eventually { !isMuted() }
      }
      running.send(SIGTERM)
    }
    #expect(try run.events().filter { $0["event"] as? String == "output.corked" }.count == 2)
  }
}

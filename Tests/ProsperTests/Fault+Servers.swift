import Glibc
import TestSupport

extension Fault {
  static let servers: [Fault] = [
    Fault(
      "the sound server is restarted", heard: "silence until it is back, then the rest; nothing is skipped", isWhole
    ) {
      try await live($0) { running, server in
        running.waitUntilItSays(#""session":1.000"#)
        server.kill()
        try? server.restart {}
      }
    },
    Fault(
      "the sound server does not come back", heard: "what played before", { _, run in run.out.contains("outputFailed") }
    ) {
      try await live($0, "--give-up-after", "200ms") { running, server in
        running.waitUntilItSays(#""session":1.000"#)
        server.kill()
      }
    },
    Fault("no sound server answers at the start", heard: "nothing", { _, run in run.out.contains("\"played\":0.000") })
    {
      ground in
      try await ground.play("-o", "pulse")
    },
    Fault(
      "no sound server answers at the start, with `--wait-for-server`",
      heard: "silence until the server answers, then the whole session", isWhole
    ) { ground in
      let server = try await onOwnThread { try PulseServer() }
      server.kill()
      return try await ground.play(
        "-o", "pulse", "--wait-for-server", "1h", environment: ["PULSE_SERVER": server.address]
      ) { running in
        running.waitUntilItSays("output.lost")
        do { try server.restart {} } catch { running.send(SIGTERM) }
        // The server ends with its last reference.
        withExtendedLifetime(server) { running.waitUntilItSays("session.finished") }
      }
    },
    Fault("the session bus of the desktop is missing, dies or hangs", heard: "everything", isWhole) { ground in
      let bus = try await onOwnThread { try SessionBus() }
      return try await ground.play("-o", "null", environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address]) { running in
        running.waitUntilItSays(#""session":1.000"#)
        bus.kill()
      }
    },
    Fault("the output is unplugged and comes back", heard: "silence until it is back, then the rest", isWhole) {
      try await live($0) { running, server in
        running.waitUntilItSays(#""session":1.000"#)
        _ = try? server.pactl("unload-module", "module-null-sink")
        running.waitUntilItSays("output.lost")
        _ = try? server.pactl("load-module", "module-null-sink", "sink_name=null")
      }
    },
    Fault(
      "the output is unplugged and does not come back", heard: "what played before",
      { _, run in run.out.contains("outputFailed") }
    ) {
      try await live($0, "--give-up-after", "200ms") { running, server in
        running.waitUntilItSays(#""session":1.000"#)
        _ = try? server.pactl("unload-module", "module-null-sink")
      }
    },
    Fault(
      "headphones are unplugged, or the output disappears while another one exists",
      heard: "a fade-out; the rest on the other output when the listener resumes", isWhole
    ) { ground in
      let resume = #"{"when":{"state":"paused"},"do":"pause"}"# + "\n" + #"{"after":"500ms","do":"resume"}"#
      let script = try ground.scratch.write("script", resume + "\n")
      return try await live(ground, "--script", script, more: ["hall"]) { running, server in
        running.waitUntilItSays(#""session":1.000"#)
        try? server.unplug("null")
      }
    },
    Fault("the session is moved to another output", heard: "the rest on the other output", isWhole) {
      try await live($0, more: ["hall"]) { running, server in
        running.waitUntilItSays(#""session":1.000"#)
        _ = try? server.pactl("set-default-sink", "hall")
      }
    },
    Fault("a call comes in", heard: "a fade-out; the rest after the call", isWhole) {
      try await live($0, modules: ["module-role-cork"]) { running, server in
        running.waitUntilItSays(#""session":1.000"#)
        let call = try? server.player(role: "phone")
        running.waitUntilItSays("output.corked")
        call?.end()
      }
    },
    Fault("the computer goes to sleep", heard: "a fade-out; the rest after wake-up", isWhole) { ground in
      let bus = try await onOwnThread { try SystemBus() }
      return try await ground.play("-o", "null", environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]) { running in
        running.waitUntilItSays(#""session":1.000"#)
        try? bus.prepareForSleep(true)
        running.waitUntilItSays("output.corked")
        try? bus.prepareForSleep(false)
      }
    },
    Fault("the computer is too busy for prosper", heard: "a gap, then the rest", isWhole) {
      // The session must not be over before the stop, even if the test is late.
      try $0.plan(seconds: 8, rate: FaultEnvironment.rate)
      return try await live($0) { running, _ in
        running.waitUntilItSays(#""session":1.000"#)
        running.send(SIGSTOP)
        // Longer than the sound that the server has buffered.
        letPass(seconds: 3)
        running.send(SIGCONT)
      }
    },
  ]

  private static let isWhole: @Sendable (FaultEnvironment, Prosper) -> Bool = { _, run in
    (try? run.events().last?["reason"] as? String) == "completed"
  }

  private static func live(
    _ ground: FaultEnvironment, _ words: String..., more: [String] = [], modules: [String] = [],
    act: @escaping @Sendable (Running, PulseServer) -> Void
  ) async throws -> Prosper {
    let server = try await onOwnThread { try PulseServer(more: more, modules: modules) }
    return try await Prosper.run(
      ["play", ground.session, "--no-control"] + words, environment: ["PULSE_SERVER": server.address],
      in: ground.scratch
    ) { act($0, server) }
  }
}

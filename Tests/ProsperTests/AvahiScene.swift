import TestSupport

/// A private system bus, and an Avahi on it.
final class AvahiScene: Sendable {
  private let bus: BusDaemon
  private let avahi: ChildProcess
  private let folder: Scratch

  /// The variables with which a program finds the bus.
  var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": bus.address] }

  init() throws {
    bus = try BusDaemon()
    folder = try Scratch()
    let configuration = try folder.write(
      "avahi.conf",
      """
      [server]
      host-name=prosper-test
      use-ipv6=no
      allow-interfaces=lo
      [publish]
      publish-workstation=no
      """)
    avahi = try ChildProcess(
      "avahi-daemon", ["--no-drop-root", "--no-chroot", "--no-rlimits", "--no-proc-title", "-f", configuration],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address], readsOutput: false)
    let (bus, avahi) = (bus, avahi)
    let state = { @Sendable () -> String? in
      try? output(
        of: "gdbus",
        [
          "call", "--address", bus.address, "--dest", "org.freedesktop.Avahi", "--object-path", "/", "--method",
          "org.freedesktop.Avahi.Server.GetState",
        ], environment: [:])
    }
    // 2: the host's name is established.
    guard eventually({ state() == "(2,)\n" || !avahi.isAlive }), avahi.isAlive else {
      throw SceneFailure("avahi-daemon does not answer")
    }
  }

  deinit { avahi.end() }
}

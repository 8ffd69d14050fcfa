import Glibc

/// A private system bus with a mock of logind. Both are killed together with this object.
package final class SystemBus: Sendable {
  /// The address for the program under test.
  package var address: String { bus.address }
  private let bus: BusDaemon
  private let logind: ChildProcess

  package init() throws {
    let bus = try BusDaemon()
    // Debian's own Python, because `dbusmock` is installed for it.
    let logind = try ChildProcess(
      "/usr/bin/python3", ["-m", "dbusmock", "--system", "--template", "logind"],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address], readsOutput: false)
    (self.bus, self.logind) = (bus, logind)
    guard try eventually({ try isAnswering || !logind.isAlive }), logind.isAlive else {
      throw ChildFailure(program: "dbusmock", code: ETIMEDOUT)
    }
  }

  /// Kills the bus, as a crash would.
  package func kill() { bus.kill() }

  /// The locks that are held, such as `block sleep:idle`, sorted.
  package func locks() throws -> [String] {
    // Each is ('what', 'who', 'why', 'mode', user, process).
    let words = try call(Self.manager + "ListInhibitors").split(separator: "'", omittingEmptySubsequences: false)
    return stride(from: 1, to: words.count - 6, by: 8).map { "\(words[$0 + 6]) \(words[$0])" }.sorted()
  }

  /// Signals to all clients that the computer is about to sleep (true), or awake again (false).
  package func prepareForSleep(_ begins: Bool) throws {
    try call("org.freedesktop.DBus.Mock.EmitSignal", Self.interface, "PrepareForSleep", "b", "[<\(begins)>]")
  }

  /// Sends the signal that only logind may send to each client, from another program.
  package func forgeSleepSignal() throws {
    let names = try gdbus(
      "call", "--dest", "org.freedesktop.DBus", "--object-path", "/", "--method", "org.freedesktop.DBus.ListNames")
    for name in names.split(separator: "'") where name.hasPrefix(":") {
      try gdbus(
        "emit", "--dest", String(name), "--object-path", "/org/freedesktop/login1", "--signal",
        Self.manager + "PrepareForSleep", "true")
    }
  }

  /// From now on, refuses to block sleep, as logind does for users who are not at the computer.
  package func refuseToBlockSleep() throws {
    let code = """
      import os, sys
      if args[3] == 'block' and 'sleep' in args[0]:
        name = 'org.freedesktop.DBus.Error.AccessDenied'
        raise dbus.exceptions.DBusException('Permission denied', name=name)
      locks = sys.modules['dbusmock.mockobject'].inhibitors
      locks.append((args[0], args[1], args[2], args[3], 1000, 1))
      ret = os.pipe()[1]
      """
    try call("org.freedesktop.DBus.Mock.AddMethod", Self.interface, "Inhibit", "ssss", "h", code)
  }

  private var isAnswering: Bool { get throws { try call(Self.manager + "ListInhibitors").hasPrefix("(") } }

  private static let interface = "org.freedesktop.login1.Manager"
  private static let manager = interface + "."

  @discardableResult
  private func call(_ method: String, _ words: String...) throws -> String {
    try gdbus(
      ["call", "--dest", "org.freedesktop.login1", "--object-path", "/org/freedesktop/login1", "--method", method]
        + words)
  }

  @discardableResult
  private func gdbus(_ words: String...) throws -> String { try gdbus(words) }

  private func gdbus(_ words: [String]) throws -> String {
    try output(
      of: "gdbus", words.prefix(1) + ["--system"] + words.dropFirst(),
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
  }
}

internal import CSystemd
package import Engine
internal import Glibc

/// A connection to a message bus (D-Bus). Only one thread uses it. No method waits for a reply: `process` calls the
/// callbacks.
package final class BusConnection {
  /// Which bus to connect to.
  package enum Target: Sendable, Hashable {
    /// `DBUS_SYSTEM_BUS_ADDRESS`, or the system's default.
    case system
    /// `DBUS_SESSION_BUS_ADDRESS`, or the socket `bus` in `XDG_RUNTIME_DIR`.
    case session
    case address(String)
  }

  let bus: OpaquePointer

  /// Starts to connect, and returns before the connection is established. Returns nil if there is no bus, or no
  /// libsystemd to connect with.
  package init?(to target: Target) {
    guard prosper_systemd_failure() == nil else { return nil }
    var bus: OpaquePointer?
    let result =
      switch target {
      case .system: sd_bus_open_system(&bus)
      case .session: sd_bus_open_user(&bus)
      case .address(let address): open(&bus, at: address)
      }
    guard 0 <= result, let bus else { return nil }
    self.bus = bus
  }

  /// Closes the connection without sending what is still queued, which could block.
  deinit { sd_bus_close_unref(bus) }

  /// Continues to connect, and runs the callbacks of the messages that have arrived; returns false if the connection
  /// has ended.
  package func process() -> Bool {
    var result: Int32 = 1
    while 0 < result { result = sd_bus_process(bus, nil) }
    return result == 0 && 0 < sd_bus_is_open(bus)
  }

  /// Waits until `process` has something to do or `wakeUp` is called, but at most `seconds`.
  package func wait(for wakeUp: WakeUp, seconds: Double) {
    let events = sd_bus_get_events(bus)
    wakeUp.wait(seconds: min(seconds, secondsUntilTimeout), or: Int16(clamping: events), of: sd_bus_get_fd(bus))
  }

  /// Sends what is still queued. Waits at most `seconds`.
  ///
  /// - Returns: whether everything has been sent.
  package func flush(seconds: Double) -> Bool {
    process(within: seconds) { !hasQueuedMessages }
    return 0 < sd_bus_is_open(bus) && !hasQueuedMessages
  }

  /// Runs the callbacks of messages until the condition holds, the connection ends, or `seconds` have passed.
  package func process(within seconds: Double, until isDone: () -> Bool) {
    let deadline = SuspendingClock().now + .seconds(seconds)
    let unused = WakeUp()
    while process(), !isDone(), case let rest = (deadline - SuspendingClock().now) / .seconds(1), 0 < rest {
      wait(for: unused, seconds: rest)
    }
  }

  private var hasQueuedMessages: Bool {
    var count: UInt64 = 0
    return 0 <= sd_bus_get_n_queued_write(bus, &count) && 0 < count
  }

  /// Seconds until the bus has to handle a timeout, such as that of a reply; an hour if none is pending.
  private var secondsUntilTimeout: Double {
    var due = UInt64.max
    guard 0 <= sd_bus_get_timeout(bus, &due), due != .max else { return 3_600 }
    return max(0, Double(due) / 1e6 - Double(monotonicNanoseconds()) / 1e9)
  }
}

/// Opens the bus at an address and starts to connect; returns a negative error number if that fails.
private func open(_ target: inout OpaquePointer?, at address: String) -> Int32 {
  var bus: OpaquePointer?
  guard 0 <= sd_bus_new(&bus), let bus else { return -ENOMEM }
  sd_bus_set_address(bus, address)
  sd_bus_set_bus_client(bus, 1)
  let result = sd_bus_start(bus)
  if result < 0 { sd_bus_unref(bus) } else { target = bus }
  return result
}

internal import CSystemd
internal import Engine
internal import Glibc

/// A connection to the system bus. Only one thread uses it. No function waits for a reply; `process` calls the
/// callbacks.
final class SystemBus {
  let bus: OpaquePointer

  /// Starts to connect, and returns before the connection is established. Returns nil if there is no bus.
  ///
  /// - Parameter address: nil for `DBUS_SYSTEM_BUS_ADDRESS` or the system's default.
  init?(at address: String?) {
    var bus: OpaquePointer?
    guard 0 <= address.map({ open(&bus, at: $0) }) ?? sd_bus_open_system(&bus), let bus else { return nil }
    self.bus = bus
  }

  /// Closes the connection without sending what is still queued, which could block.
  deinit { sd_bus_close_unref(bus) }

  /// Continues to connect, and runs the callbacks of the messages that have arrived; returns false if the connection
  /// has ended.
  func process() -> Bool {
    var result: Int32 = 1
    while 0 < result { result = sd_bus_process(bus, nil) }
    return result == 0 && 0 < sd_bus_is_open(bus)
  }

  /// Waits until a message arrives, until `call` wakes the thread, or for `seconds`, whichever comes first.
  func wait(for call: WakeUp, seconds: Double) {
    let events = sd_bus_get_events(bus)
    call.wait(seconds: min(seconds, patience), or: Int16(clamping: events), of: sd_bus_get_fd(bus))
  }

  /// Seconds until the bus has to handle a timeout, such as that of a reply; an hour if none is pending.
  private var patience: Double {
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

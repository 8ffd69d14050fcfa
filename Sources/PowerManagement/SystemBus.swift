internal import CSystemd
internal import Engine
internal import Glibc

/// The connection to the system bus. Of one thread, which never waits for an answer: what comes is carried out in
/// `process`.
final class SystemBus {
  let bus: OpaquePointer

  /// Only begins to connect. Nil where there is no bus.
  ///
  /// - Parameter address: nil for `DBUS_SYSTEM_BUS_ADDRESS` or the computer's own.
  init?(at address: String?) {
    var bus: OpaquePointer?
    guard 0 <= address.map({ open(&bus, at: $0) }) ?? sd_bus_open_system(&bus), let bus else { return nil }
    self.bus = bus
  }

  /// What is unsent stays so.
  deinit { sd_bus_close_unref(bus) }

  /// Carries out what has come, and goes on connecting; false when the connection is gone.
  func process() -> Bool {
    var result: Int32 = 1
    while 0 < result { result = sd_bus_process(bus, nil) }
    return result == 0 && 0 < sd_bus_is_open(bus)
  }

  /// Waits for the bus, for a call or for the time.
  func wait(for call: WakeUp, seconds: Double) {
    let events = sd_bus_get_events(bus)
    call.wait(seconds: min(seconds, patience), or: Int16(clamping: events), of: sd_bus_get_fd(bus))
  }

  /// Seconds until the bus wants to look at the time; those of an answer that does not come, for one.
  private var patience: Double {
    var due = UInt64.max
    guard 0 <= sd_bus_get_timeout(bus, &due), due != .max else { return 3_600 }
    return max(0, Double(due) / 1e6 - Double(monotonicNanoseconds()) / 1e9)
  }
}

private func open(_ place: inout OpaquePointer?, at address: String) -> Int32 {
  var bus: OpaquePointer?
  guard 0 <= sd_bus_new(&bus), let bus else { return -ENOMEM }
  sd_bus_set_address(bus, address)
  sd_bus_set_bus_client(bus, 1)
  let result = sd_bus_start(bus)
  if result < 0 { sd_bus_unref(bus) } else { place = bus }
  return result
}

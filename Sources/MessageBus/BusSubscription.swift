internal import CSystemd

/// A signal that another program has sent.
package struct BusSignal {
  /// Whether the signal was sent to all programs. Only then does the bus guarantee its sender.
  package var isBroadcast: Bool
  /// The values; nil if one has a type that prosper does not support.
  package var values: [BusValue]?
}

/// A subscription to a signal of another program, until it is released. Only one thread uses it.
package final class BusSubscription {
  private var slot: OpaquePointer?
  private let received: (BusSignal) -> Void

  /// - Parameters:
  ///   - source: destination, path, interface and name of the signal.
  ///   - received: receives each signal. Called by `process`.
  package init(to source: BusMember, on connection: BusConnection, received: @escaping (BusSignal) -> Void) {
    self.received = received
    // `self` is passed unretained, because `deinit` cancels the subscription.
    sd_bus_match_signal_async(
      connection.bus, &slot, source.destination, source.path, source.interface, source.name,
      { message, subscription, _ in
        if let subscription {
          Unmanaged<BusSubscription>.fromOpaque(subscription).takeUnretainedValue().receive(message)
        }
        return 0
      },
      // If the bus refuses, no signal arrives.
      { _, _, _ in 0 }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { sd_bus_slot_unref(slot) }

  private func receive(_ message: OpaquePointer?) {
    let isBroadcast = sd_bus_message_get_destination(message) == nil
    received(BusSignal(isBroadcast: isBroadcast, values: BusReader(raw: message).values()))
  }
}

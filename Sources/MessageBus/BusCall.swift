internal import CSystemd

/// A method of an object of another program.
package struct BusMethod: Sendable, Hashable {
  package var destination: String
  package var path: String
  package var interface: String
  package var name: String

  package init(_ name: String, of interface: String, at path: String, in destination: String) {
    (self.destination, self.path, self.interface, self.name) = (destination, path, interface, name)
  }
}

/// What a method has returned.
package enum BusReply {
  case values([BusValue])
  /// The name of the error: refused, no such program, no answer in time.
  case error(String)

  /// The first value; nil after an error.
  package var first: BusValue? { if case .values(let values) = self { values.first } else { nil } }
}

/// A call whose reply is awaited. Releasing it cancels the wait, but not the call.
package final class BusCall {
  private var slot: OpaquePointer?
  private let answered: (BusReply) -> Void

  fileprivate init(answered: @escaping (BusReply) -> Void) { self.answered = answered }

  deinit { sd_bus_slot_unref(slot) }

  /// `self` is passed unretained, because `deinit` cancels the wait.
  fileprivate func start(_ message: borrowing BusMessage, on bus: OpaquePointer) -> Bool {
    let result = sd_bus_call_async(
      bus, &slot, message.raw,
      { reply, call, _ in
        if let call { Unmanaged<BusCall>.fromOpaque(call).takeUnretainedValue().receive(reply) }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque(), 0)
    return 0 <= result
  }

  private func receive(_ reply: OpaquePointer?) {
    // The owner may release the call in its closure.
    withExtendedLifetime(self) {
      guard sd_bus_message_is_method_error(reply, nil) == 0 else {
        let name = sd_bus_message_get_error(reply)?.pointee.name
        return answered(.error(name.map { String(cString: $0) } ?? ""))
      }
      answered(BusReader(raw: reply).values().map { .values($0) } ?? .error("org.freedesktop.DBus.Error.Failed"))
    }
  }
}

extension BusConnection {
  /// Calls a method. The reply is awaited for 25 s.
  ///
  /// - Parameter answered: receives the reply, in `process`.
  /// - Returns: the call, which must be kept until the reply; nil if it can't be sent.
  package func call(
    _ method: BusMethod, _ arguments: [BusValue], answered: @escaping (BusReply) -> Void
  ) -> BusCall? {
    let call = BusCall(answered: answered)
    guard let message = message(for: method, arguments), call.start(message, on: bus) else { return nil }
    return call
  }

  /// Calls a method whose reply nobody needs.
  package func send(_ method: BusMethod, _ arguments: [BusValue]) {
    guard let message = message(for: method, arguments) else { return }
    sd_bus_message_set_expect_reply(message.raw, 0)
    message.send(on: bus)
  }

  /// Sends a signal of an object of ours to all programs that listen to it.
  package func emit(_ name: String, of interface: String, at path: String, _ values: [BusValue]) {
    var raw: OpaquePointer?
    let result = sd_bus_message_new_signal(bus, &raw, path, interface, name)
    guard let message = BusMessage(taking: raw, result: result), message.append(values) else { return }
    message.send(on: bus)
  }

  private func message(for method: BusMethod, _ arguments: [BusValue]) -> BusMessage? {
    var raw: OpaquePointer?
    let result = sd_bus_message_new_method_call(
      bus, &raw, method.destination, method.path, method.interface, method.name)
    guard let message = BusMessage(taking: raw, result: result), message.append(arguments) else { return nil }
    return message
  }
}

internal import CSystemd

/// A method or signal of another program's object, with the names that D-Bus uses.
package struct BusMember: Sendable, Hashable {
  /// The bus name of the program.
  package var destination: String
  package var path: String
  package var interface: String
  package var name: String

  package init(_ name: String, of interface: String, at path: String, in destination: String) {
    (self.destination, self.path, self.interface, self.name) = (destination, path, interface, name)
  }
}

/// The reply to a method call.
package enum BusReply {
  case values([BusValue])
  /// The D-Bus name of the error; a call without a program that replies within 25 s ends with an error, too.
  case error(String)

  /// The first value; nil after an error.
  package var first: BusValue? { if case .values(let values) = self { values.first } else { nil } }
}

/// A call that waits for its reply. If it is released, the reply is ignored; the call itself is not cancelled.
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
  /// Calls a method. Waits neither for the message to be sent nor for the reply.
  ///
  /// - Parameter answered: receives the reply, or an error after 25 s without one. Called by `process`.
  /// - Returns: the call, which the caller must keep until the reply arrives; nil if the call can't be sent.
  package func call(
    _ method: BusMember, _ arguments: [BusValue], answered: @escaping (BusReply) -> Void
  ) -> BusCall? {
    let call = BusCall(answered: answered)
    guard let message = message(for: method, arguments), call.start(message, on: bus) else { return nil }
    return call
  }

  /// Calls a method, and waits for the reply. Meanwhile the callbacks of other messages run.
  ///
  /// - Parameter seconds: how long to wait at most; the reply is then the error `Timeout`.
  package func ask(_ method: BusMember, _ arguments: [BusValue], within seconds: Double) -> BusReply {
    var reply: BusReply?
    guard let call = call(method, arguments, answered: { reply = $0 }) else {
      return .error("org.freedesktop.DBus.Error.Disconnected")
    }
    return withExtendedLifetime(call) {
      process(within: seconds) { reply != nil }
      return reply ?? .error("org.freedesktop.DBus.Error.Timeout")
    }
  }

  /// Calls a method without asking for a reply.
  package func send(_ method: BusMember, _ arguments: [BusValue]) {
    guard let message = message(for: method, arguments) else { return }
    sd_bus_message_set_expect_reply(message.raw, 0)
    message.send(on: bus)
  }

  /// Sends a signal of one of prosper's objects to all programs that have subscribed to it.
  package func emit(_ name: String, of interface: String, at path: String, _ values: [BusValue]) {
    var raw: OpaquePointer?
    let result = sd_bus_message_new_signal(bus, &raw, path, interface, name)
    guard let message = BusMessage(taking: raw, result: result), message.append(values) else { return }
    message.send(on: bus)
  }

  private func message(for method: BusMember, _ arguments: [BusValue]) -> BusMessage? {
    var raw: OpaquePointer?
    let result = sd_bus_message_new_method_call(
      bus, &raw, method.destination, method.path, method.interface, method.name)
    guard let message = BusMessage(taking: raw, result: result), message.append(arguments) else { return nil }
    return message
  }
}

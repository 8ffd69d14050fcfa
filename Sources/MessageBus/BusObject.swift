internal import CSystemd

/// An object of ours that other programs call, until it is released. Only one thread uses it.
package final class BusObject {
  private var slot: OpaquePointer?
  private let bus: OpaquePointer
  private let handle: (BusRequest) -> Bool

  /// - Parameters:
  ///   - path: the path of the object.
  ///   - handle: takes a request, in `process`; it returns false if the object has no such method.
  package init(at path: String, on connection: BusConnection, handle: @escaping (BusRequest) -> Bool) {
    (self.handle, bus) = (handle, connection.bus)
    // `self` is passed unretained, because `deinit` removes the object.
    sd_bus_add_object(
      connection.bus, &slot, path,
      { message, object, _ in
        guard let message, let object else { return 0 }
        return Unmanaged<BusObject>.fromOpaque(object).takeUnretainedValue().receive(message) ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { sd_bus_slot_unref(slot) }

  private func receive(_ message: OpaquePointer) -> Bool { handle(BusRequest(message, on: bus)) }
}

/// A call of another program to an object of ours. It is answered at any later time, once. Only one thread uses it.
package final class BusRequest {
  private let message: OpaquePointer
  private let bus: OpaquePointer
  package let interface: String
  package let method: String
  /// Nil if one has a type that prosper does not know.
  package let arguments: [BusValue]?

  fileprivate init(_ message: OpaquePointer, on bus: OpaquePointer) {
    self.message = sd_bus_message_ref(message)
    self.bus = bus
    interface = sd_bus_message_get_interface(message).map { String(cString: $0) } ?? ""
    method = sd_bus_message_get_member(message).map { String(cString: $0) } ?? ""
    arguments = BusReader(raw: message).values()
  }

  deinit { sd_bus_message_unref(message) }

  /// Answers the call.
  package func reply(_ values: [BusValue] = []) {
    var raw: OpaquePointer?
    let result = sd_bus_message_new_method_return(message, &raw)
    guard let answer = BusMessage(taking: raw, result: result), answer.append(values) else { return }
    answer.send(on: bus)
  }

  /// Answers the call with an error.
  ///
  /// - Parameters:
  ///   - name: a word with dots, for programs.
  ///   - text: one sentence, for people.
  package func fail(_ name: String, _ text: String) {
    name.withCString { name in
      text.withCString { text in
        var error = sd_bus_error(name: name, message: text, _need_free: 0)
        _ = sd_bus_reply_method_error(message, &error)
      }
    }
  }
}

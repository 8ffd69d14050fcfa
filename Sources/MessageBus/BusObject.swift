internal import CSystemd

/// An object of prosper that other programs can call, until it is released. Only one thread uses it.
package final class BusObject {
  private var slot: OpaquePointer?
  private let bus: OpaquePointer
  private let handle: (BusRequest) -> Bool

  /// - Parameters:
  ///   - path: the path of the object.
  ///   - handle: receives each request; returns false if the object has no such method. Called by `process`.
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

/// A call of another program to one of prosper's objects. It can be answered at any later time, once. Only one thread
/// uses it.
package final class BusRequest {
  private let message: OpaquePointer
  private let bus: OpaquePointer
  package let interface: String
  package let method: String
  /// The arguments; nil if one has a type that prosper does not support.
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
  ///   - name: the D-Bus name of the error, for programs, such as `org.freedesktop.DBus.Error.InvalidArgs`.
  ///   - text: one sentence for people.
  package func fail(_ name: String, _ text: String) {
    name.withCString { name in
      text.withCString { text in
        var error = sd_bus_error(name: name, message: text, _need_free: 0)
        _ = sd_bus_reply_method_error(message, &error)
      }
    }
  }
}

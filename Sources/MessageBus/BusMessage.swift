internal import CSystemd

/// A message that is being written or read. Only one thread uses it.
struct BusMessage: ~Copyable {
  let raw: OpaquePointer

  /// Takes over the caller's reference to a message; nil if `result` states that it could not be created.
  init?(taking raw: OpaquePointer?, result: Int32) {
    guard 0 <= result, let raw else { return nil }
    self.raw = raw
  }

  deinit { sd_bus_message_unref(raw) }

  /// Queues the message, and sends it as soon as the bus accepts it. Never waits.
  ///
  /// - Returns: false if the connection has ended or its queue is full.
  @discardableResult consuming func send(on bus: OpaquePointer) -> Bool { 0 <= sd_bus_send(bus, raw, nil) }

  /// Appends values; returns false if one is not valid, such as a path with a space.
  func append(_ values: [BusValue]) -> Bool { values.allSatisfy { Self.append($0, to: raw) } }

  private static func append(_ value: BusValue, to raw: OpaquePointer) -> Bool {
    switch value {
    case .byte(var number): put(SD_BUS_TYPE_BYTE, &number, raw)
    case .bool(let truth): truth.withNumber { put(SD_BUS_TYPE_BOOLEAN, &$0, raw) }
    case .uint16(var number): put(SD_BUS_TYPE_UINT16, &number, raw)
    case .int32(var number): put(SD_BUS_TYPE_INT32, &number, raw)
    case .uint32(var number): put(SD_BUS_TYPE_UINT32, &number, raw)
    case .int64(var number): put(SD_BUS_TYPE_INT64, &number, raw)
    case .double(var number): put(SD_BUS_TYPE_DOUBLE, &number, raw)
    case .descriptor(var number): put(SD_BUS_TYPE_UNIX_FD, &number, raw)
    case .string(let text): text.withCString { put(SD_BUS_TYPE_STRING, $0, raw) }
    case .path(let path): path.withCString { put(SD_BUS_TYPE_OBJECT_PATH, $0, raw) }
    case .strings(let texts):
      within(SD_BUS_TYPE_ARRAY, "s", raw) { texts.allSatisfy { append(.string($0), to: raw) } }
    case .bytes(let bytes):
      within(SD_BUS_TYPE_ARRAY, "y", raw) { bytes.allSatisfy { append(.byte($0), to: raw) } }
    case .array(let type, let values):
      within(SD_BUS_TYPE_ARRAY, type, raw) { values.allSatisfy { append($0, to: raw) } }
    case .structure(let values):
      within(SD_BUS_TYPE_STRUCT, values.map(\.signature).joined(), raw) { values.allSatisfy { append($0, to: raw) } }
    case .variant(let value): within(SD_BUS_TYPE_VARIANT, value.signature, raw) { append(value, to: raw) }
    case .dictionary(let entries): append(entries.mapValues { .variant($0) }, "sv", to: raw)
    case .texts(let entries): append(entries.mapValues { .string($0) }, "ss", to: raw)
    }
  }

  /// - Parameter types: of a name and its value.
  private static func append(_ entries: [String: BusValue], _ types: String, to raw: OpaquePointer) -> Bool {
    within(SD_BUS_TYPE_ARRAY, "{\(types)}", raw) {
      entries.sorted { $0.key < $1.key }.allSatisfy { name, value in
        within(SD_BUS_TYPE_DICT_ENTRY, types, raw) { append(.string(name), to: raw) && append(value, to: raw) }
      }
    }
  }

  private static func put(_ type: some BinaryInteger, _ value: UnsafeRawPointer, _ raw: OpaquePointer) -> Bool {
    0 <= sd_bus_message_append_basic(raw, CChar(type), value)
  }

  /// Appends a container with the values that `body` appends.
  private static func within(
    _ type: some BinaryInteger, _ contents: String, _ raw: OpaquePointer, _ body: () -> Bool
  ) -> Bool {
    0 <= sd_bus_message_open_container(raw, CChar(type), contents) && body()
      && 0 <= sd_bus_message_close_container(raw)
  }
}

extension Bool {
  /// D-Bus encodes a truth value as a number of 32 bits.
  fileprivate func withNumber(_ body: (inout Int32) -> Bool) -> Bool {
    var number: Int32 = self ? 1 : 0
    return body(&number)
  }
}

internal import CSystemd

/// Reads the values of a received message. Only one thread uses it.
struct BusReader {
  /// The message. The caller holds a reference to it.
  let raw: OpaquePointer?

  /// All values; nil if one has a type that prosper does not support.
  func values() -> [BusValue]? {
    var values: [BusValue] = []
    while let type = nextType() {
      guard let value = read(type.kind, type.contents) else { return nil }
      values.append(value)
    }
    return values
  }

  /// The type of the next value, and the types inside it; nil at the end.
  private func nextType() -> (kind: Int, contents: String)? {
    var kind: CChar = 0
    var contents: UnsafePointer<CChar>?
    guard 0 < sd_bus_message_peek_type(raw, &kind, &contents) else { return nil }
    return (Int(kind), contents.map { String(cString: $0) } ?? "")
  }

  private func read(_ kind: Int, _ contents: String) -> BusValue? {
    switch kind {
    case Int(SD_BUS_TYPE_BYTE): basic(kind, UInt8(0)).map { .byte($0) }
    case Int(SD_BUS_TYPE_BOOLEAN): basic(kind, Int32(0)).map { .bool($0 != 0) }
    case Int(SD_BUS_TYPE_UINT16): basic(kind, UInt16(0)).map { .uint16($0) }
    case Int(SD_BUS_TYPE_INT32): basic(kind, Int32(0)).map { .int32($0) }
    case Int(SD_BUS_TYPE_UINT32): basic(kind, UInt32(0)).map { .uint32($0) }
    case Int(SD_BUS_TYPE_INT64): basic(kind, Int64(0)).map { .int64($0) }
    case Int(SD_BUS_TYPE_DOUBLE): basic(kind, 0.0).map { .double($0) }
    case Int(SD_BUS_TYPE_UNIX_FD): basic(kind, Int32(-1)).map { .descriptor($0) }
    case Int(SD_BUS_TYPE_STRING): text(kind).map { .string($0) }
    case Int(SD_BUS_TYPE_OBJECT_PATH): text(kind).map { .path($0) }
    case Int(SD_BUS_TYPE_VARIANT): within(kind, contents).flatMap(\.first).map { .variant($0) }
    case Int(SD_BUS_TYPE_STRUCT): within(kind, contents).map { .structure($0) }
    case Int(SD_BUS_TYPE_ARRAY): within(kind, contents).map { array($0, of: contents) }
    default: nil
    }
  }

  private func array(_ values: [BusValue], of type: String) -> BusValue {
    switch type {
    case "s": .strings(values.compactMap { if case .string(let text) = $0 { text } else { nil } })
    case "y": .bytes(values.compactMap { if case .byte(let byte) = $0 { byte } else { nil } })
    default: .array(of: type, values)
    }
  }

  private func basic<Number: BitwiseCopyable>(_ kind: Int, _ initial: Number) -> Number? {
    var number = initial
    return 0 < sd_bus_message_read_basic(raw, CChar(kind), &number) ? number : nil
  }

  private func text(_ kind: Int) -> String? {
    basic(kind, UnsafePointer<CChar>?.none).flatMap { $0 }.map { String(cString: $0) }
  }

  /// The values in a container; nil if one has a type that prosper does not support.
  private func within(_ kind: Int, _ contents: String) -> [BusValue]? {
    guard 0 < sd_bus_message_enter_container(raw, CChar(kind), contents), let values = values() else { return nil }
    return 0 <= sd_bus_message_exit_container(raw) ? values : nil
  }
}

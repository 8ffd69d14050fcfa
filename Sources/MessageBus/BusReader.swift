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
    case Int(SD_BUS_TYPE_INT32): basic(kind, Int32(0)).map { .int32($0) }
    case Int(SD_BUS_TYPE_UINT32): basic(kind, UInt32(0)).map { .uint32($0) }
    case Int(SD_BUS_TYPE_INT64): basic(kind, Int64(0)).map { .int64($0) }
    case Int(SD_BUS_TYPE_DOUBLE): basic(kind, 0.0).map { .double($0) }
    case Int(SD_BUS_TYPE_UNIX_FD): basic(kind, Int32(-1)).map { .descriptor($0) }
    case Int(SD_BUS_TYPE_STRING): text(kind).map { .string($0) }
    case Int(SD_BUS_TYPE_OBJECT_PATH): text(kind).map { .path($0) }
    case Int(SD_BUS_TYPE_VARIANT): variant(contents)
    case Int(SD_BUS_TYPE_ARRAY) where contents == "s": strings()
    default: nil
    }
  }

  private func basic<Number: BitwiseCopyable>(_ kind: Int, _ initial: Number) -> Number? {
    var number = initial
    return 0 < sd_bus_message_read_basic(raw, CChar(kind), &number) ? number : nil
  }

  private func text(_ kind: Int) -> String? {
    basic(kind, UnsafePointer<CChar>?.none).flatMap { $0 }.map { String(cString: $0) }
  }

  private func variant(_ contents: String) -> BusValue? {
    guard 0 < sd_bus_message_enter_container(raw, CChar(SD_BUS_TYPE_VARIANT), contents) else { return nil }
    guard let type = nextType(), let value = read(type.kind, type.contents) else { return nil }
    return 0 <= sd_bus_message_exit_container(raw) ? .variant(value) : nil
  }

  private func strings() -> BusValue? {
    guard 0 < sd_bus_message_enter_container(raw, CChar(SD_BUS_TYPE_ARRAY), "s") else { return nil }
    var texts: [String] = []
    while let text = text(Int(SD_BUS_TYPE_STRING)) { texts.append(text) }
    return 0 <= sd_bus_message_exit_container(raw) ? .strings(texts) : nil
  }
}

/// The order of the bytes of a number in a file.
enum ByteOrder {
  case big, little
}

extension ArraySlice<UInt8> {
  /// Removes a number of four bytes; nil if fewer are left.
  mutating func takeNumber(_ order: ByteOrder) -> Int? {
    guard 4 <= count else { return nil }
    defer { removeFirst(4) }
    let bytes = Array(prefix(4))
    return (order == .big ? bytes : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
  }

  /// Removes a field that its length precedes; nil if it is not complete.
  mutating func takeField(_ order: ByteOrder) -> ArraySlice<UInt8>? {
    guard let length = takeNumber(order), length <= count else { return nil }
    defer { removeFirst(length) }
    return prefix(length)
  }
}

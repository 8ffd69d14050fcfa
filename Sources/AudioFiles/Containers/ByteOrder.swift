/// The order of the bytes of a number in a file.
package enum ByteOrder {
  case big, little

  /// A number in `count` bytes.
  package func bytes(_ number: Int64, count: Int) -> [UInt8] {
    let little = (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * Int64($0))) }
    return self == .big ? little.reversed() : little
  }
}

extension ArraySlice<UInt8> {
  /// The bytes as a number; negative if they are eight and the first bit is set.
  package func number(_ order: ByteOrder) -> Int64 {
    (order == .big ? Array(self) : reversed()).reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Removes a number of four bytes; nil if fewer are left.
  package mutating func takeNumber(_ order: ByteOrder) -> Int? {
    guard 4 <= count else { return nil }
    defer { removeFirst(4) }
    return Int(prefix(4).number(order))
  }

  /// Removes a field that its length precedes; nil if it is not complete.
  package mutating func takeField(_ order: ByteOrder) -> ArraySlice<UInt8>? {
    guard let length = takeNumber(order), length <= count else { return nil }
    defer { removeFirst(length) }
    return prefix(length)
  }
}

/// The checksums of FLAC frames. Both begin with 0, and are not reflected.
package enum FLACChecksums {
  /// The CRC-8 of a frame's header: polynomial 0x07.
  package static func header(_ bytes: some Sequence<UInt8>) -> UInt8 {
    bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ byte) { sum, _ in sum & 0x80 != 0 ? sum << 1 ^ 0x07 : sum << 1 }
    }
  }

  /// The table for the CRC-16 of a whole frame: polynomial 0x8005.
  static let frameTable: [UInt16] = (0..<256).map { index in
    (0..<8).reduce(UInt16(index) << 8) { sum, _ in doubled(sum) }
  }

  /// The CRC-16 of a frame, or of its first bytes.
  package static func frame(_ bytes: some Sequence<UInt8>) -> UInt16 {
    bytes.reduce(0) { sum, byte in sum << 8 ^ frameTable[Int(sum >> 8 ^ UInt16(byte))] }
  }

  /// The CRC-16 of bytes with the sum `sum` that are followed by `count` zero bytes. Takes less than a microsecond.
  ///
  /// Each of these bytes multiplies the sum by x⁸, modulo the polynomial.
  package static func frame(_ sum: UInt16, followedByZeros count: Int) -> UInt16 {
    var (sum, factor, count) = (sum, UInt16(1) << 8, count)
    while 0 < count {
      if count & 1 == 1 { sum = product(sum, factor) }
      factor = product(factor, factor)
      count >>= 1
    }
    return sum
  }

  /// The product of two polynomials over GF(2), modulo that of the CRC-16.
  private static func product(_ left: UInt16, _ right: UInt16) -> UInt16 {
    var (result, left, right) = (UInt16(0), left, right)
    while right != 0 {
      if right & 1 == 1 { result ^= left }
      left = doubled(left)
      right >>= 1
    }
    return result
  }

  private static func doubled(_ sum: UInt16) -> UInt16 { sum & 0x8000 != 0 ? sum << 1 ^ 0x8005 : sum << 1 }
}

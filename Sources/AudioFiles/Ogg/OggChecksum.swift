/// The checksum of a complete Ogg page, computed with zeros in place of the one that it contains.
package func oggChecksum(_ page: [UInt8]) -> UInt32 {
  page.withUnsafeBytes { bytes in
    let head = checksum(UnsafeRawBufferPointer(rebasing: bytes[..<22]))
    let zeros = withUnsafeBytes(of: UInt32(0)) { checksum($0, after: head) }
    return checksum(UnsafeRawBufferPointer(rebasing: bytes[26...]), after: zeros)
  }
}

/// The CRC of Ogg: polynomial 0x04C11DB7, not reflected, initial value 0. Eight bytes at a time, because each page of a
/// file is checked before it is decoded.
private func checksum(_ bytes: UnsafeRawBufferPointer, after sum: UInt32 = 0) -> UInt32 {
  let whole = bytes.count & ~7
  return tables.withUnsafeBufferPointer { tables in
    func entry(_ distance: Int, _ word: UInt32, _ shift: UInt32) -> UInt32 {
      tables[256 * distance + Int(word >> shift & 0xFF)]
    }
    var sum = sum
    for index in stride(from: 0, to: whole, by: 8) {
      let high = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)) ^ sum
      let low = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self))
      sum = entry(7, high, 24) ^ entry(6, high, 16) ^ entry(5, high, 8) ^ entry(4, high, 0)
      sum ^= entry(3, low, 24) ^ entry(2, low, 16) ^ entry(1, low, 8) ^ entry(0, low, 0)
    }
    for byte in bytes[whole...] { sum = sum << 8 ^ entry(0, sum >> 24 ^ UInt32(byte), 0) }
    return sum
  }
}

/// For each distance 0…7: the checksums of every byte that is followed by that many zeros, 256 entries each.
private let tables: [UInt32] = {
  var table = (0..<256).map { UInt32($0) << 24 }
  var tables: [UInt32] = []
  for _ in 0..<8 {
    for index in table.indices {
      for _ in 0..<8 {
        table[index] = table[index] & 0x8000_0000 != 0 ? table[index] << 1 ^ 0x04C1_1DB7 : table[index] << 1
      }
    }
    tables += table
  }
  return tables
}()

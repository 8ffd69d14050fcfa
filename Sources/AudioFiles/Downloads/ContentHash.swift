/// A 64-bit FNV-1a hash, which distinguishes contents. It doesn't protect against deliberate collisions.
package struct ContentHash {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  init() {}

  package init(_ text: String) { for byte in text.utf8 { add(byte) } }

  /// Hashes a whole file; waits for the disk.
  init(of file: RegularFile) {
    var offset: Int64 = 0
    withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
      while case let count = file.read(at: offset, into: buffer), count > 0 {
        for index in 0..<count { add(buffer[index]) }
        offset += Int64(count)
      }
    }
  }

  /// The hash as sixteen hexadecimal digits.
  package var text: String {
    let digits = String(state, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private mutating func add(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x0100_0000_01B3 }
}

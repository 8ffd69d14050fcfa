/// Gives the pages of an Ogg stream a fixed serial number in place of libsndfile's random one: two renders are the same bytes.
struct OggPages {
  private static let serial: [UInt8] = Array("prsp".utf8)
  private var held: [UInt8] = []

  /// Takes the next bytes of the stream and hands on the pages that are complete.
  mutating func take(_ bytes: UnsafeRawBufferPointer, _ emit: ([UInt8]) -> Void) {
    held.append(contentsOf: bytes)
    while let size = firstPageSize {
      var page = Array(held[..<size])
      held.removeFirst(size)
      page.replaceSubrange(14..<18, with: Self.serial)
      page.replaceSubrange(22..<26, with: [0, 0, 0, 0])
      let sum = checksum(page)
      for index in 0..<4 { page[22 + index] = UInt8(truncatingIfNeeded: sum >> (8 * index)) }
      emit(page)
    }
  }

  /// Hands on what is no whole page, which a sound stream does not leave.
  mutating func finish(_ emit: ([UInt8]) -> Void) {
    emit(held)
    held = []
  }

  /// Nil until the first page has come in whole.
  private var firstPageSize: Int? {
    guard held.count >= 27 else { return nil }
    let bodyStart = 27 + Int(held[26])
    guard held.count >= bodyStart else { return nil }
    let size = held[27..<bodyStart].reduce(bodyStart) { $0 + Int($1) }
    return held.count >= size ? size : nil
  }
}

/// Ogg's cyclic redundancy check: polynomial 0x04C11DB7, not reflected, from 0.
func checksum(_ bytes: [UInt8]) -> UInt32 {
  bytes.reduce(0) { $0 << 8 ^ checksumTable[Int($0 >> 24) ^ Int($1)] }
}

private let checksumTable: [UInt32] = (0..<256).map { index in
  (0..<8).reduce(UInt32(index) << 24) { sum, _ in sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
}

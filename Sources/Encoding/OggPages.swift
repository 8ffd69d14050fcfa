import AudioFiles

/// Replaces the random serial number of libsndfile's Ogg streams by a fixed one, so that two renders of a session are
/// identical.
struct OggPages {
  private static let serial: [UInt8] = Array("prsp".utf8)
  /// Bytes of a page that is not complete yet.
  private var held: [UInt8] = []

  /// Adds bytes of the stream, and emits the pages that are complete, with new checksums.
  mutating func take(_ bytes: UnsafeRawBufferPointer, _ emit: ([UInt8]) -> Void) {
    held.append(contentsOf: bytes)
    while let size = firstPageSize {
      var page = Array(held[..<size])
      held.removeFirst(size)
      page.replaceSubrange(14..<18, with: Self.serial)
      let sum = oggChecksum(page)
      for index in 0..<4 { page[22 + index] = UInt8(truncatingIfNeeded: sum >> (8 * index)) }
      emit(page)
    }
  }

  /// Emits the bytes of an incomplete page; a complete stream has none.
  mutating func finish(_ emit: ([UInt8]) -> Void) {
    emit(held)
    held = []
  }

  /// Bytes of the first page; nil until all of it has arrived.
  private var firstPageSize: Int? {
    guard held.count >= 27 else { return nil }
    let bodyStart = 27 + Int(held[26])
    guard held.count >= bodyStart else { return nil }
    let size = held[27..<bodyStart].reduce(bodyStart) { $0 + Int($1) }
    return held.count >= size ? size : nil
  }
}

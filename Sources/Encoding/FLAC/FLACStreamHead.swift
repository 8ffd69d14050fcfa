/// What a FLAC file states about its stream. Some of it is known only at the end.
struct FLACStreamHead {
  var settings: FLACSettings
  /// The length of the stream in frames of sound.
  var frames: Int64 = 0
  /// Bytes of the smallest and the largest FLAC frame; nil if there is none.
  var sizes: ClosedRange<Int>?
  /// The MD5 sum of the samples as little-endian integers; zeros if it is not known.
  var sum = [UInt8](repeating: 0, count: 16)

  /// The stream information. All blocks have the same number of frames; the last one may be shorter.
  var information: [UInt8] {
    let block = FLACSettings.blockFrames
    // A length that needs more than 36 bits is written as 0, unknown.
    let length = frames >> 36 == 0 ? frames : 0
    let numbers = Int64(settings.rate) << 44 | 1 << 41 | Int64(settings.bits - 1) << 36 | length
    return word(block, 2) + word(block, 2) + word(sizes?.lowerBound ?? 0, 3) + word(sizes?.upperBound ?? 0, 3)
      + word(Int(numbers), 8) + sum
  }
}

/// The lowest `count` bytes of a number, big-endian.
private func word(_ number: Int, _ count: Int) -> [UInt8] {
  (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}

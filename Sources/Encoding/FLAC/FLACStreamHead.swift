import CFLAC

/// The bytes of a FLAC file before its frames: the stream information, and the tags as a Vorbis comment.
///
/// It is written twice with the same length: first without what only the whole stream determines.
struct FLACStreamHead {
  var settings: FLACSettings
  var tags: FileTags
  /// The length of the stream in frames of sound.
  var frames: Int64 = 0
  /// Bytes of the smallest and the largest FLAC frame; nil if there is none.
  var sizes: ClosedRange<Int>?
  /// The MD5 sum of the samples as little-endian integers; zeros if it is not known.
  var sum = [UInt8](repeating: 0, count: 16)

  var bytes: [UInt8] { Array("fLaC".utf8) + block(0, information) + block(0x84, comment) }

  /// The stream information. All blocks have the same number of frames; the last one may be shorter.
  private var information: [UInt8] {
    let block = FLACSettings.blockFrames
    // A length that needs more than 36 bits is written as 0, unknown.
    let length = frames >> 36 == 0 ? frames : 0
    let numbers = Int64(settings.rate) << 44 | 1 << 41 | Int64(settings.bits - 1) << 36 | length
    return word(block, 2) + word(block, 2) + word(sizes?.lowerBound ?? 0, 3) + word(sizes?.upperBound ?? 0, 3)
      + word(Int(numbers), 8) + sum
  }

  private var comment: [UInt8] {
    let entries = [("title", tags.title), ("comment", tags.description), ("date", tags.date)].compactMap { name, text in
      text.map { "\(name)=" + $0 }
    }
    return text(String(cString: prosper_flac_vendor())) + word(entries.count, 4).reversed() + entries.flatMap(text)
  }

  /// A string of a Vorbis comment: its length, which is little-endian, and its bytes.
  private func text(_ text: String) -> [UInt8] {
    // A block has at most 16 MiB, and the tags of a session need less.
    let bytes = Array(text.utf8.filter { $0 != 0 }.prefix(1 << 20))
    return word(bytes.count, 4).reversed() + bytes
  }

  /// A block of metadata. The highest bit of the type marks the last one.
  private func block(_ type: UInt8, _ body: [UInt8]) -> [UInt8] { [type] + word(body.count, 3) + body }
}

/// The lowest `count` bytes of a number, big-endian.
private func word(_ number: Int, _ count: Int) -> [UInt8] {
  (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}

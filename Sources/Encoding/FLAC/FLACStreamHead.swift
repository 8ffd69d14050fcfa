import CFLAC

/// The bytes of a FLAC file before its frames: the stream information, the tags as a Vorbis comment, and the picture.
///
/// It is written twice: first without what only the whole stream determines.
struct FLACStreamHead {
  var settings: FLACSettings
  var tags: FileTags
  var chapters: [Chapter] = []
  /// Whether the number of chapters may change, so that it ends with room that may be filled.
  var hasRoom = false
  /// The length of the stream in frames of sound.
  var frames: Int64 = 0
  /// Bytes of the smallest and the largest FLAC frame; nil if there is none.
  var sizes: ClosedRange<Int>?
  /// The MD5 sum of the samples as little-endian integers; zeros if it is not known.
  var sum = [UInt8](repeating: 0, count: 16)

  /// - Parameter size: with at least how many bytes, if it has room.
  func bytes(filling size: Int = 0) -> [UInt8] {
    let picture: [(UInt8, [UInt8])] = tags.cover.map { [(UInt8(6), $0.block)] } ?? []
    let blocks: [(UInt8, [UInt8])] = [(0, information), (4, comment)] + picture
    let end = blocks.last.map { block($0.0, $0.1, isLast: !hasRoom) } ?? []
    let bytes = Array("fLaC".utf8) + blocks.dropLast().flatMap { block($0.0, $0.1) } + end
    if !hasRoom { return bytes }
    return bytes + block(1, [UInt8](repeating: 0, count: max(0, size - bytes.count - 4)), isLast: true)
  }

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
    var comment = VorbisComment(vendor: Array(String(cString: prosper_flac_vendor()).utf8))
    comment.add(tags)
    comment.add(chapters)
    return comment.bytes
  }

  /// A block of metadata. The highest bit of the type marks the last one.
  private func block(_ type: UInt8, _ body: [UInt8], isLast: Bool = false) -> [UInt8] {
    [isLast ? type | 0x80 : type] + word(body.count, 3) + body
  }
}

/// The lowest `count` bytes of a number, big-endian.
private func word(_ number: Int, _ count: Int) -> [UInt8] {
  (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}

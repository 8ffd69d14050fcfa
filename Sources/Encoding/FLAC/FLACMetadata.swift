import AudioFiles

/// The bytes of a FLAC file before its frames: the stream information, the tags as a Vorbis comment, the picture, and
/// room for further chapters.
struct FLACMetadata {
  /// The body of the first block.
  var information: [UInt8]
  /// The program that has encoded the file.
  var vendor: [UInt8]
  var tags: FileTags
  /// Whether it ends with room, because the chapters may change.
  var hasRoom: Bool

  init(information: [UInt8], vendor: [UInt8], _ details: FileDetails) {
    (self.information, self.vendor) = (information, vendor)
    (tags, hasRoom) = (details.tags, details.chapters != nil)
  }

  /// - Parameter size: with at least how many bytes, if it has room.
  func bytes(_ chapters: [Chapter], filling size: Int = 0) -> [UInt8] {
    var comment = VorbisComment(vendor: vendor)
    comment.add(tags)
    comment.add(chapters)
    var blocks: [(type: UInt8, body: [UInt8])] = [(0, information), (4, comment.bytes)]
    if let cover = tags.cover { blocks.append((6, cover.block)) }
    if hasRoom { blocks.append((1, [])) }
    let used = blocks.reduce(4) { $0 + 4 + $1.body.count }
    if hasRoom { blocks[blocks.count - 1].body = [UInt8](repeating: 0, count: max(0, size - used)) }
    return Array("fLaC".utf8)
      + blocks.enumerated().flatMap { index, block in
        // The highest bit marks the last block.
        let type = index + 1 == blocks.count ? block.type | 0x80 : block.type
        return [type] + ByteOrder.big.bytes(Int64(block.body.count), count: 3) + block.body
      }
  }

  /// Reads the first bytes of a file that has no tags yet.
  ///
  /// - Returns: also the number of its bytes before the frames; nil if there are more.
  static func read(_ head: [UInt8], _ details: FileDetails) -> (metadata: FLACMetadata, size: Int)? {
    var (rest, information, vendor) = (head.dropFirst(4), [UInt8](), [UInt8]())
    while 4 <= rest.count {
      let (type, length) = (rest[rest.startIndex], Int(rest.dropFirst().prefix(3).number(.big)))
      let body = rest.dropFirst(4).prefix(length)
      guard body.count == length else { return nil }
      if type & 0x7F == 0 { information = Array(body) }
      if type & 0x7F == 4, let comment = VorbisComment(readFrom: body) { vendor = comment.vendor }
      rest = rest.dropFirst(4 + length)
      guard type & 0x80 != 0 else { continue }
      return (FLACMetadata(information: information, vendor: vendor, details), rest.startIndex)
    }
    return nil
  }
}

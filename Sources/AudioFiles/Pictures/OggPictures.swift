import Foundation

/// The pictures in the comments of an Ogg Vorbis or Opus file.
enum OggPictures {
  private static let marks = [[0x03] + Array("vorbis".utf8), Array("OpusTags".utf8)]
  private static let key = Array("METADATA_BLOCK_PICTURE=".utf8)

  /// All pictures of the first stream, in order.
  static func all(in file: RegularFile) -> [CoverPicture] {
    let packet = comments(in: file)
    guard let mark = marks.first(where: packet.starts) else { return [] }
    var rest = packet.dropFirst(mark.count)
    guard rest.takeField(.little) != nil, let count = rest.takeNumber(.little) else { return [] }
    var pictures: [CoverPicture] = []
    for _ in 0..<min(count, 10_000) {
      guard let field = rest.takeField(.little) else { break }
      pictures += [picture(in: field)].compactMap(\.self)
    }
    return pictures
  }

  private static func picture(in field: ArraySlice<UInt8>) -> CoverPicture? {
    let name = field.prefix(key.count).map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 ? $0 - 32 : $0 }
    guard name == key, let block = Data(base64Encoded: Data(field.dropFirst(key.count))) else { return nil }
    return FLACPictures.picture(in: Array(block))
  }

  /// The second packet of the first stream, which begins on its second page; what can be read of it if it is damaged.
  private static func comments(in file: RegularFile) -> [UInt8] {
    guard let first = OggPage(in: file, at: 0) else { return [] }
    var (offset, packet) = (first.end, [UInt8]())
    while packet.count <= 2 * CoverPicture.largest, let page = OggPage(in: file, at: offset) {
      offset = page.end
      guard page.serial == first.serial else { continue }
      let segments = page.lacing.prefix { $0 == 255 }.count
      let isComplete = segments < page.lacing.count
      let last = isComplete ? page.lacing.dropFirst(segments).first.map { Int($0) } ?? 0 : 0
      packet += page.body.prefix(segments * 255 + last)
      if isComplete { break }
    }
    return packet
  }
}

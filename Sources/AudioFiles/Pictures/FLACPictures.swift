/// The pictures of a FLAC file, and the notation of a picture that Ogg files share with it.
enum FLACPictures {
  private static let pictureBlock: UInt8 = 6

  /// All pictures of the file, in order.
  static func all(in file: RegularFile) -> [CoverPicture] {
    var (offset, pictures) = (4 as Int64, [CoverPicture]())
    // The number of blocks is limited, because a damaged file can make a very long chain.
    for _ in 0..<1_000 {
      let head = file.bytes(at: offset, count: 4)
      guard head.count == 4 else { break }
      let length = head[1...].reduce(0) { $0 << 8 | Int($1) }
      if head[0] & 0x7F == pictureBlock {
        pictures += [picture(in: file.bytes(at: offset + 4, count: length))].compactMap(\.self)
      }
      if head[0] & 0x80 != 0 { break }
      offset += 4 + Int64(length)
    }
    return pictures
  }

  /// Reads a block: kind, format and description, four numbers about the image, and the image.
  static func picture(in block: [UInt8]) -> CoverPicture? {
    var rest = block[...]
    guard let kind = rest.takeNumber(.big), rest.takeField(.big) != nil, rest.takeField(.big) != nil else { return nil }
    rest = rest.dropFirst(16)
    return rest.takeField(.big).flatMap { CoverPicture($0, kind: kind) }
  }
}

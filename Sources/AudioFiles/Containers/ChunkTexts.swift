import Sounds

extension SoundTags {
  /// The longest text that is read, in bytes.
  static let longest = 4_096

  /// Title and artist from the chunks of a file.
  init(_ chunks: [ChunkWalk.Chunk], of file: RegularFile, _ layout: ChunkFormat) {
    self.init()
    for chunk in chunks where chunk.isComplete(before: file.size) {
      let bytes = file.bytes(at: chunk.body, count: Int(min(chunk.size, Int64(Self.longest))))
      switch (layout.family, chunk.name) {
      case (.wave, "LIST") where bytes.starts(with: "INFO".utf8):
        var walk = ChunkWalk(file, .texts, at: chunk.body, to: chunk.end)
        while let text = walk.next() {
          let end = min(text.body + max(0, min(text.size, Int64(Self.longest))), chunk.end)
          take(text.name, file.bytes(at: text.body, count: Int(end - text.body))[...])
        }
      case (.aiff, _): take(chunk.name, bytes[...])
      case (.caf, "info"):
        // A number of texts, each of them after its name.
        var texts = bytes.dropFirst(4).split(separator: 0, omittingEmptySubsequences: false)[...]
        while let name = texts.popFirst(), let text = texts.popFirst() {
          take(String(decoding: name, as: UTF8.self), text)
        }
      default: break
      }
      if chunk.name == "id3 " || chunk.name == "ID3 " { complete(with: ID3Tag(file, at: chunk.body).tags) }
    }
  }

  /// Takes title and artist from the comments of a FLAC file.
  mutating func takeComments(of file: RegularFile, at offset: Int64) {
    var offset = offset
    /// Passes over a field, and returns its first bytes.
    func next() -> ArraySlice<UInt8> {
      let length = file.bytes(at: offset, count: 4)[...].number(.little)
      defer { offset += 4 + length }
      return file.bytes(at: offset + 4, count: Int(min(length, Int64(Self.longest))))[...]
    }
    _ = next()
    let count = file.bytes(at: offset, count: 4)[...].number(.little)
    offset += 4
    for _ in 0..<min(count, 10_000) {
      let field = next()
      guard let end = field.firstIndex(of: UInt8(ascii: "=")) else { continue }
      take(String(decoding: field[..<end], as: UTF8.self).lowercased(), field[(end + 1)...])
    }
  }

  /// Takes title and artist from the items of an APE tag that begins with its header.
  mutating func takeItems(_ tag: [UInt8]) {
    var rest = tag.dropFirst(32)
    while let size = rest.takeNumber(.little), rest.takeNumber(.little) != nil, let end = rest.firstIndex(of: 0),
      size < rest.endIndex - end
    {
      take(String(decoding: rest[..<end], as: UTF8.self).lowercased(), rest[(end + 1)...].prefix(size))
      rest = rest[(end + 1 + size)...]
    }
  }

  private mutating func take(_ name: String, _ text: ArraySlice<UInt8>) {
    switch name {
    case "INAM", "NAME", "title": title = title ?? tagText(text)
    case "IART", "AUTH", "artist": artist = artist ?? tagText(text)
    default: break
    }
  }

  /// Takes what is missing from other tags.
  mutating func complete(with other: SoundTags) {
    (title, artist) = (title ?? other.title, artist ?? other.artist)
  }
}

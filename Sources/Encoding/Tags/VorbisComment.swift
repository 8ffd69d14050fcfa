import AudioFiles

/// Tags and chapters as the comments of FLAC, Ogg Vorbis and Opus files.
struct VorbisComment {
  /// The program that has encoded the file.
  var vendor: [UInt8]
  /// `NAME=TEXT`, in UTF-8.
  private(set) var entries: [[UInt8]] = []

  init(vendor: [UInt8], entries: [[UInt8]] = []) { (self.vendor, self.entries) = (vendor, entries) }

  /// Reads the comments at the beginning of `bytes`; nil if they are not complete.
  init?(readFrom bytes: ArraySlice<UInt8>) {
    var rest = bytes
    guard let vendor = rest.takeField(.little), let count = rest.takeNumber(.little), count <= bytes.count else {
      return nil
    }
    self.init(vendor: Array(vendor))
    for _ in 0..<count {
      guard let entry = rest.takeField(.little) else { return nil }
      entries.append(Array(entry))
    }
  }

  mutating func add(_ tags: FileTags) {
    // ffmpeg shows the last of description and comment as the comment.
    let texts = [
      ("title", tags.title), ("description", tags.subject), ("comment", tags.remark), ("date", tags.date),
      ("artist", tags.artist), ("album", tags.album), ("genre", tags.genre), ("language", tags.language),
    ]
    // A block of FLAC has at most 16 MiB, and the tags of a session need less.
    for (name, text) in texts { if let text { add("\(name)=\(text.limited(to: 1 << 20))") } }
  }

  /// Adds chapters in the notation of OGM files, which numbers them with three digits.
  mutating func add(_ chapters: [Chapter]) {
    for (index, chapter) in chapters.prefix(999).enumerated() {
      let name = "CHAPTER\(digits(index + 1, 3))"
      let (seconds, rest) = (Int(chapter.start / 1_000), Int(chapter.start % 1_000))
      let time = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { digits($0, 2) }.joined(separator: ":")
      add("\(name)=\(time).\(digits(rest, 3))")
      add("\(name)NAME=\(chapter.title)")
    }
  }

  /// Adds a picture in the notation of Ogg files.
  mutating func add(_ picture: CoverPicture) {
    entries.append(Array("METADATA_BLOCK_PICTURE=".utf8) + base64(picture.block))
  }

  private mutating func add(_ entry: String) { entries.append(Array(entry.utf8)) }

  var bytes: [UInt8] {
    let count = ByteOrder.little.bytes(Int64(entries.count), count: 4)
    return field(vendor) + count + entries.flatMap(field)
  }

  /// Bytes after their length.
  private func field(_ bytes: [UInt8]) -> [UInt8] { ByteOrder.little.bytes(Int64(bytes.count), count: 4) + bytes }
}

/// A number with leading zeros.
private func digits(_ number: Int, _ count: Int) -> String {
  let text = "\(number)"
  return String(repeating: "0", count: max(0, count - text.count)) + text
}

private func base64(_ bytes: [UInt8]) -> [UInt8] {
  let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  var result: [UInt8] = []
  result.reserveCapacity((bytes.count + 2) / 3 * 4)
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = bytes[start..<min(start + 3, bytes.count)]
    let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
    for place in 0..<4 { result.append(place <= group.count ? letters[bits >> (18 - 6 * place) & 63] : 0x3D) }
  }
  return result
}

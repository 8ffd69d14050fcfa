import Sounds

/// Title, artist and pictures of a file, from a version 2 or APE tag at its beginning, or from an APE or version 1 tag at
/// its end.
struct ID3Tag {
  private(set) var tags = SoundTags()

  /// The maximum number of tags at each end of a file. Most files have none or one.
  private static let most = 16

  /// The length in bytes of all version 2 and APE tags at the beginning; 0 if there is none.
  static func length(_ file: RegularFile) -> Int64 {
    (0..<most).reduce(0) { offset, _ in offset + length(file, at: offset) }
  }

  /// The length in bytes of the version 2 or APE tag at an offset; 0 if there is none.
  private static func length(_ file: RegularFile, at offset: Int64) -> Int64 {
    let head = file.bytes(at: offset, count: 32)
    if head.count == 32, head.starts(with: "APETAGEX".utf8) { return 32 + head[12..<16].number(.little) }
    guard 10 <= head.count, head.starts(with: Array("ID3".utf8)) else { return 0 }
    let footer: Int64 = head[5] & 0x10 != 0 ? 10 : 0
    return 10 + synchsafe(head[6..<10]) + footer
  }

  /// The bytes of a file between the tags at its beginning and its end. The end of a file that is being downloaded would
  /// have to be waited for.
  static func sound(of file: RegularFile) -> Range<Int64> {
    let start = min(length(file), file.contentEnd)
    return start..<(file.present < file.size ? file.size : trailers(of: file, from: start).first ?? file.size)
  }

  /// Where each tag at the end of a file begins, in the order of the file: ID3 of any version, APE and Lyrics3.
  private static func trailers(of file: RegularFile, from start: Int64) -> [Int64] {
    if let end = chunksEnd(of: file, from: start), file.contentEnd <= end { return [] }
    var offsets: [Int64] = []
    for _ in 0..<most {
      let end = offsets.first ?? file.contentEnd
      guard case let length = trailerLength(file, before: end), 0 < length, length <= end - start else { break }
      offsets.insert(end - length, at: 0)
    }
    return offsets
  }

  /// The end that the first chunk of WAV or AIFF states; nil for other formats. Nothing follows it in most files, and
  /// then the end of the file need not be read.
  private static func chunksEnd(of file: RegularFile, from start: Int64) -> Int64? {
    let head = file.bytes(at: start, count: 8)
    guard head.count == 8, let mark = String(validating: head.prefix(4), as: UTF8.self) else { return nil }
    let size = head[4...].number(mark == "RIFF" ? .little : .big)
    return ["RIFF", "RIFX", "FORM"].contains(mark) && size != 0xFFFF_FFFF ? start + 8 + size + size % 2 : nil
  }

  /// The length of the tag that ends before a byte; 0 if there is none.
  private static func trailerLength(_ file: RegularFile, before end: Int64) -> Int64 {
    let has = { (mark: String, distance: Int64) in
      file.bytes(at: end - distance, count: mark.utf8.count).elementsEqual(mark.utf8)
    }
    if has("TAG", 128) { return 128 }
    if has("TAG+", 227) { return 227 }
    if has("APETAGEX", 32) {
      let foot = file.bytes(at: end - 32, count: 32)
      return foot[12..<16].number(.little) + (foot[23] & 0x80 == 0 ? 0 : 32)
    }
    if has("3DI", 10) { return 20 + synchsafe(file.bytes(at: end - 4, count: 4)[...]) }
    if has("LYRICSEND", 9) {
      let longest = min(end, 5_120)
      let text = file.bytes(at: end - longest, count: Int(longest))
      let mark = Array("LYRICSBEGIN".utf8)
      let start = text.indices.last { text[$0...].starts(with: mark) }
      return start.map { longest - Int64($0) } ?? 0
    }
    guard has("LYRICS200", 9) else { return 0 }
    return Int64(String(decoding: file.bytes(at: end - 15, count: 6), as: UTF8.self)).map { $0 + 15 } ?? 0
  }

  /// Reads the version 2 tag at an offset, up to its first mebibyte. What is missing at the beginning of the file is
  /// taken from the tags at its end.
  init(_ file: RegularFile, at offset: Int64 = 0) {
    let length = min(Self.length(file, at: offset), 1 << 20)
    if length > 10 {
      let tag = file.bytes(at: offset, count: Int(length))
      if tag.starts(with: "ID3".utf8) { Self.readFrames(tag) { take($0.name, $0.body) } } else { tags.takeItems(tag) }
    }
    guard offset == 0, tags == SoundTags(), file.size <= file.present else { return }
    for trailer in Self.trailers(of: file, from: 0) {
      let bytes = file.bytes(at: trailer, count: Int(min(file.size - trailer, 1 << 20)))
      if bytes.starts(with: "APETAGEX".utf8) { tags.takeItems(bytes) }
      readTrailer(bytes)
    }
  }

  /// The pictures in the tag at the beginning, in order.
  static func pictures(in file: RegularFile) -> [CoverPicture] {
    let length = min(length(file, at: 0), Int64(2 * CoverPicture.largest))
    guard length > 10, case let tag = file.bytes(at: 0, count: Int(length)), tag.starts(with: "ID3".utf8) else {
      return []
    }
    var pictures: [CoverPicture] = []
    readFrames(tag) { frame in
      pictures += [ID3Picture.picture(in: frame)].compactMap(\.self)
    }
    return pictures
  }

  /// Title, artist, copyright, licence and comment in the version 2 tag at the beginning, by these words.
  static func texts(of file: RegularFile) -> [(name: String, text: String?)] {
    let length = min(length(file, at: 0), 1 << 20)
    guard 10 < length, case let tag = file.bytes(at: 0, count: Int(length)), tag.starts(with: "ID3".utf8) else {
      return []
    }
    var texts: [(name: String, text: String?)] = []
    readFrames(tag) { frame in
      switch frame.name {
      case "TIT2", "TT2": texts.append(("title", text(frame.body)))
      case "TPE1", "TP1": texts.append(("artist", text(frame.body)))
      case "TCOP", "TCR": texts.append(("copyright", text(frame.body)))
      case "WCOP", "WCP": texts.append(("licence", latin(frame.body)))
      case "COMM", "COM": texts.append(("comment", comment(frame.body)))
      default: break
      }
    }
    return texts
  }

  /// The text of a comment: it follows its encoding, a language of three letters, and a description.
  private static func comment(_ body: ArraySlice<UInt8>) -> String? {
    guard let encoding = body.first, 4 < body.count else { return nil }
    let (rest, width) = (Array(body.dropFirst(4)), 1...2 ~= encoding ? 2 : 1)
    let end = stride(from: 0, to: rest.count - width + 1, by: width).first { start in
      rest[start..<start + width].allSatisfy { $0 == 0 }
    }
    return end.flatMap { text([encoding] + rest[($0 + width)...]) }
  }

  /// A field of a tag.
  struct Frame {
    var name: String
    /// The version of the tag, 2 to 4.
    var version: UInt8
    /// What was done to the bytes when they were stored. 0 in version 2.
    var flags: UInt8
    var body: ArraySlice<UInt8>
  }

  private static func readFrames(_ tag: [UInt8], _ take: (Frame) -> Void) {
    guard 10 <= tag.count else { return }
    let version = tag[3]
    // Version 4 does this to each frame of its own.
    let tag = tag[5] & 0x80 != 0 && version < 4 ? tag[..<10] + synchronised(tag[10...]) : tag
    let nameBytes = version == 2 ? 3 : 4
    let headBytes = version == 2 ? 6 : 10
    var offset = 10
    while offset + headBytes < tag.count, tag[offset] != 0 {
      let name = String(decoding: tag[offset..<offset + nameBytes], as: UTF8.self)
      let sizes = tag[(offset + nameBytes)..<(offset + 2 * nameBytes)]
      let size = Int(version == 4 ? synchsafe(sizes) : sizes.reduce(0) { $0 << 8 | Int64($1) })
      let body = offset + headBytes
      guard size > 0, size <= tag.count - body else { return }
      take(
        Frame(
          name: name, version: version, flags: version == 2 ? 0 : tag[offset + 9], body: tag[body..<body + size]))
      offset = body + size
    }
  }

  private mutating func take(_ name: String, _ body: ArraySlice<UInt8>) {
    switch name {
    case "TIT2", "TT2": tags.title = text(body)
    case "TPE1", "TP1": tags.artist = text(body)
    default: break
    }
  }

  /// Reads a version 1 tag: 128 bytes with fields of fixed length.
  private mutating func readTrailer(_ tag: [UInt8]) {
    guard 128 <= tag.count, tag.starts(with: Array("TAG".utf8)), tag[3] != UInt8(ascii: "+") else { return }
    tags.complete(with: SoundTags(title: latin(tag[3..<33]), artist: latin(tag[33..<63])))
  }
}

/// A number with seven bits per byte, as ID3 encodes sizes.
private func synchsafe(_ bytes: ArraySlice<UInt8>) -> Int64 {
  bytes.prefix(4).reduce(0) { $0 << 7 | Int64($1 & 0x7F) }
}

/// Removes the zero that follows each byte of 255, so that a tag contains no mark of MPEG sound.
func synchronised(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
  var (result, isAfterMark) = ([UInt8](), false)
  result.reserveCapacity(bytes.count)
  for byte in bytes {
    if !isAfterMark || byte != 0 { result.append(byte) }
    isAfterMark = byte == 0xFF
  }
  return result
}

/// The text of an ID3 frame, whose first byte states the encoding.
private func text(_ body: ArraySlice<UInt8>) -> String? {
  guard let encoding = body.first else { return nil }
  let bytes = body.dropFirst()
  switch encoding {
  case 0: return latin(bytes)
  case 3: return nonEmpty(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
  default: return nonEmpty(wide(bytes, bigEndian: encoding == 2))
  }
}

/// The text of a tag that does not state its encoding: UTF-8, otherwise ISO 8859-1. It ends at a zero, or, if only its
/// first bytes were read, anywhere in a character of UTF-8.
func tagText(_ bytes: ArraySlice<UInt8>) -> String? {
  let text = bytes.prefix { $0 != 0 }
  let whole = (0..<4).lazy.compactMap { String(validating: text.dropLast($0), as: UTF8.self) }.first
  return whole.map(nonEmpty) ?? latin(text)
}

/// ISO 8859-1, padded with zeros or spaces.
private func latin(_ bytes: ArraySlice<UInt8>) -> String? {
  let text = String(String.UnicodeScalarView(bytes.prefix { $0 != 0 }.map { Unicode.Scalar($0) }))
  return nonEmpty(String(text.reversed().drop { $0 == " " }.reversed()))
}

/// UTF-16, with or without a byte order mark.
private func wide(_ bytes: ArraySlice<UInt8>, bigEndian: Bool) -> String {
  var pairs = Array(bytes)
  var bigEndian = bigEndian
  if pairs.starts(with: [0xFE, 0xFF]) || pairs.starts(with: [0xFF, 0xFE]) {
    bigEndian = pairs[0] == 0xFE
    pairs.removeFirst(2)
  }
  let units = stride(from: 0, to: pairs.count - 1, by: 2).map { index -> UInt16 in
    let high = UInt16(pairs[bigEndian ? index : index + 1])
    let low = UInt16(pairs[bigEndian ? index + 1 : index])
    return high << 8 | low
  }
  return String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
}

private func nonEmpty(_ text: String) -> String? { text.isEmpty ? nil : text }

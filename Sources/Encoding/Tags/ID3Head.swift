import AudioFiles

/// The tags of an MP3 file: ID3v2.3 before its frames, with the chapters of the addendum of 2005, and ID3v1 after them.
struct ID3Head {
  var tags: FileTags

  /// The tag before the frames; empty if there is nothing to tell.
  ///
  /// - Parameter size: with at least how many bytes; the tag is filled with zeros.
  func bytes(_ chapters: [Chapter], filling size: Int = 0) -> [UInt8] {
    let names = Self.names("ch", chapters.count)
    let frames = texts + comments + contents(of: names) + zip(names, chapters).flatMap { chapter($0, $1) } + picture
    if frames.isEmpty, size == 0 { return [] }
    let padded = frames + [UInt8](repeating: 0, count: max(0, size - 10 - frames.count))
    // Seven bits in each byte.
    let length = (0..<4).reversed().map { UInt8(padded.count >> (7 * $0) & 0x7F) }
    return Array("ID3".utf8) + [3, 0, 0] + length + padded
  }

  /// The tag after the frames, for programs that read no other; empty if there is nothing to tell.
  var oldBytes: [UInt8] {
    if tags == FileTags() { return [] }
    // Programs that read both tags would show a shortened comment beside the whole one.
    let fields = [(tags.title, 30), (tags.artist, 30), (tags.album, 30), (tags.date, 4), (nil, 30)]
    return Array("TAG".utf8)
      + fields.flatMap { text, size in
        let bytes = (text ?? "").unicodeScalars.prefix(size).map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") }
        return bytes + [UInt8](repeating: 0, count: size - bytes.count)
      } + [0xFF]
  }

  private var texts: [UInt8] {
    let date = tags.date.map { $0.split(separator: "-").map(String.init) } ?? []
    let day = date.count == 3 ? date[2] + date[1] : nil
    let texts = [
      ("TIT2", tags.title), ("TPE1", tags.artist), ("TALB", tags.album), ("TCON", tags.genre), ("TYER", date.first),
      ("TDAT", day), ("TLAN", tags.language.map(Language.code(of:))),
    ]
    return texts.flatMap { name, text in text.map { frame(name, EncodedText($0).bytes) } ?? [] }
  }

  private var comments: [UInt8] {
    let remark = tags.remark.map { remark in
      let text = EncodedText(remark)
      let language = Array((tags.language.map(Language.code(of:)) ?? "XXX").utf8)
      return frame("COMM", [text.encoding] + language + text.mark + text.end + text.mark + text.content)
    }
    let subject = tags.subject.map { subject in
      let text = EncodedText(subject)
      let name = EncodedText("description", as: text.encoding)
      return frame("TXXX", name.bytes + name.end + text.mark + text.content)
    }
    return (remark ?? []) + (subject ?? [])
  }

  private var picture: [UInt8] {
    tags.cover.map { frame("APIC", [0] + Array($0.mediaType.utf8) + [0, 3, 0] + $0.bytes) } ?? []
  }
}

extension ID3Head {
  /// The table of contents. One table has at most 255 entries, so it lists further tables if there are more chapters.
  private func contents(of names: [String]) -> [UInt8] {
    if names.isEmpty { return [] }
    if names.count <= 255 { return table("toc", names, isTop: true) }
    let parts = stride(from: 0, to: names.count, by: 255).map { Array(names[$0...].prefix(255)) }
    let titles = Self.names("toc", parts.count)
    return contents(of: titles) + zip(titles, parts).flatMap { table($0, $1, isTop: false) }
  }

  private func table(_ name: String, _ entries: [String], isTop: Bool) -> [UInt8] {
    let flags: UInt8 = isTop ? 3 : 1
    return frame("CTOC", ended(name) + [flags, UInt8(entries.count)] + entries.flatMap(ended))
  }

  private func chapter(_ name: String, _ chapter: Chapter) -> [UInt8] {
    let times = [chapter.start, chapter.end].flatMap { ByteOrder.big.bytes(min($0, 0xFFFF_FFFE), count: 4) }
    // Without offsets in bytes, players use the times.
    let offsets = [UInt8](repeating: 0xFF, count: 8)
    return frame("CHAP", ended(name) + times + offsets + frame("TIT2", EncodedText(chapter.title).bytes))
  }

  /// Names with numbers from 1 of equal length, so that programs that sort them keep the order.
  private static func names(_ kind: String, _ count: Int) -> [String] {
    let width = max(3, "\(count)".count)
    return (1...max(1, count)).prefix(count).map { number in
      kind + String(repeating: "0", count: width - "\(number)".count) + "\(number)"
    }
  }

  private func ended(_ name: String) -> [UInt8] { Array(name.utf8) + [0] }

  private func frame(_ name: String, _ body: [UInt8]) -> [UInt8] {
    Array(name.utf8) + ByteOrder.big.bytes(Int64(body.count), count: 4) + [0, 0] + body
  }
}

/// A text as ID3v2.3 stores it: in Latin-1 if possible, otherwise in UTF-16.
private struct EncodedText {
  /// 0 for Latin-1, 1 for UTF-16.
  let encoding: UInt8
  /// What precedes each text.
  var mark: [UInt8] { encoding == 0 ? [] : [0xFF, 0xFE] }
  /// What ends a text that another one follows.
  var end: [UInt8] { encoding == 0 ? [0] : [0, 0] }
  let content: [UInt8]

  var bytes: [UInt8] { [encoding] + mark + content }

  /// - Parameter encoding: nil for the one that has room for all characters.
  init(_ text: String, as encoding: UInt8? = nil) {
    let text = text.limited(to: 1 << 20)
    let fits = text.unicodeScalars.allSatisfy { $0.value < 0x100 }
    self.encoding = encoding ?? (fits ? 0 : 1)
    if self.encoding == 0 {
      content = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    } else {
      content = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    }
  }
}

import Sounds

/// The chunks of a file that describe its sound, and where the sound is.
struct SoundChunks {
  /// A chunk with its content.
  struct Content {
    var name: String
    var offset: Int64
    var bytes: [UInt8]
  }

  let layout: ChunkFormat
  let format: Content
  /// The other chunks that a decoder needs.
  let details: [Content]
  let sound: ByteView.Segment
  let size: StatedSize
  let tags: SoundTags
  /// Whether the sound is MPEG audio.
  let isMPEG: Bool
  /// Whether libsndfile does not decode the encoding. It takes the header of such a WAV or W64 file for damaged.
  let isForeign: Bool
  /// The first bytes of the container.
  private let mark: [UInt8]

  /// Nothing that a decoder needs is larger, in bytes.
  private static let largest: Int64 = 16 << 20

  /// Returns nil if the chunks with the format or with the sound are missing.
  init?(of file: RegularFile, _ layout: ChunkFormat) {
    var walk = ChunkWalk(file, layout, at: 0, to: file.size)
    var (chunks, found, end) = ([ChunkWalk.Chunk](), ChunkWalk.Chunk?.none, file.contentEnd)
    while let chunk = walk.next() {
      guard found == nil, chunk.name == layout.sound else {
        chunks.append(chunk)
        continue
      }
      let sound = Self.sound(chunk, of: file, layout, Self.longSizes(chunks, of: file), walk)
      found = sound
      // Of a file that is being downloaded, what follows the sound is waited for.
      if sound.isComplete(before: file.size) {
        walk.move(to: sound.end)
      } else {
        guard file.present == file.size, let tail = walk.tail(from: sound.body) else { break }
        end = tail
        walk.move(to: tail)
      }
    }
    guard let found, let format = chunks.lazy.compactMap({ Self.content(of: $0, layout.format, file) }).first
    else { return nil }
    (self.layout, self.format) = (layout, format)
    mark = file.bytes(at: 0, count: 24)
    details = layout.details.compactMap { name in
      chunks.lazy.compactMap { Self.content(of: $0, name, file) }.first
    }
    let stated = Self.fileSize(mark, layout, Self.longSizes(chunks, of: file))
    let isWhole = stated.map { !StatedSize.isPlaceholder($0) && found.size < $0 + 8 && found.end <= $0 + 8 }
    isMPEG = Self.isMPEG(format.bytes, layout)
    isForeign = Self.isForeign(format.bytes, layout)
    let block = isMPEG || isForeign ? 1 : Self.block(format.bytes, layout)
    size = StatedSize(found.size, in: file, from: found.body, to: end, isWhole: isWhole ?? true, block: block)
    sound = ByteView.Segment(offset: found.body, count: size.present)
    tags = SoundTags(chunks, of: file, layout)
  }

  private static func content(of chunk: ChunkWalk.Chunk, _ name: String, _ file: RegularFile) -> Content? {
    guard chunk.name == name, chunk.size <= largest, chunk.isComplete(before: file.size) else { return nil }
    let bytes = file.bytes(at: chunk.body, count: Int(chunk.size))
    return bytes.count == Int(chunk.size) ? Content(name: name, offset: chunk.body, bytes: bytes) : nil
  }

  /// The sizes of an RF64 file and of its sound, which do not fit into the usual four bytes.
  private static func longSizes(_ chunks: [ChunkWalk.Chunk], of file: RegularFile) -> (file: Int64, sound: Int64)? {
    let bytes = chunks.lazy.compactMap { content(of: $0, "ds64", file)?.bytes }.first
    guard let bytes, 16 <= bytes.count else { return nil }
    return (bytes[..<8].number(.little), bytes[8..<16].number(.little))
  }

  /// The sound within its chunk. Its size is negative if the header does not state it.
  private static func sound(
    _ chunk: ChunkWalk.Chunk, of file: RegularFile, _ layout: ChunkFormat, _ long: (file: Int64, sound: Int64)?,
    _ walk: ChunkWalk
  ) -> ChunkWalk.Chunk {
    var sound = chunk
    switch layout.family {
    case .wave: if chunk.size == 0xFFFF_FFFF, let long { sound.size = long.sound }
    case .caf: sound.drop(4)
    case .aiff: sound.drop(8 + file.bytes(at: chunk.body, count: 4)[...].number(.big))
    }
    // A writer that did not know the size may have left it at 0.
    if sound.size == 0, sound.body < file.size, !walk.hasChunk(at: sound.body) { sound.size = -1 }
    return sound
  }

  /// The size of the file that its header states, from the container's beginning on; nil if the format has none.
  private static func fileSize(_ mark: [UInt8], _ layout: ChunkFormat, _ long: (file: Int64, sound: Int64)?) -> Int64? {
    if layout.family == .caf { return nil }
    if layout.nameBytes == 16 { return mark[16...].number(.little) }
    let size = mark[4..<8].number(layout.order)
    return size == 0xFFFF_FFFF ? long.map { $0.file &+ 8 } ?? size : size + 8
  }

  /// The bytes of the smallest piece that can be decoded; 1 if libsndfile finds it out by itself.
  private static func block(_ format: [UInt8], _ layout: ChunkFormat) -> Int64 {
    switch layout.family {
    case .wave: 14 <= format.count ? format[12..<14].number(layout.order) : 1
    case .caf: 20 <= format.count ? format[16..<20].number(.big) : 1
    case .aiff where format.dropFirst(18).starts(with: "GSM ".utf8): 33
    case .aiff: format.dropFirst(18).starts(with: "ima4".utf8) ? 34 * format[..<2].number(.big) : 1
    }
  }

  /// The sound's encoding in a WAV or W64 file, as a registered number. The extensible format states it as the first
  /// bytes of another field.
  private static func code(_ format: [UInt8], _ order: ByteOrder) -> Int64 {
    let codes = [0, 24].map { format.dropFirst($0).prefix(2).number(order) }
    return codes[0] == 0xFFFE ? codes[1] : codes[0]
  }

  private static func isMPEG(_ format: [UInt8], _ layout: ChunkFormat) -> Bool {
    guard layout.family == .wave else { return layout.family == .caf && format.dropFirst(8).starts(with: ".mp".utf8) }
    return [0x50, 0x55].contains(code(format, layout.order))
  }

  private static func isForeign(_ format: [UInt8], _ layout: ChunkFormat) -> Bool {
    layout.family == .wave && ![1, 2, 3, 6, 7, 0x11, 0x31, 0x38, 0x40, 0x50, 0x55].contains(code(format, layout.order))
  }

  /// Whether the loudspeakers that a chunk of a CAF or AIFF file states are those of all its channels. libsndfile would
  /// read beyond its list of them.
  private func namesAllChannels(_ content: Content) -> Bool {
    guard ["chan", "CHAN"].contains(content.name) else { return true }
    let channels = layout.family == .caf ? format.bytes.dropFirst(24).prefix(4) : format.bytes.prefix(2)
    return channels.number(.big) <= content.bytes.prefix(4).number(.big) & 0xFF
  }

  /// A plain header for `count` bytes of sound.
  func head(sound count: Int64) -> [UInt8] {
    let order = layout.order
    let needed = ([format] + details.filter(namesAllChannels)).flatMap { chunk($0.name, $0.bytes) }
    switch layout.family {
    case .caf:
      return mark[..<8] + needed + Array("data".utf8) + order.bytes(count + 4, count: 8) + order.bytes(0, count: 4)
    case .aiff:
      let all = mark[8..<12] + needed + Array("SSND".utf8) + size(count + 8) + order.bytes(0, count: 8)
      return Array("FORM".utf8) + size(Int64(all.count) + count) + all
    case .wave:
      let isLong = order == .little && 0xFFFF_0000 < count
      let sizes = order.bytes(count, count: 8) + order.bytes(count, count: 8) + order.bytes(0, count: 12)
      let all = Array("WAVE".utf8) + (isLong ? chunk("ds64", sizes) : []) + needed + Array("data".utf8)
      return Array((order == .big ? "RIFX" : isLong ? "RF64" : "RIFF").utf8)
        + (isLong ? size(.max) : size(Int64(all.count) + 4 + count)) + all + (isLong ? size(.max) : size(count))
    }
  }

  private func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
    let isOdd = layout.family != .caf && !bytes.count.isMultiple(of: 2)
    let size = layout.family == .caf ? layout.order.bytes(Int64(bytes.count), count: 8) : size(Int64(bytes.count))
    return Array(name.utf8) + size + bytes + (isOdd ? [0] : [])
  }

  /// A size in four bytes.
  private func size(_ count: Int64) -> [UInt8] { layout.order.bytes(min(count, 0xFFFF_FFFF), count: 4) }
}

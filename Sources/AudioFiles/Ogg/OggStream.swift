/// The sound of an Ogg file, described by its first and last pages.
struct OggStream {
  let first: OggPage
  let serial: UInt32
  /// The byte after the stream's headers, where the first page of sound should begin.
  let headEnd: Int64
  /// Whether a page begins at `headEnd`.
  let hasItsBeginning: Bool
  /// Whether the last page of sound is marked as the last one, as RFC 3533 requires.
  let hasItsEnd: Bool
  /// The position of the last complete page in the stream's units.
  let end: Int64
  /// The header of an Opus stream; nil for Vorbis.
  let opus: OpusHeader?
  /// The maximum length of a packet's sound, in the stream's units.
  let longestPacket: Int64

  /// Returns nil if the headers are incomplete, or if no page of sound is found.
  init?(_ file: RegularFile) {
    var offset = ID3Tag.length(file)
    guard let first = OggPage(in: file, at: offset) else { return nil }
    self.first = first
    let body = Array(first.body.prefix(300))
    opus = OpusHeader(body)
    longestPacket = opus == nil ? Self.longestPacket(body) : Int64(OpusDecoder.longestPacket)
    serial = first.serial
    var packets = 0
    while packets < (opus == nil ? 3 : 2) {
      guard let page = OggPage(in: file, at: offset) else { return nil }
      if page.serial == serial { packets += page.packets }
      offset = page.end
    }
    headEnd = offset
    hasItsBeginning = OggPage(in: file, at: offset) != nil
    guard let last = Self.lastPage(of: file, serial), let end = last.position else { return nil }
    self.end = end
    hasItsEnd = last.isLast
  }

  /// How much a decoder drops at the beginning, in the stream's units: the pre-skip of Opus.
  var skip: Int64 { opus?.skip ?? 0 }

  /// Half of a long block of Vorbis, whose header states its length as a power of two.
  ///
  /// - Parameter head: the first packet.
  private static func longestPacket(_ head: [UInt8]) -> Int64 {
    guard head.starts(with: [1] + Array("vorbis".utf8)), head.count == 30 else { return 65_536 }
    return 1 << (Int64(head[28] >> 4) - 1)
  }

  /// The last complete page that states a position. Returns nil if the last page belongs to another stream: chained
  /// streams are not supported.
  private static func lastPage(of file: RegularFile, _ serial: UInt32) -> OggPage? {
    let budget = SearchBudget()
    var end = file.size
    while end > 0, budget.spend(Int64(FileWindow.size)) {
      let start = max(0, end - Int64(FileWindow.size))
      // A few more bytes are read, to find a signature that is partly in the next piece.
      let bytes = file.bytes(at: start, count: Int(end - start) + OggPage.mark.count - 1)
      for index in bytes.indices.reversed()
      where bytes[index] == OggPage.mark[0] && bytes[index...].starts(with: OggPage.mark) {
        if let page = OggPage(in: file, at: start + Int64(index)) {
          if page.serial != serial { return nil }
          if page.position != nil { return page }
        } else if !budget.spend(OggPage.usual) {
          return nil
        }
      }
      end = start
    }
    return nil
  }
}

/// Whether a file that `OggStream` doesn't support is truncated: its last page of sound is missing, or it continues
/// with another stream, which libsndfile doesn't read.
func isTruncatedOgg(_ file: RegularFile) -> Bool {
  let start = max(0, file.size - 131_072)
  let tail = file.bytes(at: start, count: 131_072)
  let index = tail.indices.reversed().first { tail[$0] == OggPage.mark[0] && tail[$0...].starts(with: OggPage.mark) }
  guard let index, let page = OggPage(in: file, at: start + Int64(index)) else { return true }
  guard let first = OggPage(in: file, at: ID3Tag.length(file)), first.beginsSound else { return !page.isLast }
  return !page.isLast || page.serial != first.serial
}

extension OggPage {
  /// Whether it is the first page of an Opus or Vorbis stream.
  fileprivate var beginsSound: Bool {
    body.starts(with: Array("OpusHead".utf8)) || body.starts(with: [1] + Array("vorbis".utf8))
  }
}

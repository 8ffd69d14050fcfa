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
  /// The byte after that page. Zeros or tags may follow.
  let soundEnd: Int64
  /// The header of an Opus stream; nil for others.
  let opus: OpusHeader?
  /// The maximum length of a packet's sound, in the stream's units.
  let longestPacket: Int64

  /// Returns nil if the headers are incomplete, or if no page of sound is found.
  init?(_ file: RegularFile) {
    guard let (first, headers) = Self.beginning(of: file) else { return nil }
    self.first = first
    let body = Array(first.body.prefix(300))
    opus = OpusHeader(body)
    longestPacket = opus == nil ? Self.longestPacket(body) : Int64(OpusDecoder.longestPacket)
    serial = first.serial
    var (offset, packets) = (first.offset, 0)
    while packets < headers {
      guard let page = OggPage(in: file, at: offset) else { return nil }
      if page.serial == serial { packets += page.packets }
      offset = page.end
    }
    headEnd = offset
    hasItsBeginning = OggPage(in: file, at: offset) != nil
    guard let last = Self.lastPage(of: file, serial), let end = last.position else { return nil }
    (self.end, soundEnd) = (end, last.end)
    hasItsEnd = last.isLast && !Self.isContinued(file, from: headEnd)
  }

  /// The first page of the sound, and the number of its packets without sound. Pictures may begin before it.
  private static func beginning(of file: RegularFile) -> (OggPage, headers: Int)? {
    var offset: Int64 = 0
    for _ in 0..<100 {
      guard let page = OggPage(in: file, at: offset) else { return nil }
      if let headers = page.headers { return (page, headers) }
      offset = page.end
    }
    return nil
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

  /// Whether a stream begins among the first pages of sound: the file consists of several, one after the other, even if
  /// they have the same serial number because one file was appended to itself.
  private static func isContinued(_ file: RegularFile, from headEnd: Int64) -> Bool {
    var offset = headEnd
    for _ in 0..<mostPages where file.download == nil {
      let head = OggPage.head(in: file, at: offset)
      guard let size = OggPage.size(head) else { return false }
      if head[5] & 2 != 0 { return true }
      offset += Int64(size)
    }
    return false
  }

  /// How many pages of sound are looked at for that; more would delay the start of a long sound.
  private static let mostPages = 4_096

  /// The serial numbers of the streams that begin with the file.
  static func serials(of file: RegularFile) -> Set<UInt32> {
    var (offset, serials) = (0 as Int64, Set<UInt32>())
    while serials.count < 100, let page = OggPage(in: file, at: offset), page.isFirst {
      serials.insert(page.serial)
      offset = page.end
    }
    return serials
  }

  /// The last complete page that states a position. Returns nil if the last page belongs to a stream that does not begin
  /// with the file: chained streams are not supported.
  private static func lastPage(of file: RegularFile, _ serial: UInt32) -> OggPage? {
    let budget = SearchBudget()
    let serials = serials(of: file)
    var end = file.contentEnd
    while end > 0, budget.spend(Int64(FileWindow.size)) {
      let start = max(0, end - Int64(FileWindow.size))
      // A few more bytes are read, to find a signature that is partly in the next piece.
      let bytes = file.bytes(at: start, count: Int(end - start) + OggPage.mark.count - 1)
      for index in bytes.indices.reversed()
      where bytes[index] == OggPage.mark[0] && bytes[index...].starts(with: OggPage.mark) {
        if let page = OggPage(in: file, at: start + Int64(index)) {
          guard serials.contains(page.serial) else { return nil }
          if page.serial == serial, page.position != nil { return page }
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
  let start = max(0, file.contentEnd - 131_072)
  let tail = file.bytes(at: start, count: 131_072)
  let index = tail.indices.reversed().first { tail[$0] == OggPage.mark[0] && tail[$0...].starts(with: OggPage.mark) }
  guard let index, let page = OggPage(in: file, at: start + Int64(index)) else { return true }
  return !page.isLast || !OggStream.serials(of: file).contains(page.serial)
}

extension OggPage {
  /// The number of packets without sound of the stream that begins with the page: they describe the sound. nil if no
  /// stream of sound begins here.
  fileprivate var headers: Int? {
    let head = body.prefix(80)
    if head.starts(with: "OpusHead".utf8) { return 2 }
    if head.starts(with: [1] + Array("vorbis".utf8)) { return 3 }
    if head.starts(with: "Speex   ".utf8), head.count == 80 {
      return 2 + Int(min(head.dropFirst(68).prefix(4).number(.little), 100))
    }
    guard head.starts(with: [0x7F] + Array("FLAC".utf8)), 9 <= head.count else { return nil }
    // A writer that does not know the number states 0; a block of comments always follows.
    return 1 + max(1, Int(head.dropFirst(7).prefix(2).number(.big)))
  }
}

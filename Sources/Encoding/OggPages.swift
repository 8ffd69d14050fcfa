import AudioFiles

/// Rewrites the pages of libsndfile's Ogg streams: they get a chosen serial number instead of a random one, so that two
/// renders of a session are identical, and tags that libsndfile can't write.
struct OggPages {
  /// The serial number of a file, which is a single stream.
  static let standardSerial: UInt32 = 0x7072_7370
  private let serial: UInt32
  /// Bytes of a page that is not complete yet.
  private var held: [UInt8] = []
  /// The tags of the file, and the chapters for which it has room at first.
  private let tags: FileTags
  private let reserved: [Chapter]
  /// The pages of the beginning as they were emitted; nil until it is complete, and if there is none.
  private(set) var beginning: OggBeginning.Pages?
  private var parser: OggBeginning?
  /// By how much the numbers of the pages after the beginning change.
  private var shift: UInt32 = 0

  /// The pages of a whole stream.
  init(_ tags: FileTags, reserving chapters: [Chapter], serial: UInt32) {
    (self.tags, reserved, self.serial, parser) = (tags, chapters, serial, OggBeginning(serial: serial))
  }

  /// The pages after the beginning of a stream, with other numbers.
  init(movingBy shift: UInt32, serial: UInt32) {
    (tags, reserved, self.shift, self.serial) = (FileTags(), [], shift, serial)
  }

  /// Adds bytes of the stream.
  ///
  /// - Returns: the pages that are complete.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    held.append(contentsOf: bytes)
    var (pages, start) = ([UInt8](), 0)
    while let size = pageSize(at: start) {
      pages += rewritten(held[start..<(start + size)])
      start += size
    }
    held.removeFirst(start)
    return pages
  }

  /// The bytes of an incomplete page; a complete stream has none.
  mutating func finish() -> [UInt8] {
    defer { held = [] }
    return held
  }

  /// The pages of the beginning with these chapters: as many bytes as before, unless the chapters need more.
  func beginning(with chapters: [Chapter]) -> OggBeginning.Pages? {
    beginning.flatMap { parser?.pages(tags, chapters, filling: $0.commentSize) }
  }

  /// A page as it is written. Those of the beginning are written together, after the last one.
  private mutating func rewritten(_ page: ArraySlice<UInt8>) -> [UInt8] {
    if beginning == nil, parser != nil {
      parser?.add(page)
      guard let parser, parser.isComplete else { return [] }
      let pages = parser.pages(tags, reserved)
      (beginning, shift) = (pages, UInt32(truncatingIfNeeded: pages.count - parser.count))
      return pages.bytes
    }
    let number = UInt32(truncatingIfNeeded: page.dropFirst(18).prefix(4).number(.little)) &+ shift
    return Self.sealed(Array(page), number: number, serial)
  }

  /// A page with a serial number, its own number, and the checksum.
  static func sealed(_ page: [UInt8], number: UInt32, _ serial: UInt32) -> [UInt8] {
    var page = page
    page.replaceSubrange(14..<18, with: ByteOrder.big.bytes(Int64(serial), count: 4))
    page.replaceSubrange(18..<22, with: ByteOrder.little.bytes(Int64(number), count: 4))
    page.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    page.replaceSubrange(22..<26, with: ByteOrder.little.bytes(Int64(oggChecksum(page)), count: 4))
    return page
  }

  /// Bytes of a page; nil until all of it has arrived.
  private func pageSize(at start: Int) -> Int? {
    guard held.count >= start + 27 else { return nil }
    let bodyStart = start + 27 + Int(held[start + 26])
    guard held.count >= bodyStart else { return nil }
    let size = held[(start + 27)..<bodyStart].reduce(bodyStart - start) { $0 + Int($1) }
    return held.count >= start + size ? size : nil
  }
}

/// The pages before the sound of an Ogg Vorbis or Opus stream, which contain its tags: each format has an identification,
/// comments, and Vorbis its tables.
struct OggBeginning {
  private let serial: UInt32
  /// The packets on the pages so far; the last one may be incomplete.
  private var packets: [[UInt8]] = [[]]
  /// How many pages were added.
  private(set) var count = 0

  /// Pages with all packets.
  struct Pages {
    var bytes: [UInt8] = []
    var count = 0
    /// Bytes of the packet with the comments.
    var commentSize = 0
  }

  private var mark: [UInt8] { isOpus ? Array("OpusTags".utf8) : [3] + Array("vorbis".utf8) }
  private var isOpus: Bool { packets[0].starts(with: Array("OpusHead".utf8)) }

  init(serial: UInt32) { self.serial = serial }

  /// Whether all packets before the sound are there. The sound begins on a page of its own.
  var isComplete: Bool { (isOpus ? 3 : 4) <= packets.count }

  mutating func add(_ page: ArraySlice<UInt8>) {
    count += 1
    let bodyStart = page.startIndex + 27 + Int(page[page.startIndex + 26])
    var body = page[bodyStart...]
    for length in page[(page.startIndex + 27)..<bodyStart] {
      packets[packets.count - 1] += body.prefix(Int(length))
      body = body.dropFirst(Int(length))
      // A segment of 255 bytes continues.
      if length < 255 { packets.append([]) }
    }
  }

  /// The pages with further comments.
  ///
  /// - Parameter size: with at least how many bytes of comments; they are filled with zeros.
  func pages(_ tags: FileTags, _ chapters: [Chapter], filling size: Int = 0) -> Pages {
    var comment = VorbisComment(readFrom: packets[1].dropFirst(mark.count)) ?? VorbisComment(vendor: [])
    comment.add(tags)
    comment.add(chapters)
    if let cover = tags.cover { comment.add(cover) }
    var packet = mark + comment.bytes + (isOpus ? [] : [1])
    packet += [UInt8](repeating: 0, count: max(0, size - packet.count))
    let rest = packets[2...].dropLast()
    var pages = Pages(commentSize: packet.count)
    add([packets[0]], isFirst: true, to: &pages)
    add([packet] + rest, to: &pages)
    return pages
  }

  /// Adds pages with whole packets. A page has at most 255 segments.
  private func add(_ packets: [[UInt8]], isFirst: Bool = false, to pages: inout Pages) {
    let lacing = packets.flatMap { [UInt8](repeating: 255, count: $0.count / 255) + [UInt8($0.count % 255)] }
    var body = packets.flatMap(\.self)[...]
    for start in stride(from: 0, to: lacing.count, by: 255) {
      let segments = lacing[start..<min(start + 255, lacing.count)]
      let size = segments.reduce(0) { $0 + Int($1) }
      let isContinued = 0 < start && lacing[start - 1] == 255
      // A page on which no packet ends has no position.
      let position: UInt8 = segments.allSatisfy { $0 == 255 } ? 0xFF : 0
      let head =
        Array("OggS".utf8) + [0, (isContinued ? 1 : 0) | (isFirst ? 2 : 0)] + [UInt8](repeating: position, count: 8)
        + [UInt8](repeating: 0, count: 12) + [UInt8(segments.count)]
      pages.bytes += OggPages.sealed(head + segments + body.prefix(size), number: UInt32(pages.count), serial)
      pages.count += 1
      body = body.dropFirst(size)
    }
  }
}

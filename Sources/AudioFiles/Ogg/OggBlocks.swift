/// The pages of an Ogg file that contain its sound.
///
/// A page states how many frames of sound are complete at its end. The first frame of a page is known only to a
/// decoder.
final class OggBlocks: SoundBlocks {
  private let file: RegularFile
  let stream: OggStream
  /// The number of frames of sound in the file.
  let total: Int64
  private var window: FileWindow
  private let budget: SearchBudget
  /// The byte after the last page that was checked.
  private var offset: Int64
  /// The sequence number of the next page; nil before the first one.
  private var sequence: UInt32?
  /// The frames that are complete at `offset`.
  private var reached: Int64 = 0
  /// The first complete page following a gap.
  private var following: OggPage?
  /// Whether the last page was checked, or no further page was found.
  private var hasEnded = false

  init(_ file: RegularFile, _ stream: OggStream, total: Int64, budget: SearchBudget = SearchBudget()) {
    self.budget = budget
    self.file = file
    self.stream = stream
    self.total = total
    window = FileWindow(file)
    offset = stream.headEnd
  }

  var another: @Sendable () -> any SoundBlocks {
    { [file, stream, total] in OggBlocks(file, stream, total: total) }
  }

  func view(of file: RegularFile, from offset: Int64) -> ByteView {
    let rest = ByteView.Segment(offset: stream.first.end, count: stream.headEnd - stream.first.end)
    let sound = ByteView.Segment(offset: offset, count: file.contentEnd - offset)
    return ByteView(of: file, head: stream.first.decodable, [rest, sound])
  }

  func enter(_ entry: BlockEntry) {
    offset = entry.offset
    sequence = nil
    reached = 0
    following = nil
    hasEnded = false
  }

  func reach(to frame: Int64) -> Int64 {
    while reached < frame, nextPage() != nil {}
    return reached
  }

  /// Checks the next page. Returns nil at a gap and at the end.
  func nextPage() -> OggPage? {
    guard following == nil, !hasEnded else { return nil }
    guard let (page, isNext) = page(from: offset, to: file.contentEnd) else {
      hasEnded = true
      return nil
    }
    guard sequence.map({ $0 == page.sequence }) ?? isNext else {
      following = page
      return nil
    }
    offset = page.end
    sequence = page.sequence &+ 1
    if let position = page.position { reached = frame(position) }
    if page.isLast {
      reached = .max
      hasEnded = true
    }
    return page
  }

  /// The page that `nextPage` returns next; nil at a gap and at the end.
  func peek() -> OggPage? {
    guard following == nil, !hasEnded, let (page, _) = page(from: offset, to: file.contentEnd) else { return nil }
    return page.sequence == sequence ? page : nil
  }

  /// The number of frames that are complete at the end of a page.
  func end(of page: OggPage) -> Int64 { frame(page.position ?? 0) }

  /// The number of frames that a decoder drops at the beginning.
  var skip: Int64 { stream.skip }

  /// The page after the gap at which `nextPage` has stopped; nil at the end.
  var pageAfterGap: OggPage? { following }

  /// Returns nil if only the last page follows. Its end may be trimmed, so its first frame is unknown.
  func entryAfterGap() -> BlockEntry? {
    guard let following, !following.isLast else { return nil }
    return BlockEntry(offset: following.offset)
  }

  func entry(before frame: Int64) -> BlockEntry? {
    var search = EntrySearch(for: frame, of: total, from: stream.headEnd, to: file.contentEnd)
    while let middle = search.next() {
      if let page = positioned(from: middle, to: search.high), case let first = end(of: page),
        first <= frame
      {
        search.isAfter(page.offset, first)
      } else {
        search.isBefore(middle)
      }
    }
    var low = search.low
    var last = stream.headEnd
    // The frame must be at least two packets after the beginning of the page that is entered: the first packet may have
    // begun on the page before, and the decoder needs the second one to decode the third.
    let margin = 2 * stream.longestPacket
    // The sequence number of the next page, if it begins early enough.
    var next: UInt32?
    while let page = positioned(from: low, to: file.contentEnd), !page.isLast {
      let end = end(of: page)
      // Without a whole packet, a decoder can't tell the position of the page's beginning.
      if 0 < page.wholePackets, page.sequence == next || end <= frame { last = page.offset }
      if frame < end { break }
      next = end + margin <= frame ? page.sequence &+ 1 : nil
      low = page.end
    }
    return BlockEntry(offset: last)
  }

  /// The number of frames that are complete at a position in the stream's units.
  private func frame(_ position: Int64) -> Int64 {
    // Neither number is negative. The limits avoid an overflow if a damaged page states an impossible position.
    total - min(max(stream.end - position, -mostFrames), mostFrames)
  }

  /// The first page within a range of bytes that states a position.
  private func positioned(from start: Int64, to end: Int64) -> OggPage? {
    var offset = start
    while let (page, _) = page(from: offset, to: end) {
      if page.position != nil { return page }
      guard budget.spend(page.end - page.offset) else { return nil }
      offset = page.end
    }
    return nil
  }

  /// The first complete page of the stream that begins within a range of bytes, and whether there are only pages before
  /// it in that range.
  private func page(from start: Int64, to end: Int64) -> (OggPage, Bool)? {
    var offset = start
    var isNext = true
    while offset < end {
      if let page = OggPage(in: file, at: offset) {
        if page.serial == stream.serial { return (page, isNext) }
        offset = page.end
      } else {
        isNext = false
        guard let mark = mark(from: offset + 1, to: end) else { return nil }
        offset = mark
      }
    }
    return nil
  }

  /// The first page signature within a range of bytes.
  private func mark(from start: Int64, to end: Int64) -> Int64? {
    var offset = start
    while offset < end {
      let (count, isThere) = window.distance(to: OggPage.mark[0], from: offset)
      if count == 0 && !isThere || !budget.spend(Int64(count)) { return nil }
      offset += Int64(count)
      guard isThere else { continue }
      if window.bytes(at: offset, count: OggPage.mark.count) == OggPage.mark {
        return offset < end && budget.spend(OggPage.usual) ? offset : nil
      }
      offset += 1
    }
    return nil
  }
}

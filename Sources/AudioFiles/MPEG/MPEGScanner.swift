/// Finds the frames of an MPEG file by following its headers from the beginning to the end.
struct MPEGScanner {
  private var window: FileWindow
  /// The byte after the MPEG sound.
  private let size: Int64
  /// Limits the search for further frames, because a file can have a very long tail without any.
  private let budget = SearchBudget()
  /// What the budget loses for each byte that may begin a frame, in addition to the bytes before it.
  private static let markCost: Int64 = 16

  /// - Parameter end: the byte after the MPEG sound; nil for the end of the file.
  init(_ file: RegularFile, to end: Int64? = nil) {
    window = FileWindow(file)
    size = end ?? file.contentEnd
  }

  /// Scans the file from byte `start` on. Returns nil if no MPEG frame begins near there.
  mutating func scan(from start: Int64) -> MPEGScan? {
    guard let (first, header) = firstFrame(from: start) else { return nil }
    let information = information(at: first, header)
    var pieces = MPEGChunks(at: information == nil ? first : first + Int64(header.size), like: header)
    // Whether the last frame is incomplete, or is followed by something else.
    var endsIrregularly = false
    while pieces.end + 4 <= size {
      guard let next = frame(at: pieces.end, like: header) else {
        guard let found = resume(from: pieces.end, like: header) else {
          endsIrregularly = !isEnd(pieces.end) && Int64(header.size / 2) < size - pieces.end
          break
        }
        pieces.begin(at: found)
        continue
      }
      if size - pieces.end < Int64(next.size) {
        endsIrregularly = true
        break
      }
      pieces.append(next)
    }
    var scan = MPEGScan(rate: header.rate, channels: header.channels, layer: header.layer, span: header.span)
    scan.information = information
    scan.smallest = pieces.smallest
    scan.runs = pieces.runs(of: information?.count, endsIrregularly: endsIrregularly)
    scan.isTruncated = (endsIrregularly || pieces.hasGaps) && (information?.count).map { scan.count < $0 } ?? false
    return scan
  }

  /// The information frame at an offset; nil if it is a frame of sound.
  private mutating func information(at offset: Int64, _ header: MPEGHeader) -> MPEGInformation? {
    MPEGInformation(window.bytes(at: offset, count: min(header.size, 400)), header)
  }

  /// The first frame in the next 256 KiB that is followed by two others or by the end of the file, or that is an
  /// information frame.
  private mutating func firstFrame(from start: Int64) -> (Int64, MPEGHeader)? {
    var offset = start
    let limit = min(size - 4, start + 256 * 1_024)
    while offset <= limit {
      if let header = header(at: offset),
        isFollowed(header, at: offset, times: 2) || information(at: offset, header) != nil
      {
        return (offset, header)
      }
      offset += 1
    }
    return nil
  }

  /// The next frame after bytes that are not a frame; it must be followed by two others or by the end of the file.
  private mutating func resume(from start: Int64, like header: MPEGHeader) -> Int64? {
    var offset = start + 1
    while offset + 4 <= size {
      let (count, isMark) = window.distance(to: 0xFF, from: offset)
      guard isMark || 0 < count, budget.spend(Int64(count) + Self.markCost) else { return nil }
      offset += Int64(count)
      guard isMark, offset + 4 <= size else { continue }
      if let found = frame(at: offset, like: header), isFollowed(found, at: offset, times: 2) { return offset }
      offset += 1
    }
    return nil
  }

  /// Whether a frame is followed by `times` others, or by the end of the sound.
  private mutating func isFollowed(_ header: MPEGHeader, at offset: Int64, times: Int) -> Bool {
    var header = header
    var offset = offset
    for _ in 0..<times {
      offset += Int64(header.size)
      if isEnd(offset) { return true }
      guard let next = frame(at: offset, like: header) else { return false }
      header = next
    }
    return true
  }

  /// Whether the sound ends here: at the end of the file, or at a tag.
  private mutating func isEnd(_ offset: Int64) -> Bool {
    if offset == size { return true }
    let mark = window.bytes(at: offset, count: 3)
    return mark == Array("TAG".utf8) || mark == Array("APE".utf8)
  }

  /// The header at an offset, if it belongs to the same stream as the first one.
  private mutating func frame(at offset: Int64, like first: MPEGHeader) -> MPEGHeader? {
    guard let header = header(at: offset), header.continues(first) else { return nil }
    return header
  }

  private mutating func header(at offset: Int64) -> MPEGHeader? {
    window.word(at: offset).flatMap(MPEGHeader.init)
  }
}

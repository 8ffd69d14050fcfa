/// Goes once through a file from MPEG header to MPEG header.
struct MPEGScanner {
  private var window: FileWindow
  private let size: Int64

  init(_ file: RegularFile) {
    window = FileWindow(file)
    size = file.size
  }

  /// Nil when no MPEG frames are found where they should begin.
  mutating func scan(from start: Int64) -> MPEGScan? {
    guard let (first, header) = firstFrame(from: start) else { return nil }
    let information = information(at: first, header)
    var pieces = MPEGPieces(at: information == nil ? first : first + Int64(header.size), like: header)
    /// Whether the last frame ends before its end, or something else stands where it should begin.
    var isTorn = false
    while pieces.end + 4 <= size {
      guard let next = frame(at: pieces.end, like: header) else {
        guard let found = resume(from: pieces.end, like: header) else {
          isTorn = !isEnd(pieces.end) && Int64(header.size / 2) < size - pieces.end
          break
        }
        pieces.begin(at: found)
        continue
      }
      if size - pieces.end < Int64(next.size) {
        isTorn = true
        break
      }
      pieces.append(next)
    }
    var scan = MPEGScan(rate: header.rate, channels: header.channels, span: header.span)
    scan.information = information
    scan.runs = pieces.runs(of: information?.count, isTorn: isTorn)
    scan.isCut = (isTorn || pieces.haveGaps) && (information?.count).map { scan.count < $0 } ?? false
    return scan
  }

  private mutating func information(at offset: Int64, _ header: MPEGHeader) -> MPEGInformation? {
    MPEGInformation(window.bytes(at: offset, count: min(header.size, 400)), header)
  }

  /// The first frame that two more follow, or the end of the file, within the first stretch of the file; or the one that
  /// says what follows, whether it does or not.
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

  /// The next frame behind garbage that another frame follows.
  private mutating func resume(from start: Int64, like header: MPEGHeader) -> Int64? {
    var offset = start + 1
    while offset + 4 <= size {
      if let found = frame(at: offset, like: header), isFollowed(found, at: offset, times: 2) { return offset }
      offset += 1
    }
    return nil
  }

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

  /// Whether the sound ends here: at the end of the file, or where a tag begins.
  private mutating func isEnd(_ offset: Int64) -> Bool {
    if offset == size { return true }
    let mark = window.bytes(at: offset, count: 3)
    return mark == Array("TAG".utf8) || mark == Array("APE".utf8)
  }

  private mutating func frame(at offset: Int64, like first: MPEGHeader) -> MPEGHeader? {
    guard let header = header(at: offset), header.continues(first) else { return nil }
    return header
  }

  private mutating func header(at offset: Int64) -> MPEGHeader? {
    window.word(at: offset).flatMap(MPEGHeader.init)
  }
}

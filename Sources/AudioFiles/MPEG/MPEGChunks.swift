/// Collects the MPEG frames that a scan finds, and estimates how many were lost between them.
struct MPEGChunks {
  /// MPEG frames that follow each other directly.
  private struct Piece {
    /// The bytes of the frames.
    var bytes: ByteView.Segment
    var frames: Int64 = 0
    /// As in `MPEGScan.Run.marks`.
    var marks: [Int] = []
    /// The number of bytes between the previous piece and this one.
    var gap: Int64 = 0
  }

  private var pieces: [Piece]
  /// The bit rate of the first frame, as an index in MPEG's tables.
  private let bitrate: UInt32
  /// Whether all frames have the same bit rate.
  private var isConstant = true
  /// Bytes of the smallest frame.
  private(set) var smallest: Int
  /// The average size in bytes of frames with the bit rate of the first one.
  private let size: Double

  init(at offset: Int64, like header: MPEGHeader) {
    pieces = [Piece(bytes: ByteView.Segment(offset: offset, count: 0))]
    bitrate = header.bits >> 12 & 15
    (size, smallest) = (header.exactSize, header.size)
  }

  /// Whether there are bytes between the frames that belong to no frame.
  var hasGaps: Bool { 1 < pieces.count }
  /// The end of the last frame in bytes.
  var end: Int64 { pieces.last.map { $0.bytes.offset + $0.bytes.count } ?? 0 }

  /// Adds a frame that follows the last one directly.
  mutating func append(_ header: MPEGHeader) {
    if header.bits >> 12 & 15 != bitrate { isConstant = false }
    smallest = min(smallest, header.size)
    let last = pieces.count - 1
    if pieces[last].frames % MPEGScan.markStep == 0 { pieces[last].marks.append(Int(pieces[last].bytes.count)) }
    pieces[last].bytes.count += Int64(header.size)
    pieces[last].frames += 1
  }

  /// Starts a new piece, after bytes that are not a frame.
  mutating func begin(at offset: Int64) {
    pieces.append(Piece(bytes: ByteView.Segment(offset: offset, count: 0), gap: offset - end))
  }

  /// Groups the pieces: pieces without lost frames between them belong to one run.
  ///
  /// - Parameters:
  ///   - declared: the number of frames that the file states; nil if it states none.
  ///   - endsIrregularly: whether the last frame is incomplete, or is followed by something else.
  func runs(of declared: Int64?, endsIrregularly: Bool) -> [MPEGScan.Run] {
    var runs: [MPEGScan.Run] = []
    for (piece, lost) in zip(pieces, lost(of: declared, endsIrregularly: endsIrregularly)) where piece.frames > 0 {
      if lost == 0, !runs.isEmpty {
        runs[runs.count - 1].segments.append(piece.bytes)
        runs[runs.count - 1].count += piece.frames
        runs[runs.count - 1].marks = []
      } else {
        let first = (runs.last?.end ?? 0) + lost
        runs.append(MPEGScan.Run(first: first, count: piece.frames, segments: [piece.bytes], marks: piece.marks))
      }
    }
    return runs
  }

  /// Estimates the number of lost frames before each piece: none if bytes were inserted between two frames, some if
  /// frames were overwritten.
  ///
  /// If the number of frames that the file states fits the size of the gaps, it determines the estimate. Otherwise, if
  /// all frames have the same bit rate, the size of the gaps does.
  private func lost(of declared: Int64?, endsIrregularly: Bool) -> [Int64] {
    let there = pieces.reduce(0) { $0 + $1.frames }
    let bytes = pieces.reduce(0) { $0 + $1.bytes.count }
    let gaps = pieces.reduce(0) { $0 + $1.gap }
    let missing = max(0, (declared ?? .max) - there)
    guard gaps > 0, missing > 0, there > 0 else { return pieces.map { _ in 0 } }
    let likely = Double(gaps) * Double(there) / Double(bytes)
    if declared != nil, !endsIrregularly, Double(missing) < 2 * likely + 2 { return share(missing, of: gaps) }
    guard isConstant else { return pieces.map { _ in 0 } }
    return pieces.map { piece in
      let count = (Double(piece.gap) / size).rounded()
      // The average size is not an integer, so the size of a frame differs from it by up to a byte.
      return abs(Double(piece.gap) - count * size) <= 1 ? min(Int64(count), missing) : 0
    }
  }

  /// Distributes a number of frames in proportion to the gaps, so that the rounded shares add up to it.
  private func share(_ missing: Int64, of gaps: Int64) -> [Int64] {
    var (passed, shared) = (Int64(0), Int64(0))
    return pieces.map { piece in
      passed += piece.gap
      let sum = Int64((Double(missing) * Double(passed) / Double(gaps)).rounded())
      defer { shared = sum }
      return sum - shared
    }
  }
}

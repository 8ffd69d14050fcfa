/// Collects the frames of an MPEG file during a scan, and estimates how many are lost between them.
struct MPEGChunks {
  /// Frames without anything between them.
  private struct Piece {
    /// The bytes of the frames.
    var bytes: ByteView.Stretch
    var frames: Int64 = 0
    /// Bytes between the previous piece and this one.
    var gap: Int64 = 0
  }

  private var pieces: [Piece]
  /// The index of the first frame's bit rate.
  private let bitrate: UInt32
  /// Whether all frames have the same bit rate.
  private var isConstant = true
  /// Average bytes of a frame with the first one's bit rate.
  private let size: Double

  init(at offset: Int64, like header: MPEGHeader) {
    pieces = [Piece(bytes: ByteView.Stretch(offset: offset, count: 0))]
    bitrate = header.bits >> 12 & 15
    size = header.exactSize
  }

  /// Whether there are bytes between frames that don't belong to any.
  var haveGaps: Bool { 1 < pieces.count }
  /// The end of the last frame in bytes.
  var end: Int64 { pieces.last.map { $0.bytes.offset + $0.bytes.count } ?? 0 }

  /// Adds a frame that follows the last one directly.
  mutating func append(_ header: MPEGHeader) {
    if header.bits >> 12 & 15 != bitrate { isConstant = false }
    pieces[pieces.count - 1].bytes.count += Int64(header.size)
    pieces[pieces.count - 1].frames += 1
  }

  /// Starts a new piece, after bytes that are not a frame.
  mutating func begin(at offset: Int64) {
    pieces.append(Piece(bytes: ByteView.Stretch(offset: offset, count: 0), gap: offset - end))
  }

  /// Groups the pieces: pieces without lost frames between them form one run.
  ///
  /// - Parameters:
  ///   - promised: the number of frames that the file states to have; nil if it doesn't.
  ///   - isTorn: whether the file ends within a frame.
  func runs(of promised: Int64?, isTorn: Bool) -> [MPEGScan.Run] {
    var runs: [MPEGScan.Run] = []
    for (piece, lost) in zip(pieces, lost(of: promised, isTorn: isTorn)) where piece.frames > 0 {
      if lost == 0, !runs.isEmpty {
        runs[runs.count - 1].stretches.append(piece.bytes)
        runs[runs.count - 1].count += piece.frames
      } else {
        let first = (runs.last?.end ?? 0) + lost
        runs.append(MPEGScan.Run(first: first, count: piece.frames, stretches: [piece.bytes]))
      }
    }
    return runs
  }

  /// Estimates the number of lost frames before each piece: none if bytes were inserted between two frames, some if
  /// frames were overwritten.
  ///
  /// The number of frames that the file states decides, if it fits the size of the gaps. Otherwise the size decides
  /// alone, if all frames have the same size.
  private func lost(of promised: Int64?, isTorn: Bool) -> [Int64] {
    let there = pieces.reduce(0) { $0 + $1.frames }
    let bytes = pieces.reduce(0) { $0 + $1.bytes.count }
    let gaps = pieces.reduce(0) { $0 + $1.gap }
    let missing = max(0, (promised ?? .max) - there)
    guard gaps > 0, missing > 0, there > 0 else { return pieces.map { _ in 0 } }
    let likely = Double(gaps) * Double(there) / Double(bytes)
    if promised != nil, !isTorn, Double(missing) < 2 * likely + 2 { return share(missing, of: gaps) }
    guard isConstant else { return pieces.map { _ in 0 } }
    return pieces.map { piece in
      let count = (Double(piece.gap) / size).rounded()
      // The average size is not an integer, so frames differ from it by up to a byte.
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

/// The stretches of an MPEG file that are frames, while it is scanned, and what is lost between them.
struct MPEGPieces {
  private struct Piece {
    var bytes: ByteView.Stretch
    var frames: Int64 = 0
    /// Bytes between the piece before it and this one.
    var gap: Int64 = 0
  }

  private var pieces: [Piece]
  private let bitrate: UInt32
  private var isConstant = true
  /// Bytes of a frame of the first one's bit rate.
  private let size: Double

  init(at offset: Int64, like header: MPEGHeader) {
    pieces = [Piece(bytes: ByteView.Stretch(offset: offset, count: 0))]
    bitrate = header.bits >> 12 & 15
    size = header.exactSize
  }

  var haveGaps: Bool { 1 < pieces.count }
  /// Where the last frame ends.
  var end: Int64 { pieces.last.map { $0.bytes.offset + $0.bytes.count } ?? 0 }

  mutating func append(_ header: MPEGHeader) {
    if header.bits >> 12 & 15 != bitrate { isConstant = false }
    pieces[pieces.count - 1].bytes.count += Int64(header.size)
    pieces[pieces.count - 1].frames += 1
  }

  /// Goes on behind something that is no frame.
  mutating func begin(at offset: Int64) {
    pieces.append(Piece(bytes: ByteView.Stretch(offset: offset, count: 0), gap: offset - end))
  }

  /// - Parameter promised: how many frames the file had, where it says so.
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

  /// How many frames are lost before each piece: what was put between two frames is none, what was written over them is some.
  ///
  /// What the file promises tells, if it is like the size of the gaps; else their size alone, if all frames are of one size.
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
      // A frame is a byte longer or shorter than the exact size, which has a fraction.
      return abs(Double(piece.gap) - count * size) <= 1 ? min(Int64(count), missing) : 0
    }
  }

  /// A number of frames in the proportion of the gaps, so that the sum is right.
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

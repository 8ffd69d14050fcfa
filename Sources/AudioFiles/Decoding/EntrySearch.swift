/// Searches for a frame in a file of blocks. The first two probes are near the position that the frame would have at a
/// constant bit rate, the others in the middle of the remaining range.
struct EntrySearch {
  /// The wanted frame, and the number of frames in the file; nil if that is unknown.
  private let (frame, total): (Int64, Int64?)
  /// The range of bytes in which the frame is.
  private(set) var low: Int64
  private(set) var high: Int64
  /// The first frame of the block at `low`.
  private var lowFrame: Int64 = 0
  /// The size of the file in bytes.
  private let size: Int64
  private var steps = 0

  init(for frame: Int64, of total: Int64?, from low: Int64, to high: Int64) {
    (self.frame, self.total) = (frame, total)
    (self.low, self.high, size) = (low, high, high)
  }

  /// The offset of the next probe; nil if less than a window is left.
  mutating func next() -> Int64? {
    guard high - low > Int64(FileWindow.size) else { return nil }
    steps += 1
    let middle = low + (high - low) / 2
    guard steps <= 2, let total, lowFrame < frame, frame < total else { return middle }
    let share = Double(frame - lowFrame) / Double(total - lowFrame)
    let likely = low + Int64(share * Double(size - low))
    // The first probe is a little before the frame, the second one a little after it, so that little remains.
    let margin = Int64(FileWindow.size) * 3 / 4
    return min(max(low + 1, likely + (steps == 1 ? -margin : margin)), high - 1)
  }

  /// Records that the wanted frame is in or after the block that begins at `offset` with frame `first`.
  mutating func isAfter(_ offset: Int64, _ first: Int64) { (low, lowFrame) = (offset, first) }

  /// Records that the wanted frame is before every block from `offset` on.
  mutating func isBefore(_ offset: Int64) { high = offset }
}

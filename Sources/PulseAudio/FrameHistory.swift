internal import Signal

/// A copy of the last frames that were written, by their position in the stream. From it, sound is sent again to a new
/// server, and a fade-out is applied to sound that the server already has.
struct FrameHistory {
  private var frames: [Frame]
  /// The position of the next frame.
  private(set) var end: FrameTime = 0
  /// The position after the last frame that was ever written. After `rewind`, the frames between `end` and this
  /// position are older ones, which the server plays unless they are replaced.
  private(set) var furthest: FrameTime = 0
  /// The first position whose frame is still stored.
  private(set) var oldest: FrameTime = 0

  /// - Parameter capacity: how many frames are stored, at least one.
  init(capacity: Int) { frames = Array(repeating: .silence, count: max(1, capacity)) }

  /// Stores frames from `end` on.
  mutating func append(_ block: UnsafeBufferPointer<Frame>) {
    var rest = block[...]
    while !rest.isEmpty {
      let first = Int(end % FrameTime(frames.count))
      let part = rest.prefix(frames.count - first)
      frames.replaceSubrange(first..<first + part.count, with: part)
      rest = rest.dropFirst(part.count)
      end += FrameTime(part.count)
    }
    furthest = max(furthest, end)
    oldest = max(oldest, furthest - FrameTime(frames.count))
  }

  /// Makes the next frames replace those from `position` on.
  ///
  /// - Precondition: `position` is between `oldest` and `furthest`.
  mutating func rewind(to position: FrameTime) { end = position }

  /// Discards the older frames after `end`.
  mutating func discardAfterEnd() { furthest = end }

  /// The frames in a range of positions.
  ///
  /// - Precondition: the range is between `oldest` and `furthest`.
  subscript(range: Range<FrameTime>) -> [Frame] { range.map { frames[Int($0 % FrameTime(frames.count))] } }

  /// Applies a fade-out to a range of positions. A second fade-out may be applied to frames that have been faded
  /// before.
  ///
  /// - Precondition: the range is between `oldest` and `furthest`.
  mutating func fadeOut(over range: Range<FrameTime>) {
    let fade = Fade.falling(at: range.lowerBound, over: FrameCount(range.count), .sCurve)
    for position in range {
      let index = Int(position % FrameTime(frames.count))
      frames[index] = frames[index] * fade.gain(at: position)
    }
  }
}

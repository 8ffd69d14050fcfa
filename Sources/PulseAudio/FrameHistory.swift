internal import Signal

/// The last frames that were written, by their position in the stream: a copy of what the server has.
struct FrameHistory {
  private var frames: [Frame]
  /// The position of the next frame.
  private(set) var end: FrameTime = 0
  /// The end of everything that was ever written. After `goBack`, older frames are between `end` and this position.
  private(set) var furthest: FrameTime = 0
  /// The first position whose frame is still stored.
  private(set) var oldest: FrameTime = 0

  /// - Parameter capacity: how many frames are stored, at least one.
  init(capacity: Int) { frames = Array(repeating: .silence, count: max(1, capacity)) }

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

  /// The next frames replace those from `position` on.
  ///
  /// - Precondition: it is between `oldest` and `furthest`.
  mutating func goBack(to position: FrameTime) { end = position }

  /// Discards the frames after the end.
  mutating func forgetAfterEnd() { furthest = end }

  /// A range of the frames that were written.
  ///
  /// - Precondition: it is between `oldest` and `furthest`.
  subscript(stretch: Range<FrameTime>) -> [Frame] { stretch.map { frames[Int($0 % FrameTime(frames.count))] } }

  /// Applies a fade-out to a range, from its first frame to its last. Another one may follow within it.
  ///
  /// - Precondition: it is between `oldest` and `furthest`.
  mutating func fadeOut(over stretch: Range<FrameTime>) {
    let fade = Fade.falling(at: stretch.lowerBound, over: FrameCount(stretch.count), .sCurve)
    for position in stretch {
      let index = Int(position % FrameTime(frames.count))
      frames[index] = frames[index] * fade.gain(at: position)
    }
  }
}

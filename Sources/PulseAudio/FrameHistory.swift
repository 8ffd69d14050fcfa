internal import Signal

/// The last frames that were written, found again by their position in the stream: what the server has, frame by frame.
struct FrameHistory {
  private var frames: [Frame]
  /// The position of the next frame.
  private(set) var end: FrameTime = 0
  /// The end of all that was ever written: after a step back, older frames lie between `end` and here.
  private(set) var furthest: FrameTime = 0
  /// The first position that is still known.
  private(set) var oldest: FrameTime = 0

  /// - Parameter capacity: how many frames are kept, at least one.
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
  /// - Precondition: it lies between `oldest` and `furthest`.
  mutating func goBack(to position: FrameTime) { end = position }

  /// Nothing lies behind the end any more.
  mutating func forgetBehind() { furthest = end }

  /// A stretch of what was written.
  ///
  /// - Precondition: it lies between `oldest` and `furthest`.
  subscript(stretch: Range<FrameTime>) -> [Frame] { stretch.map { frames[Int($0 % FrameTime(frames.count))] } }

  /// Puts a stretch under a fade-out from its first frame to its last; another may follow in the midst of it.
  ///
  /// - Precondition: it lies between `oldest` and `furthest`.
  mutating func fadeOut(over stretch: Range<FrameTime>) {
    let fade = Fade.falling(at: stretch.lowerBound, over: FrameCount(stretch.count), .sCurve)
    for position in stretch {
      let index = Int(position % FrameTime(frames.count))
      frames[index] = frames[index] * fade.gain(at: position)
    }
  }
}

internal import Signal

/// The last frames that were written, found again by their position in the stream.
struct FrameHistory {
  private var frames: [Frame]
  /// The position of the next frame.
  private(set) var end: FrameTime = 0

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
  }

  /// A stretch of what was written, under a fade-out from its first frame to its last.
  ///
  /// - Precondition: it lies between `oldest` and `end`.
  func faded(_ stretch: Range<FrameTime>) -> [Frame] {
    let fade = Fade.falling(at: stretch.lowerBound, over: FrameCount(stretch.count), .sCurve)
    return stretch.map { self[$0] * fade.gain(at: $0) }
  }

  /// The first position that is still known.
  var oldest: FrameTime { max(0, end - FrameTime(frames.count)) }

  private subscript(position: FrameTime) -> Frame { frames[Int(position % FrameTime(frames.count))] }
}

package import Signal

/// The last frames that were written, found again by their position in the stream.
package struct FrameHistory {
  private var frames: [Frame]
  /// The position of the next frame.
  package private(set) var end: FrameTime = 0

  /// - Parameter capacity: how many frames are kept, at least one.
  package init(capacity: Int) { frames = Array(repeating: .silence, count: max(1, capacity)) }

  package mutating func append(_ block: some Collection<Frame>) {
    for frame in block {
      frames[Int(end % FrameTime(frames.count))] = frame
      end += 1
    }
  }

  /// The frames from `start` on under a fade-out of `ramp` frames that begins there, then silence up to `end`.
  ///
  /// - Precondition: `start` is not before the oldest frame that is kept.
  package func faded(from start: FrameTime, over ramp: FrameCount) -> [Frame] {
    let fade = Fade.falling(at: start, over: ramp, .sCurve)
    return (start..<max(start, end)).map { position in
      position < fade.end ? self[position] * fade.gain(at: position) : .silence
    }
  }

  package var oldest: FrameTime { max(0, end - FrameTime(frames.count)) }

  private subscript(position: FrameTime) -> Frame { frames[Int(position % FrameTime(frames.count))] }
}

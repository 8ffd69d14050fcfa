import Signal

extension Fade {
  /// A fade that has started by `frame`, with its remainder shortened to `length` frames. The gain at `frame` stays the
  /// same. A fade that ends sooner is unchanged.
  func shortened(at frame: FrameTime, over length: FrameCount) -> Fade {
    guard length < end - frame else { return self }
    let elapsed = Self.scaled(frame - start, by: length, over: end - frame)
    return Fade(from: from, to: to, start: frame - elapsed, length: elapsed + length, curve: curve)
  }

  /// The fade in reverse, from its gain at `frame`. It takes `length` frames, or as many as have passed if those are
  /// fewer.
  func reversed(at frame: FrameTime, over length: FrameCount) -> Fade {
    let elapsed = min(max(0, frame - start), self.length)
    let back = min(length, elapsed)
    // In reverse, the elapsed part is the remaining part.
    let done = elapsed == 0 ? 0 : Self.scaled(self.length - elapsed, by: back, over: elapsed)
    return Fade(from: to, to: from, start: frame - done, length: done + back, curve: curve)
  }

  /// `count · factor / divisor`, rounded to the nearest frame.
  private static func scaled(_ count: FrameCount, by factor: FrameCount, over divisor: FrameCount) -> FrameCount {
    FrameCount((Double(count) * Double(factor) / Double(divisor)).rounded())
  }
}

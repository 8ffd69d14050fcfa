import Signal

extension Fade {
  /// The fade with its remainder at `frame` shortened to `length` frames, at the same gain there. It is unchanged if it
  /// ends sooner anyway.
  func hurried(at frame: FrameTime, over length: FrameCount) -> Fade {
    if frame <= start { return moved(to: frame, over: length) }
    guard length < end - frame else { return self }
    let journal = Self.scaled(frame - start, by: length, over: end - frame)
    return Fade(from: from, to: to, start: frame - journal, length: journal + length, curve: curve)
  }

  /// The fade in reverse from its gain at `frame`. It takes `length` frames, or as many as have passed if those are
  /// fewer.
  func undone(at frame: FrameTime, over length: FrameCount) -> Fade {
    let journal = min(max(0, frame - start), self.length)
    let back = min(length, journal)
    // In reverse, the elapsed part is the remaining part.
    let done = journal == 0 ? 0 : Self.scaled(self.length - journal, by: back, over: journal)
    return Fade(from: to, to: from, start: frame - done, length: done + back, curve: curve)
  }

  /// A fade that has not started starts at `frame` and takes at most `length` frames.
  private func moved(to frame: FrameTime, over length: FrameCount) -> Fade {
    Fade(from: from, to: to, start: frame, length: min(length, self.length), curve: curve)
  }

  /// `count · factor / divisor`, rounded to the nearest frame.
  private static func scaled(_ count: FrameCount, by factor: FrameCount, over divisor: FrameCount) -> FrameCount {
    FrameCount((Double(count) * Double(factor) / Double(divisor)).rounded())
  }
}

import Signal

extension Fade {
  /// The same fade, with what is left of it at `frame` over in `length` frames; unchanged where it is over before that.
  func hurried(at frame: FrameTime, over length: FrameCount) -> Fade {
    if frame <= start { return moved(to: frame, over: length) }
    guard length < end - frame else { return self }
    let past = Self.scaled(frame - start, by: length, over: end - frame)
    return Fade(from: from, to: to, start: frame - past, length: past + length, curve: curve)
  }

  /// The way back from where it is at `frame`: over after `length` frames, or after as many as it has taken so far.
  func undone(at frame: FrameTime, over length: FrameCount) -> Fade {
    let past = min(max(0, frame - start), self.length)
    let back = min(length, past)
    // Backwards, what has passed is what is left.
    let done = past == 0 ? 0 : Self.scaled(self.length - past, by: back, over: past)
    return Fade(from: to, to: from, start: frame - done, length: done + back, curve: curve)
  }

  /// A fade that has not begun begins now, and takes no longer than it is given.
  private func moved(to frame: FrameTime, over length: FrameCount) -> Fade {
    Fade(from: from, to: to, start: frame, length: min(length, self.length), curve: curve)
  }

  /// `count · factor / divisor`, to the nearest frame.
  private static func scaled(_ count: FrameCount, by factor: FrameCount, over divisor: FrameCount) -> FrameCount {
    FrameCount((Double(count) * Double(factor) / Double(divisor)).rounded())
  }
}

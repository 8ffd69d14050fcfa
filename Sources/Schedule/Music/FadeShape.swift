package import Signal

/// The length, in frames, and the curve of a fade or crossfade.
package struct FadeShape: Sendable, Hashable, Codable {
  package var length: FrameCount
  package var curve: FadeCurve

  package init(length: FrameCount, curve: FadeCurve) {
    self.length = length
    self.curve = curve
  }

  /// No fade.
  package static let none = FadeShape(length: 0, curve: .equalPower)
}

/// How the music of a stage ends.
package struct MusicEnding: Sendable, Hashable {
  package enum Kind: Sendable {
    /// The music fades out while the next stage fades in. If the music ends before the fade does, the fade is
    /// shortened.
    case crossfade
    /// The music fades out at the end of the session.
    case fadeOut
    /// The music stops. Only a track that would continue fades out, to prevent a click.
    case cut
  }

  package var kind: Kind
  /// The fade-out as a function of the session frame.
  package var fade: Fade

  package init(_ kind: Kind, _ fade: Fade) {
    self.kind = kind
    self.fade = fade
  }

  /// The first frame at which the stage's music is silent.
  package var end: FrameTime { fade.end }
}

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

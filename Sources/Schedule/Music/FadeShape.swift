package import Signal

/// The length, in frames, and the curve of a fade or crossfade.
package struct FadeShape: Sendable, Hashable {
  package var length: FrameCount
  package var curve: FadeCurve

  package init(length: FrameCount, curve: FadeCurve) {
    self.length = length
    self.curve = curve
  }

  /// No fade.
  package static let none = FadeShape(length: 0, curve: .equalPower)
}

/// How the music of a stage ends. All times are session frames.
package enum MusicEnding: Sendable, Hashable {
  /// The music fades out from `at` on while the next stage fades in. If the music ends before the fade does, the fade
  /// is shortened.
  case crossfade(at: FrameTime, FadeShape)
  /// The music fades out and is silent at `end`.
  case fadeOut(end: FrameTime, FadeShape)
  /// The music stops at `at`. A track that would continue fades out over the `ramp` frames before `at`, to prevent a
  /// click.
  case cut(at: FrameTime, ramp: FrameCount)

  /// The first frame at which the stage's music is silent.
  package var end: FrameTime {
    switch self {
    case .crossfade(let at, let shape): at + shape.length
    case .fadeOut(let end, _): end
    case .cut(let at, _): at
    }
  }

  func shifted(by frames: FrameCount) -> MusicEnding {
    switch self {
    case .crossfade(let at, let shape): .crossfade(at: at + frames, shape)
    case .fadeOut(let end, let shape): .fadeOut(end: end + frames, shape)
    case .cut(let at, let ramp): .cut(at: at + frames, ramp: ramp)
    }
  }

  /// The fade-out as a function of the session frame.
  var fade: Fade {
    switch self {
    case .crossfade(let at, let shape): .falling(at: at, over: shape.length, shape.curve)
    case .fadeOut(let end, let shape): .falling(at: end - shape.length, over: shape.length, shape.curve)
    case .cut(let at, let ramp): .falling(at: at - ramp, over: ramp, .linear)
    }
  }
}

public import Signal

/// The length and shape of a crossfade or fade.
public struct FadeShape: Sendable, Hashable {
  public var length: FrameCount
  public var curve: FadeCurve

  public init(length: FrameCount, curve: FadeCurve) {
    self.length = length
    self.curve = curve
  }

  public static let none = FadeShape(length: 0, curve: .equalPower)
}

/// How the music of a stage ends.
public enum Departure: Sendable, Hashable {
  /// From `at` on it fades out while the next stage fades in; music that is used up before, fades over what it has left.
  case crossfade(at: FrameTime, FadeShape)
  /// It fades so that it is silent at `end`.
  case fadeOut(end: FrameTime, FadeShape)
  /// It stops at `at`; what would go on is led out by the 20 ms before, so that it doesn't click.
  case cut(at: FrameTime, ramp: FrameCount)

  /// Nothing of the stage sounds from here on.
  public var end: FrameTime {
    switch self {
    case .crossfade(let at, let shape): at + shape.length
    case .fadeOut(let end, _): end
    case .cut(let at, _): at
    }
  }

  func shifted(by frames: FrameCount) -> Departure {
    switch self {
    case .crossfade(let at, let shape): .crossfade(at: at + frames, shape)
    case .fadeOut(let end, let shape): .fadeOut(end: end + frames, shape)
    case .cut(let at, let ramp): .cut(at: at + frames, ramp: ramp)
    }
  }

  var fade: Fade {
    switch self {
    case .crossfade(let at, let shape): .falling(at: at, over: shape.length, shape.curve)
    case .fadeOut(let end, let shape): .falling(at: end - shape.length, over: shape.length, shape.curve)
    case .cut(let at, let ramp): .falling(at: at - ramp, over: ramp, .linear)
    }
  }
}

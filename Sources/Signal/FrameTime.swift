/// A position on a timeline, in frames at the session's rate from the timeline's beginning.
public typealias FrameTime = Int64

/// A length in frames at the session's rate.
public typealias FrameCount = Int64

extension FrameCount {
  /// The length of a sound that never ends by itself.
  @inlinable public static var endless: FrameCount { @_noLocks get { .max } }
}

/// Frames per second. All conversions between seconds and frames are made here.
public struct SampleRate: Hashable, Sendable {
  /// The supported rates, in hertz.
  public static let range = 8_000...192_000

  /// Frames per second.
  public let hertz: Int

  /// Returns nil if `hertz` is outside `range`.
  public init?(hertz: Int) {
    guard Self.range.contains(hertz) else { return nil }
    self.hertz = hertz
  }

  private init(trusted hertz: Int) { self.hertz = hertz }

  /// 44,100 Hz.
  public static let cd = SampleRate(trusted: 44_100)
  /// 48,000 Hz.
  public static let studio = SampleRate(trusted: 48_000)

  /// The frame nearest to a time in seconds. A time beyond ±9e18 frames gives `.endless` or 0 instead of a trap; NaN
  /// gives 0.
  public func frames(_ seconds: Double) -> FrameCount {
    let frames = (seconds * Double(hertz)).rounded()
    guard frames.isFinite, abs(frames) < 9e18 else { return frames > 0 ? .endless : 0 }
    return FrameCount(frames)
  }

  /// The length of `frames` in seconds.
  public func seconds(_ frames: FrameCount) -> Double { Double(frames) / Double(hertz) }
}

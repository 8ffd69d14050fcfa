/// A position on a timeline, in frames at the session's rate, counted from its beginning.
public typealias FrameTime = Int64

/// A length in frames at the session's rate.
public typealias FrameCount = Int64

extension FrameCount {
  /// The length of a sound that never ends by itself.
  @inlinable public static var endless: FrameCount { @_noLocks get { .max } }
}

/// Frames per second: the one place where seconds become frames and frames seconds.
public struct SampleRate: Hashable, Sendable {
  public static let range = 8_000...192_000

  public let hertz: Int

  /// Nil outside 8,000…192,000 Hz.
  public init?(hertz: Int) {
    guard Self.range.contains(hertz) else { return nil }
    self.hertz = hertz
  }

  private init(trusted hertz: Int) { self.hertz = hertz }

  public static let cd = SampleRate(trusted: 44_100)
  public static let studio = SampleRate(trusted: 48_000)

  /// The nearest frame to a time in seconds; times beyond any session are bounded, never trapped on.
  public func frames(_ seconds: Double) -> FrameCount {
    let frames = (seconds * Double(hertz)).rounded()
    guard frames.isFinite, abs(frames) < 9e18 else { return frames > 0 ? .endless : 0 }
    return FrameCount(frames)
  }

  /// Seconds of a number of frames.
  public func seconds(_ frames: FrameCount) -> Double { Double(frames) / Double(hertz) }
}

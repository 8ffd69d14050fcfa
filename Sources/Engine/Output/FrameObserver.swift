package import Signal

/// Receives the frames of a render. It is called on the thread that renders, which it may delay; the samples don't depend
/// on it.
package protocol FrameObserver: AnyObject, Sendable {
  /// Frames on their way to the output, limited, and final.
  ///
  /// - Parameter frame: the session frame of the first one; nil for silence that is no part of the session.
  func heard(_ frames: UnsafeBufferPointer<Frame>, at frame: FrameTime?)

  /// What a bus adds to the mix: with its volume and the ducking, before the master volume and the limiter.
  ///
  /// - Parameter frame: the session frame of the first one.
  func mixed(_ frames: UnsafeBufferPointer<Frame>, of bus: Bus, at frame: FrameTime)
}

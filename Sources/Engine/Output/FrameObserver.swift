package import Signal

/// Receives the frames of a session on their way to the output, on the thread that renders; the samples don't depend on
/// it. In a render it may delay that thread. For a listener it must not wait, allocate or lock.
package protocol FrameObserver: AnyObject {
  /// Whether it needs the frames of the buses, which costs time.
  var observesBuses: Bool { get }

  /// Frames on their way to the output, limited. In a render they are final.
  ///
  /// - Parameter frame: the session frame of the first one; nil for silence that is no part of the session.
  func heard(_ frames: UnsafeBufferPointer<Frame>, at frame: FrameTime?)

  /// What a bus adds to the mix: with its volume and the ducking, before the master volume and the limiter.
  ///
  /// - Parameter frame: the session frame of the first one.
  func mixed(_ frames: UnsafeBufferPointer<Frame>, of bus: Bus, at frame: FrameTime)

  /// A command of a listener has changed what follows: frames from `frame` on come again, and replace the earlier ones.
  func rewound(to frame: FrameTime)
}

/// Creates the observer of a render, on any thread; nil for none.
package typealias ObserverFactory = @Sendable () -> (any FrameObserver)?

/// Passes frames to several observers.
package final class FrameObservers: FrameObserver {
  private let observers: [any FrameObserver]
  package let observesBuses: Bool

  package init(_ observers: [any FrameObserver]) {
    self.observers = observers
    observesBuses = observers.contains(where: \.observesBuses)
  }

  package func heard(_ frames: UnsafeBufferPointer<Frame>, at frame: FrameTime?) {
    for observer in observers { observer.heard(frames, at: frame) }
  }

  package func mixed(_ frames: UnsafeBufferPointer<Frame>, of bus: Bus, at frame: FrameTime) {
    for observer in observers { observer.mixed(frames, of: bus, at: frame) }
  }

  package func rewound(to frame: FrameTime) { for observer in observers { observer.rewound(to: frame) } }
}

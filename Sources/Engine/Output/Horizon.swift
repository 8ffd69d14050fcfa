package import Signal
import Synchronization

/// What the render loop and control tell each other without waiting, but for the two wake-up calls.
package final class Horizon: Sendable {
  private let planned: Atomic<FrameTime>
  private let mixed: Atomic<FrameTime>
  private let rendered: Atomic<FrameTime>
  private let last = Atomic<FrameTime>(.endless)
  private let isStopped = Atomic<Bool>(false)
  private let planning = WakeUp()
  /// Called whenever control may have something to do.
  package let progress = WakeUp()

  init(from start: FrameTime) {
    planned = Atomic(start)
    mixed = Atomic(start)
    rendered = Atomic(start)
  }

  /// Control: everything that begins before `frame` has been commanded.
  package func advance(to frame: FrameTime) {
    planned.store(frame, ordering: .releasing)
    planning.call()
  }

  /// Control: the render ends at `frame`.
  package func end(at frame: FrameTime) { last.store(frame, ordering: .releasing) }

  /// Anyone: the loop ends after the piece that it renders, whatever is planned.
  package func stop() {
    isStopped.store(true, ordering: .releasing)
    planning.call()
  }

  /// The session frame that the mixer has come to: ahead of `renderedFrame` by a block and the limiter's delay.
  package var mixedFrame: FrameTime { mixed.load(ordering: .acquiring) }

  /// The session frame up to which sound has been handed to the sink.
  package var renderedFrame: FrameTime { rendered.load(ordering: .acquiring) }
  package var endFrame: FrameTime { last.load(ordering: .acquiring) }
  package var hasStopped: Bool { isStopped.load(ordering: .acquiring) }

  func handedOver(to frame: FrameTime) { rendered.store(frame, ordering: .releasing) }

  /// The loop: waits until control has planned up to `frame`, or the seconds have passed.
  func wait(seconds: Double, toPlan frame: FrameTime) {
    mixed.store(frame, ordering: .releasing)
    while planned.load(ordering: .acquiring) < frame, !hasStopped {
      progress.call()
      if !planning.wait(seconds: seconds) { return }
    }
  }
}

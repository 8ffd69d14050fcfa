package import Signal
import Synchronization

/// What the render loop and control tell each other, without waiting but for the wake-up calls.
package final class Horizon: Sendable {
  private let planned: Atomic<FrameTime>
  private let mixed: Atomic<FrameTime>
  private let rendered: Atomic<FrameTime>
  private let waiting = Atomic<FrameTime>(.min)
  private let last = Atomic<FrameTime>(.endless)
  private let parked = Atomic<FrameTime>(.endless)
  private let isStopped = Atomic<Bool>(false)
  private let isOver = Atomic<Bool>(false)
  private let isHaltWanted = Atomic<Bool>(false)
  private let haltedAt: Atomic<FrameTime>
  private let times: Mutex<TimeMap>
  private let planning = WakeUp()
  private let halted = WakeUp()
  /// Called whenever control may have something to do.
  package let progress = WakeUp()

  init(from start: FrameTime) {
    planned = Atomic(start)
    mixed = Atomic(start)
    rendered = Atomic(start)
    haltedAt = Atomic(start)
    times = Mutex(TimeMap(from: start))
  }

  /// The session frame that the mixer has come to, or is about to: ahead of `renderedFrame` by a block and the
  /// limiter's delay.
  package var mixedFrame: FrameTime { mixed.load(ordering: .acquiring) }

  /// The session frame up to which sound has been handed to the sink.
  package var renderedFrame: FrameTime { rendered.load(ordering: .acquiring) }
  /// The session frame at which the loop waits for control: all before it is mixed and reported. `.min` while it renders.
  package var waitingFrame: FrameTime { waiting.load(ordering: .acquiring) }
  package var endFrame: FrameTime { last.load(ordering: .acquiring) }
  package var hasStopped: Bool { isStopped.load(ordering: .acquiring) }

  /// The session frame that is one of the output's frames.
  package func session(at output: FrameCount) -> FrameTime { times.withLock { $0.session(at: output) } }
}

/// What control says.
extension Horizon {
  /// Everything that begins before `frame` has been commanded.
  package func advance(to frame: FrameTime) {
    // A call without news would be answered by one, and that by another.
    if planned.exchange(frame, ordering: .acquiringAndReleasing) != frame { planning.call() }
  }

  /// The render ends at `frame`.
  package func end(at frame: FrameTime) { last.store(frame, ordering: .releasing) }

  /// A live output is silent from `frame` on, where the session stands still; `.endless` for not at all.
  package func park(at frame: FrameTime) { parked.store(frame, ordering: .releasing) }

  /// The loop ends after the piece that it renders, whatever is planned.
  func stop() {
    isStopped.store(true, ordering: .releasing)
    planning.call()
    halted.call()
  }

  /// Has the loop take back what nobody has heard, and stand still until `advance`.
  ///
  /// - Parameter poke: called when the loop is to look up from what it waits for.
  /// - Returns: the session frame from which everything is to be commanded anew; nil when the loop has ended.
  package func halt(poke: () -> Void) -> FrameTime? {
    isHaltWanted.store(true, ordering: .releasing)
    planning.call()
    poke()
    while isHaltWanted.load(ordering: .acquiring) {
      if hasStopped || isOver.load(ordering: .acquiring) { return nil }
      halted.wait(seconds: 0.01)
    }
    return haltedAt.load(ordering: .acquiring)
  }
}

/// What the loop says.
extension Horizon {
  var isHaltRequested: Bool { isHaltWanted.load(ordering: .acquiring) }
  var parkFrame: FrameTime { parked.load(ordering: .acquiring) }

  func handedOver(to frame: FrameTime) { rendered.store(frame, ordering: .releasing) }

  /// The session stands still from an output frame on.
  func stands(at frame: FrameTime, from output: FrameCount) { times.withLock { $0.stand(at: frame, from: output) } }

  /// How many of the next `count` frames may be rendered now; 0 when the loop is to stop or to halt first. Waits for
  /// control to plan, but no longer than `seconds`.
  func wait(seconds: Double, at position: FrameTime, wanting count: Int) -> Int {
    while true {
      if hasStopped || isHaltRequested { return 0 }
      let ahead = planned.load(ordering: .acquiring) - position
      if 0 < ahead { return grant(Int(min(FrameCount(count), ahead)), at: position) }
      mixed.store(position, ordering: .releasing)
      waiting.store(position, ordering: .releasing)
      progress.call()
      if !planning.wait(seconds: seconds) { return grant(count, at: position) }
    }
  }

  private func grant(_ count: Int, at position: FrameTime) -> Int {
    waiting.store(.min, ordering: .releasing)
    mixed.store(position + FrameCount(count), ordering: .releasing)
    return count
  }

  /// The loop stands at `frame` until control has advanced beyond it.
  func stand(at frame: FrameTime) {
    mixed.store(frame, ordering: .releasing)
    planned.store(frame, ordering: .releasing)
    haltedAt.store(frame, ordering: .releasing)
    waiting.store(frame, ordering: .releasing)
    isHaltWanted.store(false, ordering: .releasing)
    halted.call()
    while planned.load(ordering: .acquiring) <= frame, !isInterrupted { planning.wait() }
  }

  /// Waits for a request to halt or to stop, but no longer than `seconds`.
  func rest(seconds: Double) {
    if isInterrupted { return }
    planning.wait(seconds: seconds)
  }

  /// The session goes on from `frame` at an output frame.
  func goes(on frame: FrameTime, at output: FrameCount) { times.withLock { $0.go(on: frame, at: output) } }

  /// Whether the loop has something better to do than to wait for a feed.
  var isInterrupted: Bool { hasStopped || isHaltRequested }

  /// The loop has ended: nothing can be taken back any more.
  func close() {
    isOver.store(true, ordering: .releasing)
    halted.call()
  }
}

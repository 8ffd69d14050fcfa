package import Signal
import Synchronization

/// The state that the render loop and the control thread share. Apart from the wake-ups, neither blocks the other.
package final class RenderSync: Sendable {
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
  /// Wakes the control thread when it may have something to do.
  package let progress = WakeUp()

  init(from start: FrameTime) {
    planned = Atomic(start)
    mixed = Atomic(start)
    rendered = Atomic(start)
    haltedAt = Atomic(start)
    times = Mutex(TimeMap(from: start))
  }

  /// The session frame that the mixer has reached, or is about to reach: ahead of `renderedFrame` by a block and the
  /// limiter's delay.
  package var mixedFrame: FrameTime { mixed.load(ordering: .acquiring) }

  /// The session frame up to which sound has been written to the sink.
  package var renderedFrame: FrameTime { rendered.load(ordering: .acquiring) }
  /// The session frame at which the loop waits for control: everything before it has been mixed and reported. `.min`
  /// while the loop renders.
  package var waitingFrame: FrameTime { waiting.load(ordering: .acquiring) }
  package var endFrame: FrameTime { last.load(ordering: .acquiring) }
  package var hasStopped: Bool { isStopped.load(ordering: .acquiring) }

  /// The session frame that belongs to a frame of the output.
  package func session(at output: FrameCount) -> FrameTime { times.withLock { $0.session(at: output) } }
}

/// Called on the control thread.
extension RenderSync {
  /// Commands have been sent for everything that begins before `frame`.
  package func advance(to frame: FrameTime) {
    // Without this check, control and loop would wake each other forever.
    if planned.exchange(frame, ordering: .acquiringAndReleasing) != frame { planning.call() }
  }

  /// The render ends at `frame`.
  package func end(at frame: FrameTime) { last.store(frame, ordering: .releasing) }

  /// A live output is silent from `frame` on, while the session stays at that frame; `.endless` to cancel this.
  package func park(at frame: FrameTime) { parked.store(frame, ordering: .releasing) }

  /// Ends the loop after the piece that it renders, regardless of the plan.
  func stop() {
    isStopped.store(true, ordering: .releasing)
    planning.call()
    halted.call()
  }

  /// Makes the loop rewind what nobody has heard, and pause until `advance`.
  ///
  /// - Parameter poke: interrupts what the loop waits for.
  /// - Returns: the session frame from which all commands must be sent again; nil if the loop has ended.
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

/// Called on the render loop's thread.
extension RenderSync {
  var isHaltRequested: Bool { isHaltWanted.load(ordering: .acquiring) }
  var parkFrame: FrameTime { parked.load(ordering: .acquiring) }

  func handedOver(to frame: FrameTime) { rendered.store(frame, ordering: .releasing) }

  /// The session is paused at `frame` from an output frame on.
  func stands(at frame: FrameTime, from output: FrameCount) { times.withLock { $0.stand(at: frame, from: output) } }

  /// How many of the next `count` frames may be rendered now; 0 if the loop must stop or halt first. Waits for control
  /// to plan, for at most `seconds`.
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

  /// Pauses the loop at `frame` until control has advanced beyond it.
  func stand(at frame: FrameTime) {
    mixed.store(frame, ordering: .releasing)
    planned.store(frame, ordering: .releasing)
    haltedAt.store(frame, ordering: .releasing)
    waiting.store(frame, ordering: .releasing)
    isHaltWanted.store(false, ordering: .releasing)
    halted.call()
    while planned.load(ordering: .acquiring) <= frame, !isInterrupted { planning.wait() }
  }

  /// Waits for a request to halt or to stop, for at most `seconds`.
  func rest(seconds: Double) {
    if isInterrupted { return }
    planning.wait(seconds: seconds)
  }

  /// The session continues from `frame` at an output frame.
  func goes(on frame: FrameTime, at output: FrameCount) { times.withLock { $0.go(on: frame, at: output) } }

  /// Whether the loop must not wait for a feed.
  var isInterrupted: Bool { hasStopped || isHaltRequested }

  /// The loop has ended: nothing can be rewound any more.
  func close() {
    isOver.store(true, ordering: .releasing)
    halted.call()
  }
}

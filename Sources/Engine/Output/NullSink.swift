package import Signal
internal import Synchronization

/// Takes the sound and makes none: at a listener's pace, or as fast as it comes.
package final class NullSink: Sink {
  private struct State {
    var clock: ListenerClock?
    var isRetracted = false
  }

  package let pace: Pace
  private let state = Mutex(State())
  /// A retraction or an interruption.
  private let looks = WakeUp()

  package init(pace: Pace) { self.pace = pace }

  package func start(at rate: SampleRate) throws(SinkError) {
    state.withLock { $0.clock = ListenerClock(rate: rate, ahead: 0.5, refill: 0.25) }
  }

  package func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    let count = FrameCount(block.count)
    if pace == .listener, let due = state.withLock({ $0.clock?.due(count, at: now) }) { looks.wait(until: due) }
    state.withLock { if !$0.isRetracted { $0.clock?.wrote(count, at: now) } }
  }

  package func finish() throws(SinkError) {
    guard pace == .listener else { return }
    // Taken back, the sound ends sooner.
    while let end, now < end { looks.wait(until: end) }
  }

  package func abandon() {}

  package var heard: FrameCount {
    state.withLock { (pace == .listener ? $0.clock?.heard(at: now) : $0.clock?.written) ?? 0 }
  }

  package func retract(over ramp: FrameCount) -> Bool {
    guard pace == .listener else { return false }
    state.withLock {
      $0.isRetracted = true
      let heard = $0.clock?.heard(at: now) ?? 0
      $0.clock?.cut(at: heard + max(0, ramp))
    }
    looks.call()
    return true
  }

  package func interrupt() { looks.call() }

  package func takeBack() -> FrameCount? {
    guard pace == .listener else { return nil }
    return state.withLock {
      guard var clock = $0.clock else { return 0 }
      clock.cut(at: clock.heard(at: now) + clock.near)
      $0.clock = clock
      return clock.written
    }
  }

  private var now: SuspendingClock.Instant { SuspendingClock().now }

  /// When the last frame is heard.
  private var end: SuspendingClock.Instant? { state.withLock { $0.clock.flatMap { $0.moment(of: $0.written) } } }
}

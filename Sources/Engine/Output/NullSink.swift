package import Signal
internal import Synchronization

/// An output without sound: discards the frames, in real time or as fast as they are rendered.
package final class NullSink: Sink {
  private struct State {
    var clock: ListenerClock?
    var isRetracted = false
  }

  package let pace: Pace
  private let state = Mutex(State())
  /// Wakes a waiting `write` or `finish` after a retraction or an interruption.
  private let looks = WakeUp()
  private let report: @Sendable (OutputEvent) -> Void

  /// - Parameter report: receives the events of the output; called on the writer's thread, and must not wait.
  package init(pace: Pace, report: @escaping @Sendable (OutputEvent) -> Void = { _ in }) {
    self.pace = pace
    self.report = report
  }

  package func start(at rate: SampleRate) throws(SinkError) {
    // About as much is buffered as by a sound server, so that the same delays cause underruns.
    state.withLock { $0.clock = ListenerClock(rate: rate, ahead: 2, refill: 1) }
  }

  package func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {
    let count = FrameCount(block.count)
    if pace == .listener, let due = state.withLock({ $0.clock?.due(count, at: now) }) { looks.wait(until: due) }
    // An empty block contains nothing that could be late.
    if count == 0 { return }
    let missing = state.withLock { $0.isRetracted ? 0 : $0.clock?.wrote(count, at: now) ?? 0 }
    if pace == .listener, 0 < missing { report(.starved(seconds: missing)) }
  }

  package func finish() throws(SinkError) {
    guard pace == .listener else { return }
    // After a retraction the end is sooner, so it is computed again.
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

  package func rewind() -> FrameCount? {
    guard pace == .listener else { return nil }
    return state.withLock {
      guard var clock = $0.clock else { return 0 }
      clock.cut(at: clock.heard(at: now) + clock.near)
      $0.clock = clock
      return clock.written
    }
  }

  private var now: SuspendingClock.Instant { SuspendingClock().now }

  /// When the last frame is heard; nil before the first write.
  private var end: SuspendingClock.Instant? { state.withLock { $0.clock.flatMap { $0.moment(of: $0.written) } } }
}

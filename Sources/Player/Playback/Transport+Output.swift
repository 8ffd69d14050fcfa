import Engine
import Signal

/// Events of a live output, and the reaction of the session.
extension Transport {
  /// Passes an event from the sink or from the power management to the session manager.
  mutating func take(_ event: OutputEvent) { handle(.received(event, canPause: isChangeable)) }

  /// Passes an input to the session manager and executes the actions that follow.
  mutating func handle(_ input: AudioSessionManager.Input) {
    for action in session.handle(input, at: now) {
      switch action {
      case .pause: try? halt()
      case .resume: try? restart()
      case .report(let change): emit(.output(change), at: heard)
      case .underrun(let seconds): reportUnderrun(seconds: seconds)
      case .warn(let text): emit(.warning(text), at: heard)
      }
    }
  }

  /// Seconds of the monotonic clock.
  var now: Double { Double(monotonicNanoseconds()) / 1e9 }

  private mutating func reportUnderrun(seconds: Double) {
    let frame = heard
    // An underrun during a pause interrupts only silence.
    guard !standstill.contains(clock.run(at: frame) - seconds) else { return }
    player.timeline.totals.shortfalls.underruns += 1
    emit(.underrun(nil, title: "the output", milliseconds: 1_000 * seconds), at: frame)
  }
}

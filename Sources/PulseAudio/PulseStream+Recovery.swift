internal import CPulse
internal import Engine
internal import Signal

extension PulseStream {
  /// Seconds of the fade-in with which the sound comes back.
  static let returning = 0.02

  /// Does `work`, and repeats it on a new stream if the sound was lost, until it succeeds or is no longer wanted. Under
  /// the lock.
  func healing(_ work: () throws(SinkError) -> Void) throws(SinkError) {
    while true {
      do throws(SinkError) { return try work() } catch {
        guard try heal(error) else { return }
      }
    }
  }

  /// Waits for the server; false if it was interrupted, or the sound was retracted, before the server came back.
  private func heal(_ error: SinkError) throws(SinkError) -> Bool {
    if !isLost { lose(error) }
    while !isRetracted, !isInterrupted {
      switch request.session.recovery(at: now) {
      case .giveUp(let error): throw error
      case .wait(let seconds): connection.wait(upTo: seconds) { !isRetracted && !isInterrupted }
      case .retry: if resume() { return true }
      case nil: return true
      }
    }
    return false
  }

  /// Seconds of the monotonic clock.
  var now: Double { Double(pa_rtclock_now()) / 1e6 }

  /// Whether the session waits for the server. Under the lock.
  var isLost: Bool { request.session.recovery(at: now) != nil }

  /// Records that the sound is lost from now on. Under the lock.
  func lose(_ error: SinkError) {
    handle(.failed(error), at: min(pa_rtclock_now(), callbackState.lostAt))
    _ = heard()
    position.standStill()
  }

  /// Tries to continue on a new stream, from the frame at which the listener lost the sound; returns whether it
  /// succeeded.
  private func resume() -> Bool {
    let lost = max(min(heard(), resumesAt ?? .max), history.oldest)
    do throws(SinkError) {
      try reopen(at: lost) { !isRetracted && !isInterrupted }
      try replay(from: lost)
      return true
    } catch {
      handle(.failed(error))
      return false
    }
  }

  /// Sends what the listener has not heard again. All of it had room before, so it has room now.
  private func replay(from lost: FrameTime) throws(SinkError) {
    if let start = resumesAt.take() { history.goBack(to: start) }
    history.forgetAfterEnd()
    fadeIn = .rising(at: lost, over: rate.frames(Self.returning), .sCurve)
    let unheard = history[lost..<max(lost, history.end)]
    try unheard.withUnsafeBufferPointer { (unheard) throws(SinkError) in
      if !unheard.isEmpty { try send(unheard, at: lost) }
    }
  }
}

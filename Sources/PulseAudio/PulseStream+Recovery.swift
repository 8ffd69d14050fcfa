internal import CPulse
internal import Engine
internal import Signal

/// Recovery after the server, its device or the stream was lost.
extension PulseStream {
  /// Calls `work`. If it fails because the stream was lost, waits for a new stream and calls it again, until it
  /// succeeds or the wait is cancelled. Under the lock.
  func recovering(_ work: () throws(SinkError) -> Void) throws(SinkError) {
    while true {
      do throws(SinkError) { return try work() } catch {
        guard try recover(error) else { return }
      }
    }
  }

  /// Waits until the sound continues on a new stream.
  ///
  /// - Returns: false if the wait was interrupted, or the sound was retracted.
  /// - Throws: why the sound was lost, if the session has given up.
  private func recover(_ error: SinkError) throws(SinkError) -> Bool {
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

  /// Records that the stream is lost. The position heard stops at the time of the loss. Under the lock.
  func lose(_ error: SinkError) {
    handle(.failed(error), at: min(pa_rtclock_now(), callbackState.lostAt))
    _ = heard()
    position.stop()
  }

  /// Tries once to continue on a new stream, from the first frame that was not heard.
  ///
  /// - Returns: whether it succeeded.
  private func resume() -> Bool {
    let lost = replay.restart(heard: heard())
    isReplaying = true
    defer { isReplaying = false }
    do throws(SinkError) {
      try reopen(at: lost) { !isRetracted && !isInterrupted }
      if isRetracted { return false }
      try resend(from: lost)
      return true
    } catch {
      // An interrupted attempt says nothing about the server.
      if !isInterrupted, !isRetracted { handle(.failed(error)) }
      return false
    }
  }

  /// Sends the frames that were not heard to the new stream. There is room for all of them, because there was on the
  /// old stream.
  private func resend(from lost: FrameTime) throws(SinkError) {
    try replay.unheard(from: lost).withUnsafeBufferPointer { (unheard) throws(SinkError) in
      if !unheard.isEmpty { try send(unheard, at: lost) }
    }
  }
}

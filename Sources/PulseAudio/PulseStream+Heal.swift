internal import CPulse
internal import Engine
internal import Signal

extension PulseStream {
  /// Seconds of the fade under which the sound comes back.
  static let returning = 0.02

  /// Does `work`, and again on a new stream when the sound was lost meanwhile, until it is done or nobody waits for it any
  /// more. Under the lock.
  func healing(_ work: () throws(SinkError) -> Void) throws(SinkError) {
    while true {
      do throws(SinkError) { return try work() } catch {
        guard try heal(error) else { return }
      }
    }
  }

  /// Waits for the server; false when it was interrupted, or the sound taken back, before it came.
  private func heal(_ error: SinkError) throws(SinkError) -> Bool {
    begin(error)
    while !isRetracted, !isInterrupted, let current = outage {
      let deadline = current.since + request.giveUpAfter
      guard now < deadline else { throw current.error }
      connection.wait(upTo: min(current.nextTry, deadline) - now) { !isRetracted && !isInterrupted }
      if current.nextTry <= now, goOn() { return true }
    }
    return false
  }

  private var now: Double { Double(pa_rtclock_now()) / 1e6 }

  /// Notes that there is no sound from now on, and tells. Under the lock.
  func begin(_ error: SinkError) {
    if outage != nil { return }
    // One that does not answer is not asked again.
    if isGood { connection.hangUp() }
    let since = Double(min(pa_rtclock_now(), notes.pointee.lostAt)) / 1e6
    _ = heard()
    position.standStill()
    outage = Outage(since: since, error: error)
    guard request.giveUpAfter > 0 else { return }
    var cause = error.description
    if case .lost(let plain) = error { cause = plain }
    request.told(.lost(cause: cause))
  }

  /// Whether there is sound again.
  private func goOn() -> Bool {
    let lost = max(min(heard(), resumesAt ?? .max), history.oldest)
    do throws(SinkError) {
      try reopen(at: lost) { !isRetracted && !isInterrupted }
      try replay(from: lost)
    } catch {
      outage?.failed(now: now)
      return false
    }
    if let since = outage?.since { request.told(.restored(seconds: now - since)) }
    outage = nil
    return true
  }

  /// Sends once more what the listener has not heard. All of it had room before, so it has room now.
  private func replay(from lost: FrameTime) throws(SinkError) {
    if let start = resumesAt.take() { history.goBack(to: start) }
    history.forgetBehind()
    fadeIn = .rising(at: lost, over: rate.frames(Self.returning), .sCurve)
    let unheard = history[lost..<max(lost, history.end)]
    try unheard.withUnsafeBufferPointer { (unheard) throws(SinkError) in
      if !unheard.isEmpty { try send(unheard, at: lost) }
    }
  }
}

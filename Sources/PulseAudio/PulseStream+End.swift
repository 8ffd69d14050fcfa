internal import CPulse
internal import Engine
internal import Signal

extension PulseStream {
  /// Seconds beyond the sound itself that a drain may take.
  private static let grace = 1.0
  private static let graceAfterRetraction = 0.4
  /// With fewer seconds left than this, `drain` waits for the last frame without a drain of the server.
  private static let nearlyOver = 0.02

  /// Replaces the unheard sound by its own fade-out and silence, and lets a waiting `write` return. A second call
  /// shortens the rest of the fade-out.
  func retract(over ramp: FrameCount) {
    connection.locked {
      // A drain may be waiting for everything that was written.
      defer { connection.wakeAll() }
      let isAgain = isRetracted
      isRetracted = true
      isEnding = true
      connection.wakeAll()
      guard isGood, history.end > 0 else {
        retractedAt = retractedAt ?? history.end
        return
      }
      guard let start = replaceableFrom(after: Self.transit) else {
        isGivenUp = isAgain
        return flush()
      }
      replace(from: max(start, history.oldest), over: ramp)
    }
  }

  private func replace(from start: FrameTime, over ramp: FrameCount) {
    let end = min(start + max(0, ramp), retractedAt ?? history.end)
    retractedAt = end
    guard start < end else { return }
    history.fadeOut(over: start..<end)
    // Sent at once, because the server continues to read. An error means that the stream has ended; the drain reports
    // it.
    history[start..<end].withUnsafeBufferPointer { try? send($0, at: start) }
    silence(from: end)
  }

  /// Replaces everything after `end` by silence: a drain would still play it. The stream ends at the position that was
  /// written last, so that is set to `end`.
  func silence(from end: FrameTime) {
    guard end < sentEnd else { return }
    let silence = Array(repeating: Frame.silence, count: Int(sentEnd - end))
    silence.withUnsafeBufferPointer {
      try? send($0, at: end)
      try? send(UnsafeBufferPointer(rebasing: $0[..<1]), at: end)
    }
  }

  private func flush() {
    retractedAt = heard()
    if let operation = pa_stream_flush(stream, nil, nil) { pa_operation_unref(operation) }
  }

  /// Waits until the last frame has been heard, but at most a second longer than the rest of the sound. If the server
  /// still answers then, it has stopped playing, or plays too slowly: the unheard sound is dropped.
  func drain() throws(SinkError) {
    try connection.locked { () throws(SinkError) in
      isInterrupted = false
      isEnding = true
      try healing { () throws(SinkError) in
        if wasHeardToItsEnd() { return }
        try sendTheRest()
        if isDrained() { return position.finish(at: retractedAt ?? history.end) }
        if isRetracted { return }
        guard isGood else { throw loss }
        if ask() == nil { throw .lost(cause: "no answer") }
      }
    }
  }

  /// Waits for the last frame if silence was sent after it: a drain would last until the device's next refill.
  private func wasHeardToItsEnd() -> Bool {
    guard isGood, !isRetracted, staged.isEmpty, resumesAt == nil, history.end < sentEnd else { return false }
    let rest = rate.seconds(history.end - heard())
    guard rest <= Self.nearlyOver else { return false }
    connection.wait(upTo: rest + 0.001) { isGood && !isRetracted }
    return isGood && !isRetracted && history.end <= heard()
  }

  private func sendTheRest() throws(SinkError) {
    guard isGood || isRetracted else { throw loss }
    try sendStaged { true }
    if isRetracted { return }
    if let end = resumesAt.take() { history.goBack(to: end) }
    silence(from: history.end)
  }

  private func isDrained() -> Bool {
    let wake: pa_stream_success_cb_t = { _, _, changed in Broadcast.at(changed)?.call() }
    guard isGood, let operation = pa_stream_drain(stream, wake, connection.changed.pointer) else { return false }
    defer { pa_operation_unref(operation) }
    // A retraction during the drain shortens the rest, and so the time limit.
    var end: FrameTime?
    repeat {
      end = retractedAt
      hold(operation) { retractedAt == end && !isGivenUp }
    } while retractedAt != end
    if pa_operation_get_state(operation) == PA_OPERATION_DONE { return true }
    pa_operation_cancel(operation)
    return false
  }

  /// Waits for the rest of the sound and one more second, regardless of the progress that the server reports. Time
  /// during which the stream is corked or its device suspended does not count, unless the sound was retracted.
  private func hold(_ operation: OpaquePointer, orWhile needed: () -> Bool) {
    let isRunning = { self.isGood && pa_operation_get_state(operation) == PA_OPERATION_RUNNING }
    _ = ask()
    let rest = rate.seconds((retractedAt ?? history.end) - heard())
    var left = rest + (isRetracted ? Self.graceAfterRetraction : Self.grace)
    while 0 < left, needed(), isRunning() {
      let (isHeld, start) = (isHeldUp, now)
      connection.wait(upTo: left) { needed() && isRunning() && isHeldUp == isHeld }
      if !isHeld || isRetracted { left -= now - start }
    }
  }
}

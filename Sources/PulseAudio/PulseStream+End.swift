internal import CPulse
internal import Engine
internal import Signal

/// The end of a stream: a retraction, or a drain.
extension PulseStream {
  /// Seconds that a drain may take in addition to the sound itself.
  private static let drainMargin = 1.0
  private static let drainMarginAfterRetraction = 0.4
  /// With at most this many seconds left, `drain` waits for the last frame without requesting a drain of the server.
  private static let nearlyOver = 0.02

  /// Replaces the sound that has not been heard by its own fade-out and silence, and lets a waiting `write` return. A
  /// second call shortens the rest of the fade-out. From any thread.
  func retract(over ramp: FrameCount) {
    connection.locked {
      // A drain may be waiting for sound that is now dropped.
      defer { connection.wakeAll() }
      let isAgain = isRetracted
      isRetracted = true
      isEnding = true
      connection.wakeAll()
      guard isReady, replay.end > 0 else {
        retractedAt = retractedAt ?? replay.end
        return
      }
      guard let start = replaceableFrom(after: Self.transit) else {
        isGivenUp = isAgain
        return flush()
      }
      replace(from: max(start, replay.oldest), over: ramp)
    }
  }

  /// Sends the fade-out and silence in place of the sound from `start` on.
  private func replace(from start: FrameTime, over ramp: FrameCount) {
    let end = min(start + max(0, ramp), retractedAt ?? replay.end)
    retractedAt = end
    guard start < end else { return silence(from: end) }
    replay.fadeOut(over: start..<end)
    // This is sent at once, because the server continues to read. An error means that the stream has ended; the drain
    // reports it.
    replay[start..<end].withUnsafeBufferPointer { try? send($0, at: start) }
    silence(from: end)
  }

  /// Replaces everything after `end` by silence, because a drain would still play it. The server ends a stream at the
  /// position that was written last, so the last write is one frame at `end`.
  func silence(from end: FrameTime) {
    guard end < sentEnd else { return }
    let silence = Array(repeating: Frame.silence, count: Int(sentEnd - end))
    silence.withUnsafeBufferPointer {
      try? send($0, at: end)
      try? send(UnsafeBufferPointer(rebasing: $0[..<1]), at: end)
    }
  }

  /// Drops all sound that has not been heard, without a fade-out: the server does not answer, so the position for one
  /// is unknown.
  private func flush() {
    retractedAt = heard()
    if let operation = pa_stream_flush(stream, nil, nil) { pa_operation_unref(operation) }
  }

  /// Waits until the last frame has been heard, but at most a second longer than the rest of the sound lasts. If the
  /// server still answers then, it has stopped playing or plays too slowly, and the rest of the sound is dropped.
  func drain() throws(SinkError) {
    try connection.locked { () throws(SinkError) in
      isInterrupted = false
      isEnding = true
      try recovering { () throws(SinkError) in
        if hasBeenHeard() { return }
        try sendRemaining()
        if isDrained() { return position.finish(at: retractedAt ?? replay.end) }
        if isRetracted { return }
        guard isReady else { throw loss }
        if requestReading() == nil { throw .lost(cause: "no answer") }
      }
    }
  }

  /// Waits for the last frame if it is heard soon and silence was sent after it. In this case, a drain of the server
  /// would last until the device's next refill. A device that can't be rewound holds little, and may play its last
  /// frames later than it reports.
  ///
  /// - Returns: whether the last frame has been heard.
  private func hasBeenHeard() -> Bool {
    guard isReady, buffer.isRewindable, !isRetracted, staged.isEmpty, !replay.isRewound, replay.end < sentEnd
    else { return false }
    let rest = rate.seconds(replay.end - heard())
    guard rest <= Self.nearlyOver else { return false }
    connection.wait(upTo: rest + 0.001) { isReady && !isRetracted }
    return isReady && !isRetracted && replay.end <= heard()
  }

  /// Sends all staged frames, and ends the stream after them.
  private func sendRemaining() throws(SinkError) {
    guard isReady || isRetracted else { throw loss }
    try sendStaged { true }
    if isRetracted { return }
    replay.cut()
    silence(from: replay.end)
  }

  /// Requests a drain of the server, and waits for it within the time limit.
  private func isDrained() -> Bool {
    let wake: pa_stream_success_cb_t = { _, _, changed in Broadcast.at(changed)?.call() }
    guard isReady, let operation = pa_stream_drain(stream, wake, connection.changed.pointer) else { return false }
    defer { pa_operation_unref(operation) }
    // A retraction during the drain shortens the sound, and with it the time limit.
    var end: FrameTime?
    repeat {
      end = retractedAt
      wait(for: operation) { retractedAt == end && !isGivenUp }
    } while retractedAt != end
    if pa_operation_get_state(operation) == PA_OPERATION_DONE { return true }
    pa_operation_cancel(operation)
    return false
  }

  /// Waits for a drain while `needed` is true, for as long as the rest of the sound lasts and one more second, whatever
  /// progress the server reports. Time during which the stream is corked or its device suspended is not counted, unless
  /// the sound was retracted.
  private func wait(for operation: OpaquePointer, while needed: () -> Bool) {
    let isRunning = { self.isReady && pa_operation_get_state(operation) == PA_OPERATION_RUNNING }
    _ = requestReading()
    let rest = rate.seconds((retractedAt ?? replay.end) - heard())
    var left = rest + (isRetracted ? Self.drainMarginAfterRetraction : Self.drainMargin)
    while 0 < left, needed(), isRunning() {
      let (wasStopped, start) = (isCorkedOrSuspended, now)
      connection.wait(upTo: left) { needed() && isRunning() && isCorkedOrSuspended == wasStopped }
      if !wasStopped || isRetracted { left -= now - start }
    }
  }
}

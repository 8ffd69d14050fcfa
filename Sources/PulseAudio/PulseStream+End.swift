internal import CPulse
internal import Engine
internal import Signal

extension PulseStream {
  /// Seconds beyond the frame that the server reads next, for one that reads smoothly.
  private static let margin = 0.001
  /// Seconds that our words may take to the server, on a busy machine too.
  private static let transit = 0.005
  /// Seconds that the server has to say where it reads.
  private static let quick = 0.1
  /// Seconds beyond the sound itself that a drain may take.
  private static let grace = 1.0
  private static let graceAfterRetraction = 0.4

  /// Overwrites what is unheard by its own fade-out and silence, and lets a waiting `write` return.
  func retract(over ramp: FrameCount) {
    connection.locked {
      guard !isRetracted else { return }
      isRetracted = true
      notes.pointee.isEnding = true
      connection.wakeAll()
      guard isGood, history.end > 0 else {
        retractedAt = history.end
        return
      }
      guard let start = replaceableFrom() else { return flush() }
      replace(from: start, over: ramp)
    }
  }

  /// The first frame that the server has surely not mixed when our next words reach it; nil when it does not answer.
  ///
  /// A device that never gives anything back is served in whole periods. When the next period is nearly due, the frames
  /// that it will take are no longer ours, and the ramp begins behind them.
  private func replaceableFrom() -> FrameTime? {
    let wake: pa_stream_success_cb_t = { _, _, loop in pa_threaded_mainloop_signal(OpaquePointer(loop), 0) }
    let asked = pa_rtclock_now()
    let question = pa_stream_update_timing_info(stream, wake, connection.signal)
    guard connection.answered(question, within: Self.quick), let timing = pa_stream_get_timing_info(stream)?.pointee
    else { return nil }
    let waited = Double(pa_rtclock_now() - asked) / 1e6
    let readIndex = max(0, timing.read_index / Int64(Self.frameBytes))
    let taken = timing.playing != 0 ? Self.takenMeanwhile(timing, waited: waited) : 0
    return max(readIndex + rate.frames(Self.margin + taken), history.oldest)
  }

  /// Seconds of sound that the device may take between its answer, up to `waited` seconds ago, and our words' arrival.
  private static func takenMeanwhile(_ timing: pa_timing_info, waited: Double) -> Double {
    let period = Double(timing.configured_sink_usec) / 1e6
    guard period > 0, Double(timing.sink_usec) / 1e6 < waited + transit else { return 0 }
    return period * (1 + (waited / period).rounded(.down))
  }

  private func replace(from start: FrameTime, over ramp: FrameCount) {
    let end = min(start + max(0, ramp), history.end)
    retractedAt = end
    guard start < end else { return }
    // At once, for the server reads on. A failure is the server's end, which the drain tells.
    history.faded(start..<end).withUnsafeBufferPointer { try? send($0, at: start) }
    guard end < history.end else { return }
    // What lies behind would be mixed with the last of the ramp. The stream ends where it was last written to.
    let silence = Array(repeating: Frame.silence, count: Int(history.end - end))
    silence.withUnsafeBufferPointer {
      try? send($0, at: end)
      try? send(UnsafeBufferPointer(rebasing: $0[..<1]), at: end)
    }
  }

  private func flush() {
    retractedAt = heard()
    if let operation = pa_stream_flush(stream, nil, nil) { pa_operation_unref(operation) }
  }

  /// Waits until the last frame is heard, no longer than the sound lasts and a second.
  func drain() throws(SinkError) {
    try connection.locked { () throws(SinkError) in
      if !isRetracted { try sendStaged() }
      notes.pointee.isEnding = true
      if isDrained() { return position.finish(at: retractedAt ?? history.end) }
      if isRetracted { return }
      throw .lost(cause: isGood ? "it plays no more" : connection.lastError)
    }
  }

  private func isDrained() -> Bool {
    let wake: pa_stream_success_cb_t = { _, _, loop in pa_threaded_mainloop_signal(OpaquePointer(loop), 0) }
    guard isGood, let operation = pa_stream_drain(stream, wake, connection.signal) else { return false }
    defer { pa_operation_unref(operation) }
    // A retraction meanwhile makes the rest shorter, and the patience too.
    let end = retractedAt
    hold(operation) { retractedAt == end }
    if retractedAt != end { hold(operation) { true } }
    if pa_operation_get_state(operation) == PA_OPERATION_DONE { return true }
    pa_operation_cancel(operation)
    return false
  }

  private func hold(_ operation: OpaquePointer, orWhile needed: () -> Bool) {
    let rest = rate.seconds((retractedAt ?? history.end) - heard())
    let limit = rest + (isRetracted ? Self.graceAfterRetraction : Self.grace)
    connection.wait(upTo: limit) {
      needed() && isGood && pa_operation_get_state(operation) == PA_OPERATION_RUNNING
    }
  }
}

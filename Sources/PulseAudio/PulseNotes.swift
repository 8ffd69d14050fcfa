internal import CPulse

/// What the server's callbacks write down, under the connection's lock.
struct PulseNotes {
  let loop: OpaquePointer
  var underflows = 0
  /// Underflows no longer count: the sound was taken back, or is at its end.
  var isEnding = false
  /// When the timing came, in microseconds of the monotonic clock.
  var told: UInt64 = 0
  /// The timing has come since it was last looked at.
  var isFresh = false

  static func of(_ userdata: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<PulseNotes>? {
    userdata?.assumingMemoryBound(to: PulseNotes.self)
  }
}

extension PulseStream {
  /// Each callback notes what it is told and wakes whoever waits; the waiting thread does the work.
  func listen() {
    let wake: pa_stream_notify_cb_t = { _, notes in PulseNotes.of(notes)?.pointee.wake() }
    pa_stream_set_state_callback(stream, wake, notes)
    pa_stream_set_write_callback(stream, { _, _, notes in PulseNotes.of(notes)?.pointee.wake() }, notes)
    pa_stream_set_latency_update_callback(stream, { _, notes in PulseNotes.of(notes)?.pointee.timingCame() }, notes)
    pa_stream_set_underflow_callback(stream, { stream, notes in PulseNotes.of(notes)?.pointee.ranDry(stream) }, notes)
    let started: pa_stream_notify_cb_t = { stream, _ in askForTiming(stream) }
    pa_stream_set_started_callback(stream, started, notes)
  }

  /// Behind this no callback comes any more. Under the lock.
  func forgetCallbacks() {
    pa_stream_set_state_callback(stream, nil, nil)
    pa_stream_set_write_callback(stream, nil, nil)
    pa_stream_set_latency_update_callback(stream, nil, nil)
    pa_stream_set_underflow_callback(stream, nil, nil)
    pa_stream_set_started_callback(stream, nil, nil)
  }
}

extension PulseNotes {
  func wake() { pa_threaded_mainloop_signal(loop, 0) }

  mutating func timingCame() {
    told = pa_rtclock_now()
    isFresh = true
  }

  mutating func ranDry(_ stream: OpaquePointer?) {
    if !isEnding { underflows += 1 }
    askForTiming(stream)
  }
}

/// The position jumps at a stall and at its end, and the next regular answer may be 1.5 s away.
private func askForTiming(_ stream: OpaquePointer?) {
  if let operation = pa_stream_update_timing_info(stream, nil, nil) { pa_operation_unref(operation) }
}

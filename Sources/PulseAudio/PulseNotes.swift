internal import CPulse
internal import Engine
internal import Glibc

/// What the server's callbacks write down, under the connection's lock.
struct PulseNotes {
  let loop: OpaquePointer
  var underflows = 0
  /// Underflows no longer count: the sound was taken back, or is at its end.
  var isEnding = false
  /// The last timing, since it was last looked at.
  var timing: pa_timing_info?
  /// When it came, in microseconds of the monotonic clock.
  var timedAt: UInt64 = 0
  /// When the server, or the stream, went away.
  var lostAt = UInt64.max
  /// The server is about to end the stream, for where it comes out now takes another format.
  private(set) var hasLostFormat = false
  /// We are silent because we were asked to be.
  var isCorked = false
  /// Since when there is nothing to play.
  private var dryAt: UInt64?
  /// Since when the device is suspended.
  private var suspendedAt: UInt64?
  /// Where the sound comes out.
  var place = PulsePlace()
  /// Not to be kept waiting: the server's thread calls it.
  let tell: @Sendable (OutputEvent) -> Void

  init(loop: OpaquePointer, tell: @escaping @Sendable (OutputEvent) -> Void) {
    self.loop = loop
    self.tell = tell
  }

  static func of(_ userdata: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<PulseNotes>? {
    userdata?.assumingMemoryBound(to: PulseNotes.self)
  }
}

extension PulseStream {
  /// Each callback notes what it is told and wakes whoever waits; the waiting thread does the work.
  func listen() {
    pa_stream_set_state_callback(stream, { stream, notes in PulseNotes.of(notes)?.pointee.changed(stream) }, notes)
    pa_stream_set_write_callback(stream, { _, _, notes in PulseNotes.of(notes)?.pointee.wake() }, notes)
    pa_stream_set_latency_update_callback(
      stream, { stream, notes in PulseNotes.of(notes)?.pointee.timingCame(stream) }, notes)
    pa_stream_set_underflow_callback(stream, { stream, notes in PulseNotes.of(notes)?.pointee.ranDry(stream) }, notes)
    pa_stream_set_started_callback(stream, { stream, notes in PulseNotes.of(notes)?.pointee.started(stream) }, notes)
    pa_stream_set_moved_callback(
      stream, { stream, notes in PulseNotes.of(notes)?.pointee.movedAway(stream, notes) }, notes)
    pa_stream_set_suspended_callback(
      stream, { stream, notes in PulseNotes.of(notes)?.pointee.suspended(stream) }, notes)
    pa_stream_set_event_callback(
      stream, { stream, name, _, notes in PulseNotes.of(notes)?.pointee.asked(for: name, stream) }, notes)
  }

  /// Behind this no callback comes any more. Under the lock.
  func forgetCallbacks() {
    pa_stream_set_state_callback(stream, nil, nil)
    pa_stream_set_write_callback(stream, nil, nil)
    pa_stream_set_latency_update_callback(stream, nil, nil)
    pa_stream_set_underflow_callback(stream, nil, nil)
    pa_stream_set_started_callback(stream, nil, nil)
    pa_stream_set_moved_callback(stream, nil, nil)
    pa_stream_set_suspended_callback(stream, nil, nil)
    pa_stream_set_event_callback(stream, nil, nil)
    watchNoMore()
  }
}

extension PulseNotes {
  func wake() { pa_threaded_mainloop_signal(loop, 0) }

  /// Another stream is the one to be told of. What asked for silence asks it again.
  mutating func beginAnew() {
    timing = nil
    lostAt = .max
    dryAt = nil
    suspendedAt = nil
    hasLostFormat = false
    if isCorked { tell(.corked(false)) }
    isCorked = false
  }

  mutating func changed(_ stream: OpaquePointer?) {
    let state = pa_stream_get_state(stream)
    if state == PA_STREAM_FAILED || state == PA_STREAM_TERMINATED { lostAt = min(lostAt, pa_rtclock_now()) }
    wake()
  }

  mutating func movedAway(_ stream: OpaquePointer?, _ notes: UnsafeMutableRawPointer?) {
    askForTiming(stream)
    moved(stream, notes)
  }

  mutating func suspended(_ stream: OpaquePointer?) {
    askForTiming(stream)
    let since = suspendedAt.take()
    if pa_stream_is_suspended(stream) > 0, !isCorked {
      suspendedAt = since ?? pa_rtclock_now()
      if since == nil { tell(.lost(cause: "the output is suspended")) }
    } else if let since {
      tell(.restored(seconds: Double(pa_rtclock_now() - since) / 1e6))
    }
    wake()
  }

  /// The server mutes us in any case. It says when that is over only to those who are silent themselves.
  mutating func asked(for name: UnsafePointer<CChar>?, _ stream: OpaquePointer?) {
    guard let name else { return }
    if strcmp(name, PA_STREAM_EVENT_FORMAT_LOST) == 0 { return loseFormat() }
    let begins = strcmp(name, PA_STREAM_EVENT_REQUEST_CORK) == 0
    guard begins != isCorked, begins || strcmp(name, PA_STREAM_EVENT_REQUEST_UNCORK) == 0 else { return }
    isCorked = begins
    if let operation = pa_stream_cork(stream, begins ? 1 : 0, nil, nil) { pa_operation_unref(operation) }
    askForTiming(stream)
    tell(.corked(begins))
    wake()
  }

  private mutating func loseFormat() {
    hasLostFormat = true
    lostAt = min(lostAt, pa_rtclock_now())
    wake()
  }

  mutating func timingCame(_ stream: OpaquePointer?) {
    timedAt = pa_rtclock_now()
    timing = pa_stream_get_timing_info(stream)?.pointee
  }

  mutating func ranDry(_ stream: OpaquePointer?) {
    if !isEnding {
      underflows += 1
      dryAt = dryAt ?? min(pa_rtclock_now(), timedAt + supply(of: stream))
    }
    askForTiming(stream)
  }

  /// Microseconds behind the last timing for which the server had something to play: who was stopped himself hears of the
  /// end when he goes on.
  private func supply(of stream: OpaquePointer?) -> UInt64 {
    guard let timing = pa_stream_get_timing_info(stream)?.pointee, timing.playing != 0, 0 < timedAt,
      let format = pa_stream_get_sample_spec(stream)
    else { return UInt64(UInt32.max) }
    return pa_bytes_to_usec(UInt64(max(0, timing.write_index - timing.read_index)), format)
  }

  mutating func started(_ stream: OpaquePointer?) {
    if let since = dryAt.take() { tell(.starved(seconds: Double(pa_rtclock_now() - since) / 1e6)) }
    askForTiming(stream)
  }
}

/// The position jumps at a stall and at its end, and the next regular answer may be 1.5 s away.
private func askForTiming(_ stream: OpaquePointer?) {
  if let operation = pa_stream_update_timing_info(stream, nil, nil) { pa_operation_unref(operation) }
}

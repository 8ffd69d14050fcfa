internal import CPulse
internal import Engine
internal import Glibc
internal import Signal

/// A stream of libpulse on a connection: connects it, receives its callbacks, and passes sound and requests to the
/// server. After a loss, `reopen` replaces it by another stream.
///
/// Positions count frames from the first frame that was ever sent. Everything is called under the connection's lock.
final class StreamLink: CallbackTarget {
  /// What the server reports. `notify` gets it on libpulse's thread.
  enum Event {
    case changed, failed, requested, timed, underflowed, started, moved, suspended
    case corkRequested(Bool)
  }

  static let frameBytes = MemoryLayout<Frame>.size

  let connection: PulseConnection
  let request: PulseRequest
  private var stream: OpaquePointer
  /// Receives all events. It must not retain the owner.
  var notify: (Event) -> Void = { _ in }
  /// The position of the first frame of libpulse's stream.
  private var origin: FrameTime = 0
  /// The position after the frame that was sent last.
  private(set) var sentTo: FrameTime = 0
  /// Whether the stream is connected; false while it is being reconnected. A stream that becomes ready only after the
  /// attempt to connect it was interrupted is not open, because nothing has set it up.
  private(set) var isOpen = false
  private var isClosed = false
  /// Whether the server is about to end the stream, because the output now needs another format.
  private var hasLostFormat = false
  /// When the server or the stream was lost, in microseconds of the monotonic clock.
  private(set) var lostAt = UInt64.max
  /// When the last timing arrived, in microseconds of the monotonic clock; 0 before the first one.
  private(set) var timedAt: UInt64 = 0
  /// The last timing; nil once it has been used.
  private var unused: pa_timing_info?
  /// Predicts PipeWire's next read.
  private var predictor = ReadCyclePredictor()

  /// Creates the stream without connecting it.
  init(on connection: PulseConnection, _ request: PulseRequest) throws(SinkError) {
    (self.connection, self.request) = (connection, request)
    stream = try connection.makeStream(request)
    setCallbacks(userdata)
  }

  /// Connects the stream, and returns what the server reports about itself and the device.
  func connect(while isWanted: () -> Bool) throws(SinkError) -> PulseSurvey {
    let survey = try connection.connect(stream, request, while: isWanted)
    (isOpen, predictor) = (true, ReadCyclePredictor())
    return survey
  }

  /// Replaces the stream by one whose first frame has the position `position`, without connecting it.
  func reopen(at position: FrameTime, while isWanted: () -> Bool) throws(SinkError) {
    if !connection.isReady { try connection.reconnect(while: isWanted) }
    let next = try connection.makeStream(request)
    close()
    stream = next
    (origin, sentTo, isOpen) = (position, position, false)
    (hasLostFormat, lostAt, timedAt, unused) = (false, .max, 0, nil)
    setCallbacks(userdata)
  }

  /// Ends the stream; later calls do nothing, and no event follows.
  func end() {
    if isClosed { return }
    close()
    isClosed = true
  }

  private func close() {
    setCallbacks(nil)
    pa_stream_disconnect(stream)
    pa_stream_unref(stream)
  }

  var isReady: Bool { isOpen && pa_stream_get_state(stream) == PA_STREAM_READY && !hasLostFormat }

  /// Why the stream is no longer ready.
  var loss: SinkError {
    if hasLostFormat { return .lost(cause: "the output takes another format") }
    return connection.isReady ? .deviceLost(cause: connection.lastError) : .lost(cause: connection.lastError)
  }

  var isCorked: Bool { pa_stream_is_corked(stream) > 0 }
  var isSuspended: Bool { pa_stream_is_suspended(stream) > 0 }

  /// Whether the stream is corked or its device is suspended, so that nothing plays.
  var isStopped: Bool { isReady && (isCorked || isSuspended) }

  var rate: SampleRate { request.rate }
  /// Seconds of the monotonic clock.
  var now: Double { Double(pa_rtclock_now()) / 1e6 }

  /// The server's number of the stream.
  var index: UInt32 { pa_stream_get_index(stream) }

  /// The server's number and the name of the device on which the stream plays.
  var device: (index: UInt32, name: String) {
    (pa_stream_get_device_index(stream), pa_stream_get_device_name(stream).map { String(cString: $0) } ?? "")
  }

  /// The first frame that the device requested and the stream did not have; nil if there was none.
  var missing: FrameTime? {
    let index = pa_stream_get_underflow_index(stream)
    return index < 0 ? nil : origin + index / Int64(Self.frameBytes)
  }
}

/// Sound and requests.
extension StreamLink {
  /// Sends frames for a position, in place of what was sent for it before.
  func put(_ frames: UnsafeBufferPointer<Frame>, at position: FrameTime) throws(SinkError) {
    let (offset, seek) =
      position == sentTo ? (0, PA_SEEK_RELATIVE) : ((position - origin) * Int64(Self.frameBytes), PA_SEEK_ABSOLUTE)
    let bytes = frames.count * Self.frameBytes
    guard pa_stream_write(stream, frames.baseAddress, bytes, nil, offset, seek) >= 0 else { throw loss }
    sentTo = position + FrameTime(frames.count)
    predictor.sent(at: now)
  }

  /// The number of frames that the server requests.
  var writable: Int { pa_stream_writable_size(stream) / Self.frameBytes }

  /// The number of frames that the server has granted the stream's buffer; nil before the stream is ready.
  var granted: FrameCount? {
    pa_stream_get_buffer_attr(stream).map { FrameCount($0.pointee.tlength) / FrameCount(Self.frameBytes) }
  }

  func use(_ buffer: PulseBuffer) {
    var attributes = buffer.attributes(at: request.rate)
    release(pa_stream_set_buffer_attr(stream, &attributes, nil, nil))
  }

  func cork(_ begins: Bool) { release(pa_stream_cork(stream, begins ? 1 : 0, nil, nil)) }

  /// Drops everything that was sent and not played.
  func flush() { release(pa_stream_flush(stream, nil, nil)) }

  /// Makes the server play although it has less than the prebuffer.
  func trigger() { release(pa_stream_trigger(stream, nil, nil)) }

  /// Requests a drain: its operation ends when the last frame was played. The caller releases it.
  func requestDrain() -> OpaquePointer? { pa_stream_drain(stream, wake, connection.changed.userdata) }

  /// Requests a timing now. At the beginning and the end of a stall the position can't be extrapolated from the last
  /// timing, and the next regular one may be seconds away.
  func requestTiming() { release(pa_stream_update_timing_info(stream, nil, nil)) }

  /// Requests a timing, and waits for the answer.
  ///
  /// The request is never cancelled. libpulse permits 32 unanswered ones, and counts a cancelled one as unanswered even
  /// after its answer.
  ///
  /// - Returns: the state of the request; nil if libpulse does not take it.
  func requestTiming(waiting seconds: Double, while isWanted: () -> Bool = { true }) -> pa_operation_state_t? {
    guard let operation = pa_stream_update_timing_info(stream, wake, connection.changed.userdata) else { return nil }
    defer { pa_operation_unref(operation) }
    connection.wait(upTo: seconds) { pa_operation_get_state(operation) == PA_OPERATION_RUNNING && isWanted() }
    return pa_operation_get_state(operation)
  }

  private var wake: pa_stream_success_cb_t { { _, _, changed in Broadcast.at(changed)?.call() } }

  private func release(_ operation: OpaquePointer?) { if let operation { pa_operation_unref(operation) } }
}

/// The timing.
extension StreamLink {
  /// The last timing; nil before the first one.
  var timing: pa_timing_info? { pa_stream_get_timing_info(stream)?.pointee }

  /// The last timing, if it was not taken before.
  func takeTiming() -> pa_timing_info? { unused.take() }

  /// The position that the server reads next.
  func readPosition(_ timing: pa_timing_info) -> FrameTime {
    origin + max(0, timing.read_index / Int64(Self.frameBytes))
  }

  /// PipeWire's next read, as far as it is known.
  func nextRead(at now: Double) -> ReadCyclePredictor.Prediction? { predictor.next(at: now, rate: rate) }

  /// The stream plays on another device, whose reads have another phase.
  func forgetReads() { predictor = ReadCyclePredictor() }
}

/// The callbacks of libpulse. They don't retain this object: `end` removes them before it is released.
extension StreamLink {
  /// - Parameter userdata: nil if nothing follows from a call any more.
  private func setCallbacks(_ userdata: UnsafeMutableRawPointer?) {
    pa_stream_set_state_callback(stream, { _, data in StreamLink.at(data)?.stateChanged() }, userdata)
    pa_stream_set_write_callback(stream, { _, _, data in StreamLink.at(data)?.requested() }, userdata)
    pa_stream_set_latency_update_callback(stream, { _, data in StreamLink.at(data)?.timed() }, userdata)
    pa_stream_set_underflow_callback(stream, { _, data in StreamLink.at(data)?.notify(.underflowed) }, userdata)
    pa_stream_set_started_callback(stream, { _, data in StreamLink.at(data)?.notify(.started) }, userdata)
    pa_stream_set_moved_callback(stream, { _, data in StreamLink.at(data)?.notify(.moved) }, userdata)
    pa_stream_set_suspended_callback(stream, { _, data in StreamLink.at(data)?.notify(.suspended) }, userdata)
    pa_stream_set_event_callback(stream, { _, name, _, data in StreamLink.at(data)?.received(name) }, userdata)
  }

  private func stateChanged() {
    let state = pa_stream_get_state(stream)
    guard state == PA_STREAM_FAILED || state == PA_STREAM_TERMINATED else { return notify(.changed) }
    lostAt = min(lostAt, pa_rtclock_now())
    notify(.failed)
  }

  private func requested() {
    predictor.requested(at: now)
    notify(.requested)
  }

  private func timed() {
    timedAt = pa_rtclock_now()
    unused = timing
    if let unused { predictor.read(readPosition(unused), at: now) }
    notify(.timed)
  }

  private func received(_ name: UnsafePointer<CChar>?) {
    guard let name else { return }
    if strcmp(name, PA_STREAM_EVENT_FORMAT_LOST) == 0 {
      (hasLostFormat, lostAt) = (true, min(lostAt, pa_rtclock_now()))
      notify(.changed)
    } else if strcmp(name, PA_STREAM_EVENT_REQUEST_CORK) == 0 {
      notify(.corkRequested(true))
    } else if strcmp(name, PA_STREAM_EVENT_REQUEST_UNCORK) == 0 {
      notify(.corkRequested(false))
    }
  }
}

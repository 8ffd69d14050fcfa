internal import CPulse
internal import Engine
internal import Signal

/// A playing stream of stereo floats on one connection.
///
/// `@unchecked Sendable` holds because every property is touched only under the connection's lock, except in `deinit`.
final class PulseStream: @unchecked Sendable {
  static let frameBytes = MemoryLayout<Frame>.size

  let connection: PulseConnection
  let rate: SampleRate
  let stream: OpaquePointer
  var history: FrameHistory
  /// Frames that are taken and not yet sent.
  var staged: [Frame] = []
  /// A `write` that waits returns, and the next one that ends lets the others wait again.
  var isInterrupted = false
  /// Where the next frames go over older ones; nil while they go behind the last.
  var resumesAt: FrameTime?
  var position: HeardPosition
  /// Told by C under the lock, so it lives where C can find it.
  let notes: UnsafeMutablePointer<PulseNotes>
  /// What was written is taken back, and nothing more is taken.
  var isRetracted = false
  /// Where a retraction has ended the stream; nil while it goes on.
  var retractedAt: FrameTime?

  init(
    on connection: PulseConnection, device: String?, title: String, rate: SampleRate
  ) throws(SinkError) {
    self.connection = connection
    self.rate = rate
    stream = try connection.locked { () throws(SinkError) in
      try PulseStream.make(on: connection, title: title, rate: rate)
    }
    history = FrameHistory(capacity: Int(rate.frames(PulseBuffer.kept)))
    position = HeardPosition(rate: rate)
    notes = .allocate(capacity: 1)
    notes.initialize(to: PulseNotes(loop: connection.loop))
    try connection.locked { () throws(SinkError) in try connect(to: device) }
  }

  deinit {
    connection.locked {
      forgetCallbacks()
      pa_stream_disconnect(stream)
      pa_stream_unref(stream)
    }
    notes.deallocate()
  }

  private static func make(
    on connection: PulseConnection, title: String, rate: SampleRate
  ) throws(SinkError) -> OpaquePointer {
    var format = pa_sample_spec(format: PA_SAMPLE_FLOAT32LE, rate: UInt32(rate.hertz), channels: 2)
    let properties = pa_proplist_new()
    defer { pa_proplist_free(properties) }
    pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, "music")
    pa_proplist_sets(properties, PA_PROP_MEDIA_NAME, title)
    guard let stream = pa_stream_new_with_proplist(connection.context, title, &format, nil, properties) else {
      throw .lost(cause: connection.lastError)
    }
    return stream
  }

  private func connect(to device: String?) throws(SinkError) {
    listen()
    var buffer = PulseBuffer.attributes(at: rate)
    let flags = pa_stream_flags_t(
      rawValue: PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_AUTO_TIMING_UPDATE.rawValue)
    guard pa_stream_connect_playback(stream, device, &buffer, flags, nil, nil) >= 0 else {
      throw .lost(cause: connection.lastError)
    }
    connection.waitPatiently { pa_stream_get_state(stream) == PA_STREAM_CREATING }
    guard !isGood else { return }
    if pa_stream_get_state(stream) == PA_STREAM_CREATING { throw .noServer(cause: "no answer to a new stream") }
    guard pa_context_errno(connection.context) == Int32(PA_ERR_NOENTITY.rawValue) else {
      throw .lost(cause: connection.lastError)
    }
    throw connection.unknownDevice(device)
  }

  /// Under the lock.
  var isGood: Bool { pa_stream_get_state(stream) == PA_STREAM_READY }

  /// The frame that is heard now. Under the lock.
  func heard() -> FrameTime {
    let now = Double(pa_rtclock_now()) / 1e6
    if notes.pointee.isFresh, let timing = pa_stream_get_timing_info(stream)?.pointee {
      notes.pointee.isFresh = false
      position.told(
        readIndex: timing.read_index / Int64(Self.frameBytes), deviceHolds: Double(timing.sink_usec) / 1e6,
        isPlaying: timing.playing != 0, now: Double(notes.pointee.told) / 1e6)
    }
    return position.heard(now: now, written: retractedAt ?? history.end)
  }

  /// Frames heard and underruns so far. From any thread.
  func tally() -> (heard: FrameTime, underruns: Int) { connection.locked { (heard(), notes.pointee.underflows) } }
}

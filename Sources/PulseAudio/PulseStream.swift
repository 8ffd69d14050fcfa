internal import CPulse
internal import Engine
internal import Signal

/// A stream of stereo floats that plays on a sound server. It outlives libpulse's stream: after a loss, a new one
/// continues with the first frame that was not heard.
///
/// Positions count frames from the first frame that was written.
///
/// `@unchecked Sendable` holds because all properties are accessed only under the connection's lock, except in `init`,
/// when no other thread has the object.
final class PulseStream: @unchecked Sendable {
  static let frameBytes = MemoryLayout<Frame>.size

  enum RewindSupport { case unknown, confirmed, absent }

  let connection: PulseConnection
  let request: PulseRequest
  /// libpulse's stream.
  private(set) var stream: OpaquePointer
  /// The position of the first frame of libpulse's stream.
  private(set) var origin: FrameTime = 0
  /// The position after the frame that was sent last.
  private(set) var sentTo: FrameTime = 0
  /// What was written last, and where the next frames belong.
  var replay: Replay
  /// Frames that the render loop has written, and that were not sent yet.
  var staged: [Frame] = []
  /// Whether the current or the next `write` must return without waiting. That `write` resets it.
  var isInterrupted = false
  var position: ListenerPosition
  /// What the server reports about itself and the device that plays.
  var survey: PulseSurvey?
  private var isClosed = false
  /// Whether the stream is connected; false while it is being reconnected. A stream that becomes ready only after the
  /// attempt to connect it was interrupted is not open, because nothing has set it up.
  private(set) var isOpen = false
  /// Whether the grant of the server must still be reported to the player.
  var isGrantDue = false
  /// The buffer that suits the device, according to its reports so far.
  var buffer = PulseBuffer.fixed
  /// Whether a probe has confirmed that the device can be rewound.
  var rewindSupport = RewindSupport.unknown
  /// Whether `grow` may request a larger buffer in the device. It does so once, and again after an underrun or a move.
  var mayGrow = true
  /// The time of the last timing when a rewind got no answer; nil if every rewind got one.
  var unansweredSince: UInt64?
  /// Whether the stream is new, and must first receive what was lost with the old one.
  var isReplaying = false
  /// Predicts PipeWire's next read.
  var predictor = ReadCyclePredictor()
  /// What the callbacks have recorded. Under the lock.
  var callbackState = PulseCallbackState()
  /// Whether underflows no longer count, because the sound was retracted or ends.
  var isEnding = false
  /// The server's number of the current device; nil before the stream is ready.
  var device: UInt32?
  var deviceQueries = DeviceQueries()
  /// Whether the sound was retracted: further writes are dropped.
  var isRetracted = false
  /// The position at which a retraction has ended the stream; nil while it plays.
  var retractedAt: FrameTime?
  /// Whether a second retraction has found that the server does not answer. Then nothing waits for it any longer.
  var isGivenUp = false
  var rate: SampleRate { request.rate }

  /// Connects to the server and opens the stream. If the server is lost meanwhile, or does not exist yet and the
  /// session waits for it (`--wait-for-server`), this succeeds, and the first `write` waits for the server.
  ///
  /// - Parameter isWanted: called while the server does not answer; returns false to cancel.
  init(
    on connection: PulseConnection, _ request: PulseRequest, while isWanted: () -> Bool
  ) throws(SinkError) {
    self.connection = connection
    self.request = request
    stream = try connection.locked { () throws(SinkError) in try connection.makeStream(request) }
    replay = Replay(seconds: PulseBuffer.historyLength, at: request.rate)
    position = ListenerPosition(rate: request.rate)
    try connection.locked { () throws(SinkError) in
      setCallbacks()
      do throws(SinkError) {
        try connection.connect(while: isWanted)
        try connect(while: isWanted)
      } catch {
        guard canWait(after: error) else { throw error }
        lose(error)
      }
    }
  }

  /// Whether the stream may start without its server or its device.
  private func canWait(after error: SinkError) -> Bool {
    switch error {
    // The server had answered before: it is lost, not missing.
    case .lost: !connection.isReady
    case .noServer, .noSuchDevice: 0 < request.session.waitForServer
    default: false
    }
  }

  deinit { end() }

  /// Ends libpulse's stream; later calls do nothing. The owner calls it before it releases this object, because a
  /// callback that held the last reference would run `deinit` on libpulse's thread, which must not take the lock.
  func end() {
    connection.locked {
      if isClosed { return }
      close()
      isClosed = true
    }
  }

  private func close() {
    removeCallbacks()
    pa_stream_disconnect(stream)
    pa_stream_unref(stream)
  }

  private func connect(while isWanted: () -> Bool) throws(SinkError) {
    survey = try connection.connect(stream, request, while: isWanted)
    (isGrantDue, isOpen, buffer, rewindSupport, predictor) = (true, true, .fixed, .unknown, ReadCyclePredictor())
    mayGrow = true
    handle(.opened(isSuspended: isSuspended))
    watchDevice()
    // The first timing shows what the device holds, which determines the buffer.
    _ = requestReading()
  }

  /// Opens a new stream whose first frame has the position `position`. Under the lock.
  func reopen(at position: FrameTime, while isWanted: () -> Bool) throws(SinkError) {
    if !connection.isReady { try connection.reconnect(while: isWanted) }
    let next = try connection.makeStream(request)
    close()
    stream = next
    (origin, sentTo) = (position, position)
    callbackState.reset()
    isOpen = false
    setCallbacks()
    try connect(while: isWanted)
  }

  /// Under the lock.
  var isReady: Bool { isOpen && pa_stream_get_state(stream) == PA_STREAM_READY && !callbackState.hasLostFormat }

  /// Why the stream is no longer ready. Under the lock.
  var loss: SinkError {
    .lost(cause: callbackState.hasLostFormat ? "the output takes another format" : connection.lastError)
  }

  /// Whether the stream is silent because it was corked. Under the lock.
  var isCorked: Bool { pa_stream_is_corked(stream) > 0 }

  /// Whether the stream is corked or its device is suspended, so that nothing plays. Under the lock.
  var isCorkedOrSuspended: Bool { isReady && (isCorked || isSuspended) }

  /// Whether the stream is silent because its device is suspended. Under the lock.
  var isSuspended: Bool { pa_stream_is_suspended(stream) > 0 }

  /// Sends frames for a position, with the fade-in. They replace the frames that were sent for this position before.
  /// Under the lock.
  func send(_ frames: UnsafeBufferPointer<Frame>, at position: FrameTime) throws(SinkError) {
    if let faded = replay.faded(frames, at: position) {
      return try faded.withUnsafeBufferPointer { (faded) throws(SinkError) in try put(faded, at: position) }
    }
    try put(frames, at: position)
  }

  /// Sends silence after the last frame, unless that was done before. An error means that the stream has ended; the
  /// next `write` reports it.
  func sendSilence(seconds: Double) {
    guard sentTo <= replay.end else { return }
    let silence = Array(repeating: Frame.silence, count: Int(rate.frames(seconds)))
    silence.withUnsafeBufferPointer { try? put($0, at: replay.end) }
  }

  /// The position after the last frame that the server has, including silence.
  var sentEnd: FrameTime { max(replay.furthest, sentTo) }

  /// Drops a reported underrun if its missing frame was sent before it was due: it will not be heard.
  func dropPreventedUnderrun() {
    if let underrun = callbackState.underrun, underrun.frame < sentTo, pa_rtclock_now() < underrun.due {
      callbackState.underrun = nil
    }
  }

  /// Sends frames unchanged.
  private func put(_ frames: UnsafeBufferPointer<Frame>, at position: FrameTime) throws(SinkError) {
    let (offset, seek) =
      position == sentTo ? (0, PA_SEEK_RELATIVE) : ((position - origin) * Int64(Self.frameBytes), PA_SEEK_ABSOLUTE)
    let bytes = frames.count * Self.frameBytes
    guard pa_stream_write(stream, frames.baseAddress, bytes, nil, offset, seek) >= 0 else {
      throw loss
    }
    sentTo = position + FrameTime(frames.count)
    dropPreventedUnderrun()
    predictor.sent(at: Double(pa_rtclock_now()) / 1e6)
  }

  /// The position that the server reads next. Under the lock.
  func readPosition(_ timing: pa_timing_info) -> FrameTime {
    origin + max(0, timing.read_index / Int64(Self.frameBytes))
  }

  /// Seconds of this stream's sound that the device holds. After an underrun the device also holds silence, which is
  /// subtracted. For a device that is rewound, the server reports too much silence, so there nothing is subtracted.
  func held(_ timing: pa_timing_info) -> Double {
    let silence = timing.playing != 0 || buffer.isRewindable ? 0 : Double(timing.since_underrun)
    return max(0, Double(timing.sink_usec) - silence) / 1e6
  }

  /// The frame that is heard now. Under the lock.
  func heard() -> FrameTime {
    if let timing = callbackState.timing.take() {
      position.reported(
        readIndex: readPosition(timing), deviceHolds: held(timing), isPlaying: timing.playing != 0,
        now: Double(callbackState.timedAt) / 1e6)
    }
    let now = Double(min(pa_rtclock_now(), callbackState.lostAt)) / 1e6
    return position.heard(now: now, written: retractedAt ?? replay.end)
  }

  /// Frames heard and underruns so far. From any thread.
  func counts() -> (heard: FrameTime, underruns: Int) {
    connection.locked {
      let isDry = callbackState.underrun.map { $0.due < pa_rtclock_now() } ?? false
      return (heard(), callbackState.underflows + (isDry ? 1 : 0))
    }
  }
}

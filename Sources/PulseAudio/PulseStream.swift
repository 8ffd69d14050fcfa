internal import CPulse
internal import Engine
internal import Signal

/// A playing stream of stereo floats, which outlives the server's own: a new one goes on where the listener lost the old.
///
/// `@unchecked Sendable` holds because every property is touched only under the connection's lock, except in `init`, when no
/// other thread has the object.
final class PulseStream: @unchecked Sendable {
  static let frameBytes = MemoryLayout<Frame>.size

  enum RewindSupport { case unknown, confirmed, absent }

  let connection: PulseConnection
  let request: PulseRequest
  /// The server's.
  private(set) var stream: OpaquePointer
  /// The position of the server's first frame.
  private(set) var origin: FrameTime = 0
  /// The position behind the frame that was sent last.
  private(set) var sentTo: FrameTime = 0
  /// The sound comes back under it.
  var fadeIn = Fade.unity
  var history: FrameHistory
  /// Frames that are taken and not yet sent.
  var staged: [Frame] = []
  /// A `write` that waits returns, and the next one that ends lets the others wait again.
  var isInterrupted = false
  /// Where the next frames go over older ones; nil while they go behind the last.
  var resumesAt: FrameTime?
  var position: HeardPosition
  /// What the server says about itself and the device that plays.
  var survey: PulseSurvey?
  private var isClosed = false
  /// The stream has been connected, and is not being connected anew.
  private(set) var isOpen = false
  /// The player is yet to be told what the server has granted.
  var isGrantDue = false
  /// What is right for the device, as far as it has answered.
  var buffer = PulseBuffer.fixed
  /// Whether the device was seen to rewind.
  var rewindSupport = RewindSupport.unknown
  /// Whether the device may be asked to hold more: once, until it is known to hold as much.
  var mayGrow = true
  /// Predicts when PipeWire reads next.
  var rhythm = DeviceRhythm()
  /// What the callbacks have written down. Under the lock.
  var told = PulseCallbackState()
  /// Underflows no longer count: the sound was taken back, or is at its end.
  var isEnding = false
  /// The server's number of the device that plays; nil before the stream is ready.
  var device: UInt32?
  var questions = DeviceQuestions()
  /// What was written is taken back, and nothing more is taken.
  var isRetracted = false
  /// Where a retraction has ended the stream; nil while it goes on.
  var retractedAt: FrameTime?
  /// The sound was taken back more than once, of a server that does not answer: nobody waits for it any longer.
  var isGivenUp = false
  var rate: SampleRate { request.rate }

  /// A server that is lost meanwhile is waited for by the first `write`.
  ///
  /// - Parameter isWanted: asked while the server does not answer.
  init(
    on connection: PulseConnection, _ request: PulseRequest, while isWanted: () -> Bool
  ) throws(SinkError) {
    self.connection = connection
    self.request = request
    stream = try connection.locked { () throws(SinkError) in try connection.makeStream(request) }
    history = FrameHistory(capacity: Int(request.rate.frames(PulseBuffer.kept)))
    position = HeardPosition(rate: request.rate)
    try connection.locked { () throws(SinkError) in
      setCallbacks()
      do throws(SinkError) { try connect(while: isWanted) } catch {
        // It had answered already: it is lost, not missing.
        guard case .lost = error, !connection.isGood else { throw error }
        lose(error)
      }
    }
  }

  deinit { end() }

  /// Ends the server's stream; later calls do nothing. The owner calls it before it releases this object, because a callback
  /// that held the last reference would run `deinit` on libpulse's thread, which must not take the lock.
  func end() {
    connection.locked {
      if isClosed { return }
      close()
      isClosed = true
    }
  }

  private func close() {
    forgetCallbacks()
    pa_stream_disconnect(stream)
    pa_stream_unref(stream)
  }

  private func connect(while isWanted: () -> Bool) throws(SinkError) {
    survey = try connection.connect(stream, request, while: isWanted)
    (isGrantDue, isOpen, buffer, rewindSupport, rhythm) = (true, true, .fixed, .unknown, DeviceRhythm())
    mayGrow = true
    handle(.opened)
    watchDevice()
    // The device's first answer decides how much it is given.
    _ = ask()
  }

  /// Asks for a new stream, whose first frame stands at `position`. Under the lock.
  func reopen(at position: FrameTime, while isWanted: () -> Bool) throws(SinkError) {
    if !connection.isGood { try connection.reconnect(while: isWanted) }
    let next = try connection.makeStream(request)
    close()
    stream = next
    (origin, sentTo) = (position, position)
    told.reset()
    isOpen = false
    setCallbacks()
    try connect(while: isWanted)
  }

  /// Under the lock.
  var isGood: Bool { pa_stream_get_state(stream) == PA_STREAM_READY && !told.hasLostFormat }

  /// Why it is good no more. Under the lock.
  var loss: SinkError {
    .lost(cause: told.hasLostFormat ? "the output takes another format" : connection.lastError)
  }

  /// The stream is silent because it was asked to be. Under the lock.
  var isCorked: Bool { pa_stream_is_corked(stream) > 0 }

  /// The server plays nothing, and means it. Under the lock.
  var isHeldUp: Bool { isGood && (isCorked || pa_stream_is_suspended(stream) > 0) }

  /// Sends frames to a position, over older ones if need be. Under the lock.
  func send(_ frames: UnsafeBufferPointer<Frame>, at position: FrameTime) throws(SinkError) {
    if position < fadeIn.end {
      let faded = frames.enumerated().map { $1 * fadeIn.gain(at: position + FrameTime($0)) }
      return try faded.withUnsafeBufferPointer { (faded) throws(SinkError) in try put(faded, at: position) }
    }
    try put(frames, at: position)
  }

  /// Sends silence after the last frame, unless that was done before. An error means that the stream has ended; the next
  /// `write` reports it.
  func sendSilence(seconds: Double) {
    guard sentTo <= history.end else { return }
    let silence = Array(repeating: Frame.silence, count: Int(rate.frames(seconds)))
    silence.withUnsafeBufferPointer { try? put($0, at: history.end) }
  }

  /// The end of everything that the server has.
  var sentEnd: FrameTime { max(history.furthest, sentTo) }

  /// Forgets an underrun whose missing frame was sent before it was due.
  func dropAvertedUnderrun() {
    if let underrun = told.underrun, underrun.frame < sentTo, pa_rtclock_now() < underrun.due { told.underrun = nil }
  }

  private func put(_ frames: UnsafeBufferPointer<Frame>, at position: FrameTime) throws(SinkError) {
    let (offset, seek) =
      position == sentTo ? (0, PA_SEEK_RELATIVE) : ((position - origin) * Int64(Self.frameBytes), PA_SEEK_ABSOLUTE)
    let bytes = frames.count * Self.frameBytes
    guard pa_stream_write(stream, frames.baseAddress, bytes, nil, offset, seek) >= 0 else {
      throw loss
    }
    sentTo = position + FrameTime(frames.count)
    dropAvertedUnderrun()
    rhythm.sent(at: Double(pa_rtclock_now()) / 1e6)
  }

  /// The position that the server reads next. Under the lock.
  func readPosition(_ timing: pa_timing_info) -> FrameTime {
    origin + max(0, timing.read_index / Int64(Self.frameBytes))
  }

  /// Seconds of this stream's sound that the device holds. After an underrun the device also holds silence, which is
  /// subtracted. On a device that was rewound the server's figure for it is too large, so it is not used there.
  private func held(_ timing: pa_timing_info) -> Double {
    let silence = timing.playing != 0 || buffer.isRewindable ? 0 : Double(timing.since_underrun)
    return max(0, Double(timing.sink_usec) - silence) / 1e6
  }

  /// The frame that is heard now. Under the lock.
  func heard() -> FrameTime {
    if let timing = told.timing.take() {
      position.told(
        readIndex: readPosition(timing), deviceHolds: held(timing), isPlaying: timing.playing != 0,
        now: Double(told.timedAt) / 1e6)
    }
    let now = Double(min(pa_rtclock_now(), told.lostAt)) / 1e6
    return position.heard(now: now, written: retractedAt ?? history.end)
  }

  /// Frames heard and underruns so far. From any thread.
  func tally() -> (heard: FrameTime, underruns: Int) {
    connection.locked {
      let isDry = told.underrun.map { $0.due < pa_rtclock_now() } ?? false
      return (heard(), told.underflows + (isDry ? 1 : 0))
    }
  }
}

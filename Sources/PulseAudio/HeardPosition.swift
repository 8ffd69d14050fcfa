internal import Signal

/// Which frame of a stream reaches the listener, from what the server last told.
///
/// `pa_stream_get_time` runs on before the first sound and through a stall, and is wrong afterwards; the raw read index,
/// less what the device still holds, is right. Between two answers the machine's monotonic clock carries it on, so a
/// changed wall clock moves nothing.
struct HeardPosition {
  /// Seconds after the server's last sign of life for which the position runs on. It asks for sound every two seconds.
  static let trust = 2.3

  private let rate: SampleRate
  private var anchor: FrameTime = 0
  private var anchoredAt = 0.0
  /// Whether the server played when it answered last, and nothing says that it has stopped since.
  private var isPlaying = false
  /// Seconds for which the position runs on by itself.
  private var runsFor = 0.0
  private var latest: FrameTime = 0
  /// The frame that was heard at a moment, as the server answered last.
  private var answer: (frame: FrameTime, at: Double) = (0, 0)

  init(rate: SampleRate) { self.rate = rate }

  /// - Parameters:
  ///   - readIndex: frames that the server has taken out of the stream's buffer.
  ///   - deviceHolds: seconds of them that are not yet heard.
  ///   - isPlaying: whether it takes more; the device plays what it holds in any case.
  ///   - now: seconds of the monotonic clock.
  mutating func told(readIndex: FrameTime, deviceHolds: Double, isPlaying: Bool, now: Double) {
    anchor = readIndex - rate.frames(deviceHolds)
    anchoredAt = now
    answer = (anchor, now)
    runsFor = isPlaying ? Self.trust : deviceHolds
    self.isPlaying = isPlaying
  }

  /// The server has asked for more: it is alive, and plays if it did before.
  mutating func confirm(now: Double) {
    if isPlaying { runsFor = max(runsFor, now - anchoredAt + Self.trust) }
  }

  /// Never falls, and is never beyond `written`.
  mutating func heard(now: Double, written: FrameTime) -> FrameTime {
    let age = min(max(0, now - anchoredAt), runsFor)
    latest = max(latest, min(anchor + rate.frames(age), written))
    return latest
  }

  /// When a frame was heard, or will be, if the server plays without a gap: seconds of the monotonic clock.
  func moment(of frame: FrameTime) -> Double { answer.at + rate.seconds(frame - answer.frame) }

  /// Nothing more is heard until the next answer.
  mutating func standStill() { (anchor, runsFor, isPlaying) = (latest, 0, false) }

  /// The last frame is heard.
  mutating func finish(at end: FrameTime) { latest = max(latest, end) }
}

internal import Signal

/// Which frame of a stream reaches the listener, from what the server last told.
///
/// `pa_stream_get_time` runs on before the first sound and through a stall, and is wrong afterwards; the raw read index,
/// less what the device still holds, is right. Between two answers the machine's monotonic clock carries it on, so a
/// changed wall clock moves nothing.
struct HeardPosition {
  /// Seconds for which an answer is trusted: the server is asked at least every two seconds, and after this the position stands
  /// still.
  static let trust = 2.3

  private let rate: SampleRate
  private var anchor: FrameTime = 0
  private var anchoredAt = 0.0
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
  mutating func standStill() { (anchor, runsFor) = (latest, 0) }

  /// The last frame is heard.
  mutating func finish(at end: FrameTime) { latest = max(latest, end) }
}

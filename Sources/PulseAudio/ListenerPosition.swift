internal import Signal

/// The frame of a stream that reaches the listener, computed from the server's last report.
///
/// `pa_stream_get_time` advances before the first sound and during a stall, and is wrong afterwards. The raw read
/// index, less what the device still holds, is correct. Between two reports the position follows the monotonic clock,
/// so changes of the wall clock have no effect.
struct ListenerPosition {
  /// Seconds after the server's last message during which the position advances. The server requests sound every two
  /// seconds.
  static let trust = 2.3

  private let rate: SampleRate
  private var anchor: FrameTime = 0
  private var anchoredAt = 0.0
  /// Whether the server played at its last report, and has not been found to have stopped since.
  private var isPlaying = false
  /// Seconds for which the position advances without a report.
  private var runsFor = 0.0
  private var latest: FrameTime = 0
  /// The frame that was heard at a moment, according to the last report.
  private var answer: (frame: FrameTime, at: Double) = (0, 0)

  init(rate: SampleRate) { self.rate = rate }

  /// - Parameters:
  ///   - readIndex: frames that the server has taken out of the stream's buffer.
  ///   - deviceHolds: seconds of them that have not been heard.
  ///   - isPlaying: whether it reads more; the device plays what it holds in any case.
  ///   - now: seconds of the monotonic clock.
  mutating func reported(readIndex: FrameTime, deviceHolds: Double, isPlaying: Bool, now: Double) {
    anchor = readIndex - rate.frames(deviceHolds)
    anchoredAt = now
    answer = (anchor, now)
    runsFor = isPlaying ? Self.trust : deviceHolds
    self.isPlaying = isPlaying
  }

  /// The server has requested more: it responds, and plays if it did before.
  mutating func confirm(now: Double) {
    if isPlaying { runsFor = max(runsFor, now - anchoredAt + Self.trust) }
  }

  /// Never decreases, and is never greater than `written`.
  mutating func heard(now: Double, written: FrameTime) -> FrameTime {
    let age = min(max(0, now - anchoredAt), runsFor)
    latest = max(latest, min(anchor + rate.frames(age), written))
    return latest
  }

  /// When a frame was heard or will be heard, if the server plays without a gap, in seconds of the monotonic clock.
  func moment(of frame: FrameTime) -> Double { answer.at + rate.seconds(frame - answer.frame) }

  /// Nothing more is heard until the next report.
  mutating func standStill() { (anchor, runsFor, isPlaying) = (latest, 0, false) }

  /// The last frame has been heard.
  mutating func finish(at end: FrameTime) { latest = max(latest, end) }
}

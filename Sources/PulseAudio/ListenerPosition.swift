internal import Signal

/// The frame of a stream that the listener hears now, computed from the server's last report.
///
/// `pa_stream_get_time` is not used: it advances before the first sound and during a stall, and is wrong afterwards.
/// The raw read index, minus what the device still holds, is correct. Between two reports the position advances with
/// the monotonic clock, so changes of the wall clock have no effect. Used under the connection's lock.
struct ListenerPosition {
  /// Seconds for which the position advances after the server's last message: a little more than the two seconds
  /// between two of its requests. A server that is silent for longer has stopped playing.
  static let extrapolationLimit = 2.3
  /// Seconds for which the position must still be able to advance, so that no report is requested.
  private static let shortestRest = 1.4

  private let rate: SampleRate
  /// The frame from which the position is extrapolated, and the time at which it was heard.
  private var anchor: FrameTime = 0
  private var anchoredAt = 0.0
  /// Whether the server played at its last report, and has not been found to have stopped since.
  private var isPlaying = false
  /// Seconds for which the position advances without a report.
  private var runsFor = 0.0
  /// The last result of `heard`, so that the position never decreases.
  private var latest: FrameTime = 0
  /// A frame and the time at which it was heard, according to the last report.
  private var lastReport: (frame: FrameTime, at: Double) = (0, 0)

  init(rate: SampleRate) { self.rate = rate }

  /// Records a report of the server.
  ///
  /// - Parameters:
  ///   - readIndex: frames that the server has read from the stream's buffer.
  ///   - deviceHolds: seconds of these frames that have not been heard.
  ///   - isPlaying: whether it reads more; the device plays what it holds in any case.
  ///   - now: seconds of the monotonic clock.
  mutating func reported(readIndex: FrameTime, deviceHolds: Double, isPlaying: Bool, now: Double) {
    anchor = readIndex - rate.frames(deviceHolds)
    anchoredAt = now
    lastReport = (anchor, now)
    runsFor = isPlaying ? Self.extrapolationLimit : deviceHolds
    self.isPlaying = isPlaying
  }

  /// Records a request of the server. It shows that the server still responds, and still plays if it did before.
  mutating func confirm(now: Double) {
    if isPlaying { runsFor = max(runsFor, now - anchoredAt + Self.extrapolationLimit) }
  }

  /// Whether a report should be requested, because the server has been silent for almost a second. The silence may be
  /// normal: while the server waits for sound that it has already requested, it sends no further request.
  func isDoubtful(now: Double) -> Bool { isPlaying && anchoredAt + runsFor - Self.shortestRest < now }

  /// The frame that is heard at `now`. It never decreases, and is never greater than `written`.
  mutating func heard(now: Double, written: FrameTime) -> FrameTime {
    let age = min(max(0, now - anchoredAt), runsFor)
    latest = max(latest, min(anchor + rate.frames(age), written))
    return latest
  }

  /// When a frame was heard or will be heard, if the server plays without a gap, in seconds of the monotonic clock.
  func moment(of frame: FrameTime) -> Double { lastReport.at + rate.seconds(frame - lastReport.frame) }

  /// Stops the position until the next report: nothing is heard until then.
  mutating func stop() { (anchor, runsFor, isPlaying) = (latest, 0, false) }

  /// Moves the position to the end: the last frame has been heard.
  mutating func finish(at end: FrameTime) { latest = max(latest, end) }
}

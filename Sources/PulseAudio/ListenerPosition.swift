internal import CPulse
internal import Signal

/// The frame of a stream that the listener hears now, computed from the server's last report.
///
/// `pa_stream_get_time` is not used: it advances before the first sound and during a stall, and is wrong afterwards.
/// The raw read index, minus what the device still holds, is correct. Between two reports the position advances with
/// the monotonic clock, so changes of the wall clock have no effect. Used under the connection's lock.
final class ListenerPosition {
  /// Seconds for which the position advances after the server's last message: a little more than the two seconds
  /// between two of its requests. A server that is silent for longer has stopped playing.
  static let extrapolationLimit = 2.3
  /// Seconds for which the position must still be able to advance, so that no report is requested.
  private static let shortestRest = 1.4
  /// Microseconds after which a report is requested in any case. In between, extrapolation by the monotonic clock is
  /// accurate enough.
  private static let reportInterval: UInt64 = 8_000_000

  private let link: StreamLink
  private let watch: DeviceWatch
  private let ending: Drain
  /// The frame from which the position is extrapolated, and the time at which it was heard.
  private var anchor: FrameTime = 0
  private var anchoredAt = 0.0
  /// The anchor of the last report.
  private var reported: FrameTime = 0
  /// Whether the server played at its last report, and has not been found to have stopped since.
  private(set) var isPlaying = false
  /// Seconds for which the position advances without a report.
  private var runsFor = 0.0
  /// The last result of `heard`, so that the position never decreases.
  private var latest: FrameTime = 0

  init(of link: StreamLink, _ watch: DeviceWatch, _ ending: Drain) {
    (self.link, self.watch, self.ending) = (link, watch, ending)
  }

  /// The frame that is heard now. It never decreases, and is never greater than what is to be heard.
  func heard() -> FrameTime {
    if let timing = link.takeTiming() { take(timing) }
    let now = Double(min(pa_rtclock_now(), link.lostAt)) / 1e6
    let age = min(max(0, now - anchoredAt), runsFor)
    latest = max(latest, min(anchor + link.rate.frames(age), ending.position))
    return latest
  }

  /// Takes a report of the server. What the device holds is heard in any case.
  private func take(_ timing: pa_timing_info) {
    let held = watch.held(timing)
    anchor = link.readPosition(timing) - link.rate.frames(held)
    (anchoredAt, reported) = (Double(link.timedAt) / 1e6, anchor)
    isPlaying = timing.playing != 0
    runsFor = isPlaying ? Self.extrapolationLimit : held
  }

  /// The server has sent a request: it still responds, and still plays if it did before.
  func confirm() { if isPlaying { runsFor = max(runsFor, link.now - anchoredAt + Self.extrapolationLimit) } }

  /// Whether a report should be requested, because the last one is old or the server has been silent for almost a
  /// second. The silence may be normal: while the server waits for sound that it has already requested, it sends no
  /// further request.
  var isDoubtful: Bool {
    link.timedAt + Self.reportInterval < pa_rtclock_now()
      || isPlaying && anchoredAt + runsFor - Self.shortestRest < link.now
  }

  /// When a frame was heard or will be heard, if the server plays without a gap, in seconds of the monotonic clock.
  func moment(of frame: FrameTime) -> Double { anchoredAt + link.rate.seconds(frame - reported) }

  /// Stops the position until the next report: nothing is heard until then. The caller requests that report. The
  /// server sends none on its own if the position was ahead of it and it has not run out of sound.
  func stop() { (anchor, runsFor, isPlaying) = (latest, 0, false) }

  /// Moves the position to the end: the last frame has been heard.
  func finish() { latest = max(latest, ending.position) }
}

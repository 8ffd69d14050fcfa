internal import CPulse
internal import Engine
internal import Signal

/// Asks the server how far it has read a stream, finds the first frame that can still be replaced, and tests whether
/// the device can be rewound. `RewindTarget` decides; this executes its steps.
///
/// Everything is called under the connection's lock.
final class Rewinder {
  /// Microseconds after which a device that supports rewinding has been rewound.
  private static let rewindTimeout: UInt64 = 15_000
  /// Seconds within which the server must report its read position.
  private static let readingTimeout = 0.1
  /// Microseconds for which a rewind repeats its requests. Without an answer, a command is heard only after everything
  /// that the server has.
  private static let patience: UInt64 = 500_000

  private let link: StreamLink
  private let watch: DeviceWatch
  private let sent: SentSound
  private let ending: Drain
  /// The time of the last timing when a rewind got no answer; nil if every rewind got one.
  private var unansweredSince: UInt64?
  /// The target of the last rewind, its result, and when the reading that determined it was answered, in microseconds of
  /// the monotonic clock.
  private var last: (target: RewindTarget, frame: FrameTime, at: UInt64)?
  /// Seconds that are planned for the first write after a rewind.
  private var turnaround = RewindTarget.turnaround.lowerBound
  /// What remains of a long turnaround if the next one is short.
  private static let decay = 0.8

  init(of link: StreamLink, _ watch: DeviceWatch, _ sent: SentSound, _ ending: Drain) {
    (self.link, self.watch, self.sent, self.ending) = (link, watch, sent, ending)
  }

  /// The first frame that the next write can replace; nil if the stream is lost or the server does not answer.
  func start() -> FrameTime? {
    // A server that did not answer the last rewind, and has not reported anything since, is asked only once.
    let end = pa_rtclock_now() + (unansweredSince == link.timedAt ? 0 : Self.patience)
    while link.isReady {
      if let start = replaceable(after: turnaround) { return start }
      if ending.isRetracted || end < pa_rtclock_now() {
        unansweredSince = link.timedAt
        return nil
      }
    }
    return nil
  }

  /// The first frame that a message can still replace that is sent now, if the result of the last rewind is too early by
  /// now; otherwise nil.
  func laterStart() -> FrameTime? {
    guard let last else { return nil }
    let first = last.target.first(after: elapsed(since: last.at))
    return last.frame < first ? first : nil
  }

  /// Changes the result of the last rewind to a frame that can still be replaced after `RewindTarget.lateness`, if it is
  /// too early by now.
  ///
  /// - Returns: that frame; nil if the result stays.
  func postpone() -> FrameTime? {
    guard let last, laterStart() != nil else { return nil }
    let frame = last.target.first(after: elapsed(since: last.at) + RewindTarget.lateness)
    self.last?.frame = frame
    return frame
  }

  private func elapsed(since moment: UInt64) -> Double { Double(pa_rtclock_now() - moment) / 1e6 }

  /// The first write after a rewind is sent now. The next rewind plans as much time for it as this one has taken, and a
  /// little more.
  func answered() {
    guard let last = last.take() else { return }
    let seconds = max(1.25 * elapsed(since: last.at), Self.decay * turnaround)
    turnaround = min(max(RewindTarget.turnaround.lowerBound, seconds), RewindTarget.turnaround.upperBound)
  }

  /// The first frame that can certainly still be replaced by a message that reaches the server in `transit` seconds;
  /// nil if the server does not answer.
  func replaceable(after transit: Double) -> FrameTime? {
    last = nil
    var target = RewindTarget(at: link.rate, after: transit)
    while let reading = reading() {
      let now = pa_rtclock_now()
      switch target.next(reading, isCorked: link.isCorked, in: watch.buffer, watch.rewindSupport) {
      case .frame(let frame):
        last = (target, frame, now)
        return frame
      case .wait(let seconds): link.connection.wait(upTo: seconds) { link.isReady }
      case .probe(let reading): probe(at: reading, after: transit)
      }
    }
    return nil
  }

  /// Requests the server's read position, and waits for the answer; nil if it does not arrive within `readingTimeout`.
  @discardableResult func reading() -> RewindTarget.Reading? {
    let asked = pa_rtclock_now()
    guard let answer = link.requestTiming(waiting: Self.readingTimeout) else {
      link.connection.wait(upTo: Self.readingTimeout) { link.isReady && !ending.isRetracted }
      return nil
    }
    guard answer == PA_OPERATION_DONE, let timing = link.timing else { return nil }
    let hasCycles = watch.buffer == .cycles
    var reading = RewindTarget.Reading(
      read: link.readPosition(timing), left: Double(timing.sink_usec) / 1e6,
      period: Double(timing.configured_sink_usec) / 1e6, isPlaying: timing.playing != 0,
      waited: Double(pa_rtclock_now() - asked) / 1e6, tolerance: hasCycles ? 0 : RewindTarget.lateness)
    if hasCycles, let next = link.nextRead(at: Double(asked) / 1e6) {
      (reading.left, reading.period, reading.tolerance) = (next.left, next.length, ReadCyclePredictor.lateness)
      // At most one read is late: PipeWire does not make up for those that it has missed.
      let latest = reading.read + link.rate.frames(next.length)
      if reading.isPlaying { reading.read = max(reading.read, min(next.position, latest)) }
    }
    return reading
  }

  /// Tests whether the device can be rewound, before a command depends on it.
  func probe() {
    guard watch.rewindSupport == .unknown, watch.buffer.isRewindable, !sent.replay.isRewound, !link.isStopped,
      let reading = reading()
    else { return }
    probe(at: reading, after: turnaround)
  }

  /// Sends frames that the device already holds once more, and checks whether the server's read position moves back.
  /// Some devices, such as PulseAudio's combined outputs, can't be rewound although their flags say so.
  private func probe(at reading: RewindTarget.Reading, after transit: Double) {
    guard
      let half = RewindTarget.probe(
        of: sent.replay, until: sent.sentEnd, reading, in: watch.buffer, at: link.rate, after: transit)
    else { return }
    let (start, end, wasRetracted) = (pa_rtclock_now(), sent.sentEnd, ending.isRetracted)
    sent.resend(half)
    var isRewound = false
    while link.isReady, !isRewound, pa_rtclock_now() < start + Self.rewindTimeout, let reading = self.reading() {
      isRewound = reading.read <= half.upperBound
    }
    // A retraction during these requests has already replaced the rest.
    if ending.isRetracted, !wasRetracted { return }
    sent.resend(half.upperBound..<sent.replay.end)
    if sent.replay.end < end { sent.sendSilence(seconds: link.rate.seconds(end - sent.replay.end)) }
    if link.isReady { watch.probed(isRewound: isRewound) }
  }
}

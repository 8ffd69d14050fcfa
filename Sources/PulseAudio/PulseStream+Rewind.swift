internal import CPulse
internal import Engine
internal import Signal

/// Rewinding: which of the frames that the server has can still be replaced.
///
/// If a rewind chose a frame that can't be replaced any more, the beginning of the new sound would be lost. Most of the
/// constants here are safety margins against that.
extension PulseStream {
  /// Seconds added to the frame that the server reads next.
  private static let margin = 0.001
  /// Seconds that a message to the server may take, even on a busy machine.
  static let transit = 0.005
  /// Seconds from a rewind until the first write after it arrives at the server, on a machine that is not busy. The
  /// mixer renders again in this time. The measured duration of the request is added, which is longer on a busy
  /// machine.
  private static let turnaround = 0.003
  /// Seconds by which that write may be later, on a device that reads whole periods.
  private static let lateness = 0.002
  /// Seconds to wait after an event of the device is due, so that it has certainly happened.
  private static let eventMargin = 0.0005
  /// Seconds of the device's sound that a rewind can't replace, in addition to what plays while the message is sent.
  private static let rewindMargin = 0.003
  /// Seconds of sound that the device must hold for a rewind of the device to be useful.
  private static let leastRewind = 0.025
  /// Seconds that the device must be able to hold to be rewound at all.
  static let smallDevice = 0.1
  /// Seconds that the device must hold for a probe, so that the second half of the probe arrives before it is due.
  private static let probeable = 0.04
  /// Microseconds after which a device that supports rewinding has been rewound.
  private static let rewindTimeout: UInt64 = 15_000
  /// Seconds within which the server must report its read position.
  private static let readingTimeout = 0.1
  /// Seconds for which a rewind repeats its requests. Without an answer, a command is heard only after everything that
  /// the server has.
  private static let patience = 0.5

  /// Rewinds to the first frame that can still be replaced. Staged frames are dropped. What the server has plays until
  /// the next `write` replaces it.
  ///
  /// - Returns: the position of the next write; nil if the server does not answer.
  func rewind() -> FrameTime? {
    connection.locked {
      guard !isRetracted, let start = rewindTarget() else { return nil }
      staged.removeAll(keepingCapacity: true)
      replay.rewind(to: start, sent: sentTo)
      if isCorked { replay.fadeIn(at: start) }
      return replay.next
    }
  }

  /// The first frame that the next write can replace; of a lost stream, the first frame that was not heard. Nil if the
  /// server does not answer.
  private func rewindTarget() -> FrameTime? {
    // A server that did not answer the last rewind, and has not reported anything since, is asked only once.
    let end = now + (unansweredSince == callbackState.timedAt ? 0 : Self.patience)
    while isReady {
      if let start = replaceableFrom(after: Self.turnaround) { return start }
      if isRetracted || end < now {
        unansweredSince = callbackState.timedAt
        return nil
      }
    }
    // The stream may have been lost during the request.
    return heard()
  }

  /// The first frame that can certainly still be replaced by a message that reaches the server in `transit` seconds;
  /// nil if the server does not answer.
  func replaceableFrom(after transit: Double) -> FrameTime? {
    guard var answer = requestReading() else { return nil }
    // A corked stream has been rewound by the server, and reads nothing.
    if isCorked { return answer.read }
    if !answer.isPlaying { return answer.read + rate.frames(Self.margin) }
    if buffer.isRewindable {
      guard let next = refilled(answer, after: transit) else { return nil }
      answer = next
      if rewindSupport == .unknown {
        probeRewind(at: answer, after: transit)
        guard let next = requestReading(), let last = refilled(next, after: transit) else { return nil }
        answer = last
      }
      // For less sound than this a rewind of the device gains nothing, and every rewind damages recordings of the
      // device's monitor.
      if rewindSupport == .confirmed, Self.leastRewind < answer.left { return rewoundFrom(answer, after: transit) }
    }
    return unmixedFrom(answer, after: transit)
  }

  /// `answer`, or a reading after the device's next refill if a message would arrive after that refill.
  private func refilled(_ answer: Reading, after transit: Double) -> Reading? {
    if answer.waited + transit < answer.left { return answer }
    connection.wait(upTo: answer.left + Self.eventMargin) { isReady }
    return requestReading()
  }

  private func rewoundFrom(_ answer: Reading, after transit: Double) -> FrameTime {
    let unheard = answer.left - answer.waited - transit - Self.rewindMargin
    return answer.read - rate.frames(max(0, unheard)) + rate.frames(Self.margin)
  }

  /// Tests whether the device can be rewound, before a command depends on it.
  func probeRewind() {
    guard rewindSupport == .unknown, buffer.isRewindable, !replay.isRewound, !isCorkedOrSuspended,
      let answer = requestReading()
    else { return }
    probeRewind(at: answer, after: Self.turnaround)
  }

  /// Sends frames that the device already holds once more, unchanged, and checks whether the server's read position
  /// moves back. Some devices, such as PulseAudio's combined outputs, can't be rewound although their flags say so.
  ///
  /// The first half of the frames is sent, then the position is checked, then the rest is sent. All of it arrives
  /// before it is due, so the probe is inaudible.
  private func probeRewind(at answer: Reading, after transit: Double) {
    let first = rewoundFrom(answer, after: transit)
    let middle = first + (answer.read - first) / 2
    // After a rewind the server plays only if it has at least the prebuffer.
    guard answer.isPlaying, Self.probeable < answer.left, replay.oldest <= first, first < middle,
      middle < replay.end, middle + rate.frames(buffer.first) < sentEnd
    else { return }
    let (start, end, wasRetracted) = (pa_rtclock_now(), sentEnd, isRetracted)
    resend(first..<middle)
    var isRewound = false
    while isReady, !isRewound, pa_rtclock_now() < start + Self.rewindTimeout, let answer = requestReading() {
      isRewound = answer.read <= middle
    }
    // A retraction during these requests has already replaced the rest.
    if isRetracted, !wasRetracted { return }
    resend(middle..<replay.end)
    if replay.end < end { sendSilence(seconds: rate.seconds(end - replay.end)) }
    guard isReady else { return }
    rewindSupport = isRewound ? .confirmed : .absent
    if isRewound { return }
    use(.fixed, after: buffer)
    isGrantDue = true
  }

  /// Sends frames once more. An error means that the stream has ended; the next `write` reports it.
  private func resend(_ range: Range<FrameTime>) {
    try? replay[range].withUnsafeBufferPointer { (frames) throws(SinkError) in
      try send(frames, at: range.lowerBound)
    }
  }

  /// The first frame that can be replaced if the device can't be rewound. Such a device reads whole periods. If a
  /// message would arrive after its next read, this function waits for that read, and returns a frame after it.
  private func unmixedFrom(_ answer: Reading, after transit: Double) -> FrameTime? {
    var answer = answer
    // Other streams may make the device read less at once than was granted to this stream.
    var period = min(answer.period, Self.smallDevice / 2)
    if answer.left < answer.waited + transit + answer.tolerance {
      // For the same reason, the length of this read is measured.
      connection.wait(upTo: answer.left + answer.tolerance + Self.eventMargin) { isReady }
      guard let next = requestReading() else { return nil }
      if answer.read < next.read { period = min(period, rate.seconds(next.read - answer.read)) }
      answer = next
    }
    // If the device holds more than it reads at once, the time of its next read is unknown.
    let isUnknown = buffer == .cycles ? answer.tolerance == 0 : buffer == .fixed && period < answer.left
    let late = answer.waited + transit - (isUnknown ? 0 : answer.left)
    let taken = 0 < late && 0 < period ? period * (1 + (late / period).rounded(.down)) : 0
    return answer.read + rate.frames(Self.margin + taken)
  }

  /// Requests the server's read position, and waits for the answer; nil if it does not arrive within `readingTimeout`.
  ///
  /// The request is never cancelled. libpulse permits 32 unanswered ones, and counts a cancelled one as unanswered even
  /// after its answer.
  func requestReading() -> Reading? {
    let wake: pa_stream_success_cb_t = { _, _, changed in Broadcast.at(changed)?.call() }
    let asked = pa_rtclock_now()
    guard let operation = pa_stream_update_timing_info(stream, wake, connection.changed.pointer) else {
      connection.wait(upTo: Self.readingTimeout) { isReady && !isRetracted }
      return nil
    }
    defer { pa_operation_unref(operation) }
    connection.wait(upTo: Self.readingTimeout) { pa_operation_get_state(operation) == PA_OPERATION_RUNNING }
    guard pa_operation_get_state(operation) == PA_OPERATION_DONE,
      let timing = pa_stream_get_timing_info(stream)?.pointee
    else { return nil }
    var reading = Reading(
      read: readPosition(timing), left: Double(timing.sink_usec) / 1e6,
      period: Double(timing.configured_sink_usec) / 1e6, isPlaying: timing.playing != 0,
      waited: Double(pa_rtclock_now() - asked) / 1e6, tolerance: buffer == .cycles ? 0 : Self.lateness)
    if buffer == .cycles, let next = predictor.next(at: Double(asked) / 1e6, rate: rate) {
      (reading.left, reading.period, reading.tolerance) = (next.left, next.length, ReadCyclePredictor.lateness)
      // At most one read is late: PipeWire does not make up for those that it has missed.
      let latest = reading.read + rate.frames(next.length)
      if reading.isPlaying { reading.read = max(reading.read, min(next.position, latest)) }
    }
    return reading
  }

  /// The server's read position at one time.
  struct Reading {
    /// The frame that the server reads next.
    var read: FrameTime
    /// Seconds until the device reads more: the sound that it holds.
    var left: Double
    /// The maximum number of seconds that the device reads at once.
    var period: Double
    var isPlaying: Bool
    /// Seconds from the request to the answer.
    var waited: Double
    /// The possible error of `left`, or of the time at which the next write arrives, in seconds.
    var tolerance: Double
  }
}

internal import CPulse
internal import Engine
internal import Signal

extension PulseStream {
  /// Seconds added to the frame that the server reads next.
  private static let margin = 0.001
  /// Seconds that a message to the server may take, even on a busy machine.
  static let transit = 0.005
  /// Seconds until the first write after a rewind arrives, on a machine that is not busy; the mixer renders again in
  /// this time. The duration of the request is added, so a busy machine has more time.
  private static let turnaround = 0.003
  /// Seconds after an event is due when it has certainly happened.
  private static let instant = 0.0005
  /// Seconds that a device does not return when it is rewound, in addition to the time of the message.
  private static let rewindMargin = 0.003
  /// Seconds of sound in the device above which a rewind is worth it.
  private static let soon = 0.025
  /// Seconds that a device must hold to be worth rewinding at all.
  static let smallDevice = 0.1
  /// Seconds that a device must hold to be probed, so that the second half of the probe arrives before it is due.
  private static let probeable = 0.04
  /// A device that can be rewound has been rewound after this many microseconds.
  private static let rewindPatience: UInt64 = 15_000
  /// Seconds within which the server must report its read position.
  private static let quick = 0.1

  /// Rewinds to the first frame that the server has not mixed and that can be replaced. Nil if the server does not
  /// answer.
  ///
  /// Staged frames are dropped. What the server has plays until the next `write` replaces it.
  func rewind() -> FrameTime? {
    connection.locked {
      guard !isRetracted, let start = isGood ? replaceableFrom(after: Self.turnaround) : heard() else { return nil }
      staged.removeAll(keepingCapacity: true)
      resumesAt = min(max(start, history.oldest), history.end)
      if isCorked { fadeIn = .rising(at: start, over: rate.frames(Self.returning), .sCurve) }
      return resumesAt
    }
  }

  /// The first frame that can certainly still be replaced, if a message reaches the server in `way` seconds; nil if it
  /// does not answer.
  func replaceableFrom(after way: Double) -> FrameTime? {
    guard var answer = ask() else { return nil }
    if isCorked || !answer.isPlaying { return answer.read + rate.frames(Self.margin) }
    if buffer.isRewindable {
      guard let next = refilled(answer, after: way) else { return nil }
      answer = next
      if rewindSupport == .unknown {
        probeRewind(at: answer, after: way)
        guard let next = ask(), let last = refilled(next, after: way) else { return nil }
        answer = last
      }
      // A rewind is not worth it for sound that is heard soon anyway, and it corrupts recordings of the device's
      // monitor.
      if rewindSupport == .confirmed, Self.soon < answer.left { return rewoundFrom(answer, after: way) }
    }
    return unmixedFrom(answer, after: way)
  }

  /// The reading after the device's next refill, if that is so soon that a rewind would come too late.
  private func refilled(_ answer: Reading, after way: Double) -> Reading? {
    if answer.waited + way < answer.left { return answer }
    connection.wait(upTo: answer.left + Self.instant) { isGood }
    return ask()
  }

  private func rewoundFrom(_ answer: Reading, after way: Double) -> FrameTime {
    let unheard = answer.left - answer.waited - way - Self.rewindMargin
    return answer.read - rate.frames(max(0, unheard)) + rate.frames(Self.margin)
  }

  /// Detects whether the device can be rewound, before a command depends on it.
  func probeRewind() {
    guard rewindSupport == .unknown, buffer.isRewindable, resumesAt == nil, !isHeldUp, let answer = ask() else {
      return
    }
    probeRewind(at: answer, after: Self.turnaround)
  }

  /// Sends frames that the device already holds again, unchanged, and checks whether the server's read position goes
  /// back. Some devices can't be rewound although their flags say so, such as PulseAudio's combined outputs.
  ///
  /// The first half of the frames is sent, then the position is checked, then the rest is sent. All of it arrives
  /// before it is due, so the probe is inaudible.
  private func probeRewind(at answer: Reading, after way: Double) {
    let first = rewoundFrom(answer, after: way)
    let middle = first + (answer.read - first) / 2
    // After a rewind the server plays only if it has at least the prebuffer.
    guard answer.isPlaying, Self.probeable < answer.left, history.oldest <= first,
      middle < history.end, middle + rate.frames(buffer.first) < sentEnd
    else { return }
    let (start, end) = (pa_rtclock_now(), sentEnd)
    resend(first..<middle)
    var isRewound = false
    while isGood, !isRewound, pa_rtclock_now() < start + Self.rewindPatience, let answer = ask() {
      isRewound = answer.read <= middle
    }
    resend(middle..<history.end)
    if history.end < end { sendSilence(seconds: rate.seconds(end - history.end)) }
    guard isGood else { return }
    rewindSupport = isRewound ? .confirmed : .absent
    if isRewound { return }
    use(.fixed, after: buffer)
    isGrantDue = true
  }

  /// An error means that the stream has ended; the next `write` reports it.
  private func resend(_ stretch: Range<FrameTime>) {
    try? history[stretch].withUnsafeBufferPointer { (frames) throws(SinkError) in
      try send(frames, at: stretch.lowerBound)
    }
  }

  /// A device that can't be rewound takes whole periods. When the next period is nearly due, the frames that it will
  /// take can't be replaced any more: wait for that moment, and replace what follows them.
  private func unmixedFrom(_ answer: Reading, after way: Double) -> FrameTime? {
    var answer = answer
    // The stream may have been granted more than the device reads at once while others use it.
    var period = min(answer.period, Self.smallDevice / 2)
    if answer.left < answer.waited + way + answer.doubt {
      // How much the device reads at once depends on its other users, so it is measured.
      connection.wait(upTo: answer.left + answer.doubt + Self.instant) { isGood }
      guard let next = ask() else { return nil }
      if answer.read < next.read { period = min(period, rate.seconds(next.read - answer.read)) }
      answer = next
    }
    let late = answer.waited + way - answer.left
    let taken = 0 < late && 0 < period ? period * (1 + (late / period).rounded(.down)) : 0
    return answer.read + rate.frames(Self.margin + taken)
  }

  /// Requests the server's read position; nil if it does not answer at once.
  func ask() -> Reading? {
    let wake: pa_stream_success_cb_t = { _, _, changed in Broadcast.at(changed)?.call() }
    let asked = pa_rtclock_now()
    let question = pa_stream_update_timing_info(stream, wake, connection.changed.pointer)
    guard connection.answered(question, within: Self.quick), let timing = pa_stream_get_timing_info(stream)?.pointee
    else { return nil }
    var reading = Reading(
      read: readPosition(timing), left: Double(timing.sink_usec) / 1e6,
      period: Double(timing.configured_sink_usec) / 1e6, isPlaying: timing.playing != 0,
      waited: Double(pa_rtclock_now() - asked) / 1e6)
    if buffer == .cycles, let next = rhythm.next(at: Double(asked) / 1e6, rate: rate) {
      (reading.left, reading.period, reading.doubt) = (next.left, next.cycle, DeviceRhythm.lateness)
    }
    return reading
  }

  /// The server's read position.
  struct Reading {
    /// The frame that the server reads next.
    var read: FrameTime
    /// Seconds that the device holds; then it reads more.
    var left: Double
    /// The most seconds that the device reads at once.
    var period: Double
    var isPlaying: Bool
    /// Seconds until the answer arrived.
    var waited: Double
    /// `left` is accurate to this many seconds.
    var doubt = 0.0
  }
}

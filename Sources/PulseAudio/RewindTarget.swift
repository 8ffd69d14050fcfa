internal import Engine
internal import Signal

/// Finds the first frame that can certainly still be replaced by a message that reaches the server soon, from what the
/// server reports. The stream executes the steps in between.
///
/// If a rewind chose a frame that can't be replaced any more, the beginning of the new sound would be lost. Most of the
/// constants here are safety margins against that.
struct RewindTarget {
  /// Seconds added to the frame that the server reads next.
  private static let margin = 0.001
  /// Seconds that a message to the server may take, even on a busy machine.
  static let transit = 0.005
  /// Seconds from a rewind until the first write after it arrives at the server: the shortest time that is planned for
  /// it, and the longest. In between, control plans again and the mixer renders again. The measured duration of the
  /// request is added, which is longer on a busy machine.
  static let turnaround = 0.003...0.02
  /// Seconds by which that write may be later, on a device that reads whole periods.
  static let lateness = 0.002
  /// Seconds to wait after an event of the device is due, so that it has certainly happened.
  private static let eventMargin = 0.0005
  /// Seconds of the device's sound that a rewind can't replace, in addition to what plays while the message is sent.
  private static let rewindMargin = 0.003
  /// Seconds of sound that the device must hold for a rewind of the device to be useful.
  private static let leastRewind = 0.025
  /// Seconds that the device must hold for a probe, so that the second half of the probe arrives before it is due.
  private static let probeable = 0.04

  /// The server's read position at one time.
  struct Reading: Hashable {
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

  enum Step: Hashable {
    /// The result.
    case frame(FrameTime)
    /// Wait this many seconds, then pass another reading.
    case wait(seconds: Double)
    /// Test whether the device can be rewound, then pass another reading.
    case probe(Reading)
  }

  /// What determines the first frame that can be replaced.
  private enum Basis {
    /// The server reads nothing before this frame.
    case still(FrameTime)
    /// The device is rewound.
    case rewound(Reading)
    /// The device reads whole periods. The second reading was made before its last read, or is the same.
    case periods(Reading, before: Reading, PulseBuffer)
  }

  private let rate: SampleRate
  /// Seconds until the message arrives.
  private let transit: Double
  private var isFirst = true
  /// Whether the last reading was made after the device's next refill.
  private var isRefilled = false
  private var hasProbed = false
  /// The reading before the read that is measured.
  private var measured: Reading?
  /// Set with the result.
  private var basis: Basis?

  init(at rate: SampleRate, after transit: Double) { (self.rate, self.transit) = (rate, transit) }

  /// Takes a reading, and returns what to do next.
  mutating func next(
    _ reading: Reading, isCorked: Bool, in buffer: PulseBuffer, _ support: DeviceWatch.RewindSupport
  ) -> Step {
    if let measured { return found(.periods(reading, before: measured, buffer)) }
    if isFirst {
      isFirst = false
      // A corked stream has been rewound by the server, and reads nothing.
      if isCorked { return found(.still(reading.read)) }
      if !reading.isPlaying { return found(.still(reading.read + rate.frames(Self.margin))) }
    }
    if buffer.isRewindable || hasProbed {
      // If the message would arrive after the device's next refill, that refill is awaited.
      if !isRefilled, reading.left <= reading.waited + transit {
        isRefilled = true
        return .wait(seconds: reading.left + Self.eventMargin)
      }
      if support == .unknown, !hasProbed {
        (hasProbed, isRefilled) = (true, false)
        return .probe(reading)
      }
      // For less sound than this a rewind of the device gains nothing, and every rewind damages recordings of the
      // device's monitor.
      if support == .confirmed, Self.leastRewind < reading.left { return found(.rewound(reading)) }
    }
    return unmixed(reading, in: buffer)
  }

  private mutating func found(_ basis: Basis) -> Step {
    self.basis = basis
    return .frame(first(of: basis, after: transit))
  }

  /// The first frame that can be replaced by a message that arrives `seconds` after the last reading. It is the result,
  /// unless the message is later than was planned; 0 before the result.
  func first(after seconds: Double) -> FrameTime { basis.map { first(of: $0, after: max(transit, seconds)) } ?? 0 }

  private func first(of basis: Basis, after seconds: Double) -> FrameTime {
    switch basis {
    case .still(let frame): frame
    case .rewound(let reading): rewound(reading, after: max(transit, seconds - Self.lateness))
    case .periods(let reading, let before, let buffer): unmixed(reading, before, in: buffer, after: seconds)
    }
  }

  private func rewound(_ reading: Reading, after transit: Double) -> FrameTime {
    let unheard = reading.left - reading.waited - transit - Self.rewindMargin
    return reading.read - rate.frames(max(0, unheard)) + rate.frames(Self.margin)
  }

  /// If the device can't be rewound: it reads whole periods. If a message would arrive after its next read, that read is
  /// awaited, and the result is a frame after it.
  private mutating func unmixed(_ reading: Reading, in buffer: PulseBuffer) -> Step {
    if reading.left < reading.waited + transit + reading.tolerance {
      // Other streams may make the device read less at once than was granted to this stream. The length of this read
      // is therefore measured.
      measured = reading
      return .wait(seconds: reading.left + reading.tolerance + Self.eventMargin)
    }
    return found(.periods(reading, before: reading, buffer))
  }

  private func unmixed(
    _ reading: Reading, _ before: Reading, in buffer: PulseBuffer, after transit: Double
  ) -> FrameTime {
    var period = min(before.period, DeviceWatch.smallDevice / 2)
    let isMeasured = before.read < reading.read
    if isMeasured { period = min(period, rate.seconds(reading.read - before.read)) }
    // If the device holds more than it reads at once, the time of its next read is unknown.
    let isUnknown = buffer == .cycles ? reading.tolerance == 0 : buffer == .fixed && period < reading.left
    let late = reading.waited + transit - (isUnknown ? 0 : reading.left)
    if late <= 0 || period <= 0 { return reading.read + rate.frames(Self.margin) }
    // If the device reads less at once than it announces, it does so more often.
    let isExact = isMeasured || isUnknown || buffer == .cycles
    let taken = isExact ? period * (1 + (late / period).rounded(.down)) : late + period
    return reading.read + rate.frames(Self.margin + taken)
  }

  /// Frames that the device holds and that a probe can send once more, unchanged. The first half is sent, then the read
  /// position is checked, then the rest is sent. All of it arrives before it is due, so the probe is inaudible.
  ///
  /// - Parameter end: the position up to which the server has sound, including silence.
  /// - Returns: nil if the device or the stream holds too little.
  static func probe(
    of replay: Replay, until end: FrameTime, _ reading: Reading, in buffer: PulseBuffer, at rate: SampleRate,
    after transit: Double
  ) -> Range<FrameTime>? {
    let first = RewindTarget(at: rate, after: transit).rewound(reading, after: transit)
    let middle = first + (reading.read - first) / 2
    // After a rewind the server plays only if it has at least the prebuffer.
    guard reading.isPlaying, probeable < reading.left, replay.oldest <= first, first < middle, middle < replay.end,
      middle + rate.frames(buffer.first) < end
    else { return nil }
    return first..<middle
  }
}

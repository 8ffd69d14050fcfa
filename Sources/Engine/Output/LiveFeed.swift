import Signal

/// The sound of an output that must never fall silent without notice: rooms and listeners elsewhere, whose servers lose
/// their place, or the connection, if nothing comes.
///
/// It passes on the frames of the leading output. While there are none, because that output is lost or suspended, it
/// gives silence in real time. The sound fades out before, and in afterwards. All times are seconds of a monotonic clock.
struct LiveFeed {
  /// Seconds after which missing frames are replaced by silence.
  static let patience = 0.1
  /// Seconds by which the output may be ahead: silence that turned out to be too much, or a fast clock.
  static let surplus = 0.15
  /// Seconds that are kept back, so that they can be faded out.
  private static let kept = 0.01
  private static let fadeIn = 0.02

  private let rate: SampleRate
  /// Frames that are kept back.
  private var tail: [Frame] = []
  /// The time up to which the output has sound.
  private var covered: Double
  /// Whether silence was given last.
  private var isFilling = true
  /// Whether any frame was taken: the first one begins with the fade of the session.
  private var hasBegun = false
  /// Frames of the current fade-in that were passed.
  private var risen: FrameCount

  init(at rate: SampleRate, from now: Double) {
    (self.rate, covered) = (rate, now)
    risen = rate.frames(Self.fadeIn)
  }

  /// Takes frames, and returns those to write.
  mutating func take(_ frames: [Frame], at now: Double) -> [Frame] {
    if isFilling, hasBegun { risen = 0 }
    (isFilling, hasBegun) = (false, true)
    let length = rate.frames(Self.fadeIn)
    var all = tail
    if risen < length {
      let fade = Fade.rising(at: 0, over: length, .sCurve)
      all += frames.enumerated().map { $1 * fade.gain(at: risen + FrameCount($0)) }
      risen += FrameCount(frames.count)
    } else {
      all += frames
    }
    covered = min(now + Self.surplus, covered + rate.seconds(FrameCount(frames.count)))
    tail = Array(all.suffix(Int(rate.frames(Self.kept))))
    return Array(all.dropLast(tail.count))
  }

  /// The silence to write instead of frames that are missing; empty if it is too early to say.
  mutating func silence(at now: Double) -> [Frame] {
    guard Self.patience <= now - covered else { return [] }
    let missing = rate.frames(now - covered)
    covered = now
    return interrupted() + Array(repeating: .silence, count: Int(missing))
  }

  /// Frames are left out: those before fade out, and those after fade in.
  mutating func interrupted() -> [Frame] {
    isFilling = true
    defer { tail = [] }
    let fade = Fade.falling(at: 0, over: FrameCount(tail.count), .sCurve)
    return tail.enumerated().map { $1 * fade.gain(at: FrameTime($0)) }
  }

  /// The frames that were kept back, after the last one.
  mutating func end() -> [Frame] {
    defer { tail = [] }
    return tail
  }
}

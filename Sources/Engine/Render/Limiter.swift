package import Signal

/// A look-ahead peak limiter: no output sample exceeds full scale, and sound that never exceeds it passes bit for bit.
///
/// The gain of each frame is computed in three steps. The first is the lowest gain that any of the next `delay` frames
/// needs. The second lets the gain recover with a time constant of 100 ms. The third averages over `delay` frames, so
/// that the gain has no steps. The average is a sum of fixed-point integers, so it is exactly 1 while nothing is
/// limited, however the render is divided into blocks.
///
/// Used by the render thread alone, and with gains from outside when a file is levelled.
package struct Limiter: ~Copyable {
  /// Latency in frames: 5 ms of the session's rate.
  package let delay: Int

  /// The last `delay` frames of the input: a circular buffer whose oldest entry is at `oldest`.
  private let delayed: UnsafeMutablePointer<Frame>
  /// The gains of those frames before averaging, in units of 1/`one`, in the same order.
  private let targets: UnsafeMutablePointer<Int64>
  /// The index of the oldest entry of `delayed` and of `targets`.
  private var oldest = 0
  /// The sum of `targets`.
  private var sum: Int64
  /// The lowest gain that the delayed frames and the current frame need.
  private var least: SlidingMinimum
  /// The gain after the second step. Double precision, because at high rates the steps near 1 are too small for a
  /// float.
  private var recovering: Double = 1
  /// The share of the distance to 1 that is recovered per frame.
  private let recovery: Double

  /// The lowest gain so far.
  private(set) var leastGain: Double = 1
  /// The number of frames with a lower gain than 1 so far.
  private(set) package var limitedFrames: FrameCount = 0

  /// A gain of 1 in fixed point.
  private static var one: Int64 { @_noLocks get { 1 << 30 } }

  package init(rate: SampleRate) {
    delay = max(1, rate.hertz / 200)
    delayed = .allocate(capacity: delay)
    delayed.initialize(repeating: .silence, count: delay)
    targets = .allocate(capacity: delay)
    targets.initialize(repeating: Self.one, count: delay)
    sum = Self.one * Int64(delay)
    least = SlidingMinimum(window: delay + 1)
    recovery = 1 / (0.1 * Double(rate.hertz))
  }

  deinit {
    delayed.deallocate()
    targets.deallocate()
  }

  /// Clears the delay line after a rewind: the next frames don't continue the previous ones.
  @_noLocks mutating func reset() {
    var index = 0
    while index < delay {
      delayed[index] = Frame(left: 0, right: 0)
      targets[index] = Self.one
      index &+= 1
    }
    oldest = 0
    sum = Self.one &* Int64(delay)
    least.skip(delay &+ 1)
    recovering = 1
  }

  /// Replaces the frames by the limited frames that were processed `delay` frames earlier; at the start these are
  /// silence.
  @_noLocks mutating func process(_ frames: UnsafeMutablePointer<Frame>, count: Int) {
    if sum != Self.one &* Int64(delay) || recovering != 1 || exceedsFullScale(frames, count: count) {
      var index = 0
      while index < count {
        frames[index] = limit(frames[index])
        index &+= 1
      }
    } else {
      pass(frames, count: count)
    }
  }

  /// Whether any sample exceeds full scale or is NaN.
  ///
  /// It subtracts bit patterns as integers, which the compiler vectorises for every processor. The bit patterns of
  /// magnitudes have the order of the magnitudes, and that of NaN is above all others; so a difference is negative.
  @_noLocks private func exceedsFullScale(_ frames: UnsafeMutablePointer<Frame>, count: Int) -> Bool {
    let fullScale: Float = 1
    var signs: UInt32 = 0
    var index = 0
    while index < count {
      signs |= fullScale.bitPattern &- (frames[index].left.bitPattern & 0x7FFF_FFFF)
      signs |= fullScale.bitPattern &- (frames[index].right.bitPattern & 0x7FFF_FFFF)
      index &+= 1
    }
    return 0x8000_0000 <= signs
  }

  /// Delays the frames without changing them: all gains are 1, and remain so.
  @_noLocks private mutating func pass(_ frames: UnsafeMutablePointer<Frame>, count: Int) {
    var done = 0
    while done < count {
      let toEdge = delay &- oldest
      let run = count &- done < toEdge ? count &- done : toEdge
      exchange(frames + done, delayed + oldest, count: run)
      oldest = oldest &+ run == delay ? 0 : oldest &+ run
      done &+= run
    }
    least.skip(count)
  }

  @_noLocks private func exchange(_ a: UnsafeMutablePointer<Frame>, _ b: UnsafeMutablePointer<Frame>, count: Int) {
    var index = 0
    while index < count {
      let frame = a[index]
      a[index] = b[index]
      b[index] = frame
      index &+= 1
    }
  }

  /// Replaces the frames by those of `delay` frames earlier, with the smoothed gains.
  ///
  /// - Parameters:
  ///   - gains: what each frame needs, 0 to 1.
  ///   - count: the number of frames and of gains.
  ///   - applied: called with the gain of each frame that is returned.
  package mutating func process(
    _ frames: UnsafeMutablePointer<Frame>, needing gains: UnsafePointer<Float>, count: Int, applied: (Double) -> Void
  ) {
    for index in 0..<count {
      frames[index] = limit(frames[index].withoutNaN, needing: gains[index])
      applied(Double(sum) / (Double(delay) * Double(Self.one)))
    }
  }

  /// Takes one frame and returns the limited frame of `delay` frames earlier.
  @_noLocks private mutating func limit(_ frame: Frame) -> Frame {
    let frame = frame.withoutNaN
    let peak = frame.peak
    return limit(frame, needing: 1 < peak ? 1 / peak : 1)
  }

  @_noLocks private mutating func limit(_ frame: Frame, needing needed: Float) -> Frame {
    let target = Double(least.next(needed))
    recovering += (1 - recovering) * recovery
    // The approach is exponential: without this step it would never end.
    if 0.9999 < recovering { recovering = 1 }
    if target < recovering { recovering = target }
    let stored = Int64(recovering * Double(Self.one))
    sum &+= stored &- targets[oldest]
    targets[oldest] = stored
    let delayedFrame = delayed[oldest]
    delayed[oldest] = frame
    oldest = oldest &+ 1 == delay ? 0 : oldest &+ 1
    if sum == Self.one &* Int64(delay) { return delayedFrame }
    let gain = Double(sum) / (Double(delay) * Double(Self.one))
    if gain < leastGain { leastGain = gain }
    limitedFrames &+= 1
    return (delayedFrame * Float(gain)).clipped
  }
}

extension Frame {
  /// Clips what rounding has left above full scale. NaN, which an infinite sample times a gain of 0 gives, becomes
  /// silence.
  fileprivate var clipped: Frame {
    @_noLocks get { Frame(left: Self.clip(left), right: Self.clip(right)) }
  }

  /// NaN becomes silence.
  fileprivate var withoutNaN: Frame {
    @_noLocks get { Frame(left: left == left ? left : 0, right: right == right ? right : 0) }
  }

  @_noLocks private static func clip(_ sample: Float) -> Float {
    if sample < -1 { return -1 }
    if 1 < sample { return 1 }
    return sample == sample ? sample : 0
  }
}

/// The minimum of the last `window` values, in amortised constant time. It stores only the values that can still become
/// the minimum, in ascending order.
struct SlidingMinimum: ~Copyable {
  private let values: UnsafeMutablePointer<Float>
  /// The value of `now` when the value with the same index arrived.
  private let ages: UnsafeMutablePointer<Int>
  private let window: Int
  /// The values are `count` entries of a circular buffer from `first` on.
  private var first = 0
  private var count = 0
  private var now = 0

  init(window: Int) {
    self.window = window
    values = .allocate(capacity: window)
    ages = .allocate(capacity: window)
  }

  deinit {
    values.deallocate()
    ages.deallocate()
  }

  /// Appends a value and returns the minimum of the last `window` values.
  @_noLocks mutating func next(_ value: Float) -> Float {
    now &+= 1
    if 0 < count, ages[first] <= now &- window { dropFirst() }
    while 0 < count, value <= values[index(count &- 1)] { count &-= 1 }
    values[index(count)] = value
    ages[index(count)] = now
    count &+= 1
    return values[first]
  }

  /// Advances by `frames` values of 1, the gain of sound that needs no limiting. They needn't be stored, because no
  /// stored value is higher.
  @_noLocks mutating func skip(_ frames: Int) {
    now &+= frames
    while 0 < count, ages[first] <= now &- window { dropFirst() }
  }

  @_noLocks private mutating func dropFirst() {
    first = first &+ 1 == window ? 0 : first &+ 1
    count &-= 1
  }

  /// The buffer index of the queue's entry `offset`.
  @_noLocks private func index(_ offset: Int) -> Int {
    let index = first &+ offset
    return index < window ? index : index &- window
  }
}

import Signal

/// A look-ahead peak limiter: no sample leaves above full scale, and while none comes near it every bit passes as it is.
///
/// The gain that a frame needs is spread over the `lookahead` frames before it: the least gain of that window, recovering
/// with a time constant of 100 ms, averaged over the window once more. The averages are sums of integers, so that they
/// are exactly 1 when nothing is limited, wherever the render is cut into blocks.
struct Limiter: ~Copyable {
  /// Frames by which the sound comes out later than it went in.
  let delay: Int

  private let delayed: UnsafeMutablePointer<Frame>
  private let targets: UnsafeMutablePointer<Int64>
  private var place = 0
  private var sum: Int64
  private var least: SlidingMinimum
  /// In double precision: near 1 the steps at high rates are smaller than a float can take.
  private var recovering: Double = 1
  private let recovery: Double

  private static var one: Int64 { @_noLocks get { 1 << 30 } }

  init(rate: SampleRate) {
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

  /// Forgets what went in: another stretch of sound follows.
  @_noLocks mutating func reset() {
    var index = 0
    while index < delay {
      delayed[index] = Frame(left: 0, right: 0)
      targets[index] = Self.one
      index &+= 1
    }
    place = 0
    sum = Self.one &* Int64(delay)
    least.skip(delay &+ 1)
    recovering = 1
  }

  /// Replaces the frames by those that came `delay` frames before, limited.
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

  /// Compares bit patterns: those of magnitudes are in the order of the magnitudes, NaN above all, and whole numbers are
  /// compared many at a time.
  @_noLocks private func exceedsFullScale(_ frames: UnsafeMutablePointer<Frame>, count: Int) -> Bool {
    var highest: Int32 = 0
    var index = 0
    while index < count {
      let left = Int32(truncatingIfNeeded: frames[index].left.bitPattern & 0x7FFF_FFFF)
      let right = Int32(truncatingIfNeeded: frames[index].right.bitPattern & 0x7FFF_FFFF)
      highest = highest < left ? left : highest
      highest = highest < right ? right : highest
      index &+= 1
    }
    let fullScale: Float = 1
    return Int32(truncatingIfNeeded: fullScale.bitPattern) < highest
  }

  @_noLocks private mutating func pass(_ frames: UnsafeMutablePointer<Frame>, count: Int) {
    var done = 0
    while done < count {
      let toEdge = delay &- place
      let run = count &- done < toEdge ? count &- done : toEdge
      exchange(frames + done, delayed + place, count: run)
      place = place &+ run == delay ? 0 : place &+ run
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

  @_noLocks private mutating func limit(_ frame: Frame) -> Frame {
    let peak = frame.peak
    let needed: Float = 1 < peak ? 1 / peak : 1
    let target = Double(least.next(needed))
    recovering += (1 - recovering) * recovery
    if 0.9999 < recovering { recovering = 1 }
    if target < recovering { recovering = target }
    let stored = Int64(recovering * Double(Self.one))
    sum &+= stored &- targets[place]
    targets[place] = stored
    let past = delayed[place]
    delayed[place] = frame
    place = place &+ 1 == delay ? 0 : place &+ 1
    if sum == Self.one &* Int64(delay) { return past }
    return (past * Float(Double(sum) / (Double(delay) * Double(Self.one)))).clipped
  }
}

extension Frame {
  /// The last guard against rounding; NaN, which no limiter can mend, becomes silence.
  fileprivate var clipped: Frame {
    @_noLocks get { Frame(left: Self.clip(left), right: Self.clip(right)) }
  }

  @_noLocks private static func clip(_ sample: Float) -> Float {
    if sample < -1 { return -1 }
    if 1 < sample { return 1 }
    return sample == sample ? sample : 0
  }
}

/// The least of the last `window` values, in amortised constant time: a queue of the values that can still become the least.
struct SlidingMinimum: ~Copyable {
  private let values: UnsafeMutablePointer<Float>
  private let ages: UnsafeMutablePointer<Int>
  private let window: Int
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

  /// Takes the next value and returns the least of the last `window` ones.
  @_noLocks mutating func next(_ value: Float) -> Float {
    now &+= 1
    if 0 < count, ages[first] <= now &- window { dropFirst() }
    while 0 < count, value <= values[index(count &- 1)] { count &-= 1 }
    values[index(count)] = value
    ages[index(count)] = now
    count &+= 1
    return values[first]
  }

  /// As if `frames` values had come that are no less than any in reach.
  @_noLocks mutating func skip(_ frames: Int) {
    now &+= frames
    while 0 < count, ages[first] <= now &- window { dropFirst() }
  }

  @_noLocks private mutating func dropFirst() {
    first = first &+ 1 == window ? 0 : first &+ 1
    count &-= 1
  }

  @_noLocks private func index(_ offset: Int) -> Int {
    let index = first &+ offset
    return index < window ? index : index &- window
  }
}

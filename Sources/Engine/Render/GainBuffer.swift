import Signal

/// The gain of a voice over a stretch of frames: one number while nothing moves, else one a frame.
///
/// Factors are multiplied in the order in which they come, in both forms, so where a stretch is cut never changes a bit.
struct GainBuffer: ~Copyable {
  static var capacity: Int { @_noLocks get { 1_024 } }

  private let perFrame: UnsafeMutablePointer<Float>
  private var count = 0
  private(set) var constant: Float = 1
  private(set) var isConstant = true

  init() { perFrame = .allocate(capacity: Self.capacity) }

  deinit { perFrame.deallocate() }

  @_noLocks mutating func begin(_ gain: Float, count: Int) {
    constant = gain
    isConstant = true
    self.count = count
  }

  /// Multiplies by a fade whose first frame here is `frame`.
  @_noLocks mutating func multiply(by fade: Fade, from frame: FrameTime) {
    if frame &+ FrameTime(count) <= fade.start { return multiply(by: fade.from) }
    if fade.end <= frame { return multiply(by: fade.to) }
    spread()
    var index = 0
    while index < count {
      perFrame[index] *= fade.gain(at: frame &+ FrameTime(index))
      index &+= 1
    }
  }

  /// Multiplies by the smallest of some fades at each frame: the music steps back as far as the deepest asks.
  @_noLocks mutating func multiply(
    byLeastOf fades: UnsafeMutablePointer<Fade>, count fadeCount: Int, from frame: FrameTime
  ) {
    var isStill = true
    var which = 0
    while which < fadeCount {
      if fades[which].start < frame &+ FrameTime(count), frame < fades[which].end { isStill = false }
      which &+= 1
    }
    if isStill { return multiply(by: Self.least(of: fades, count: fadeCount, at: frame)) }
    spread()
    var index = 0
    while index < count {
      perFrame[index] *= Self.least(of: fades, count: fadeCount, at: frame &+ FrameTime(index))
      index &+= 1
    }
  }

  @_noLocks private static func least(of fades: UnsafeMutablePointer<Fade>, count: Int, at frame: FrameTime) -> Float {
    var least: Float = 1
    var which = 0
    while which < count {
      let gain = fades[which].gain(at: frame)
      if gain < least { least = gain }
      which &+= 1
    }
    return least
  }

  @_noLocks private mutating func multiply(by factor: Float) {
    if isConstant {
      constant *= factor
    } else if factor != 1 {
      var index = 0
      while index < count {
        perFrame[index] *= factor
        index &+= 1
      }
    }
  }

  @_noLocks private mutating func spread() {
    if !isConstant { return }
    isConstant = false
    var index = 0
    while index < count {
      perFrame[index] = constant
      index &+= 1
    }
  }

  /// Adds `source`, scaled by the gains from `offset` on, to `mix`.
  @_noLocks func add(_ source: UnsafeBufferPointer<Frame>, at offset: Int, to mix: UnsafeMutablePointer<Frame>) {
    var index = 0
    if !isConstant {
      while index < source.count {
        mix[index] = mix[index] + source[index] * perFrame[offset &+ index]
        index &+= 1
      }
    } else if constant == 1 {
      while index < source.count {
        mix[index] = mix[index] + source[index]
        index &+= 1
      }
    } else {
      while index < source.count {
        mix[index] = mix[index] + source[index] * constant
        index &+= 1
      }
    }
  }

  /// Adds one frame, scaled by its gain, to the mix.
  @_noLocks func add(_ frame: Frame, at offset: Int, to mix: UnsafeMutablePointer<Frame>) {
    mix[offset] = mix[offset] + frame * (isConstant ? constant : perFrame[offset])
  }

  /// Scales the mix itself.
  @_noLocks func scale(_ mix: UnsafeMutablePointer<Frame>) {
    if isConstant, constant == 1 { return }
    var index = 0
    while index < count {
      mix[index] = mix[index] * (isConstant ? constant : perFrame[index])
      index &+= 1
    }
  }
}

import Signal

/// The gain of a voice over a segment, that is, over consecutive frames during which no command is due: one number if
/// the gain is constant, otherwise one number per frame.
///
/// In both forms the factors are multiplied in the order of the calls, so the result has the same bits however a render
/// is divided into segments. Used by the render thread alone.
struct GainBuffer: ~Copyable {
  /// The most frames of a segment.
  static var capacity: Int { @_noLocks get { 1_024 } }

  /// Valid in `0..<count` while `isConstant` is false.
  private let perFrame: UnsafeMutablePointer<Float>
  private var count = 0
  /// The gain of all frames while `isConstant` is true.
  private(set) var constant: Float = 1
  private(set) var isConstant = true

  init() { perFrame = .allocate(capacity: Self.capacity) }

  deinit { perFrame.deallocate() }

  /// Starts a segment of `count` frames, at most `capacity`, with a constant gain.
  @_noLocks mutating func begin(_ gain: Float, count: Int) {
    constant = gain
    isConstant = true
    self.count = count
  }

  /// Multiplies the gains by a fade. `frame` is the session frame of the segment's first frame.
  @_noLocks mutating func multiply(by fade: Fade, from frame: FrameTime) {
    if frame &+ FrameTime(count) <= fade.start { return multiply(by: fade.from) }
    if fade.end <= frame { return multiply(by: fade.to) }
    makePerFrame()
    var index = 0
    while index < count {
      perFrame[index] *= fade.gain(at: frame &+ FrameTime(index))
      index &+= 1
    }
  }

  /// Multiplies the gain of each frame by the lowest gain that any of the fades has there, and at most by 1.
  @_noLocks mutating func multiply(
    byLeastOf fades: UnsafeMutablePointer<Fade>, count fadeCount: Int, from frame: FrameTime
  ) {
    var isConstantHere = true
    var which = 0
    while which < fadeCount {
      if fades[which].start < frame &+ FrameTime(count), frame < fades[which].end { isConstantHere = false }
      which &+= 1
    }
    if isConstantHere { return multiply(by: Self.least(of: fades, count: fadeCount, at: frame)) }
    makePerFrame()
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

  /// Changes from one gain for all frames to one gain per frame.
  @_noLocks private mutating func makePerFrame() {
    if !isConstant { return }
    isConstant = false
    var index = 0
    while index < count {
      perFrame[index] = constant
      index &+= 1
    }
  }

  /// Adds `source` to `mix`, scaled by the gains from index `offset` on.
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

  /// Adds one frame to the mix at index `offset`, scaled by the gain there.
  @_noLocks func add(_ frame: Frame, at offset: Int, to mix: UnsafeMutablePointer<Frame>) {
    mix[offset] = mix[offset] + frame * (isConstant ? constant : perFrame[offset])
  }

  /// Scales all frames of the mix by their gains.
  @_noLocks func scale(_ mix: UnsafeMutablePointer<Frame>) {
    if isConstant, constant == 1 { return }
    var index = 0
    while index < count {
      mix[index] = mix[index] * (isConstant ? constant : perFrame[index])
      index &+= 1
    }
  }
}

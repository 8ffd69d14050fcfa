/// Avoids clicks where frames of a file are lost: at the beginning of the gap, the sound fades out, and after it, the
/// sound fades in.
///
/// A gap is detected only when it is reached, and the frames before it have already been delivered. The fade-out
/// therefore is a mirror image of these frames, inside the gap. If the sound continues before the fade-out has ended,
/// both are mixed; their gains add up to less than 1.
struct Concealment {
  /// Frames of each fade.
  let ramp: Int
  /// The number of channels.
  private let width: Int
  /// The last frames of the output, the newest one last. Only the last `known` of them are valid.
  private var history: [Float]
  private var known = 0
  /// The current fade-out, interleaved.
  private var fadeOut: [Float] = []
  /// How many samples of `fadeOut` have been mixed.
  private var played = 0
  /// How many frames of the fade-in have been delivered since the last gap.
  private var fadedIn: Int
  /// Whether the last frames were part of a gap.
  private var isInGap = false

  /// Frames of a fade: 5 ms, long enough to avoid a click without losing sound.
  static func ramp(atRate rate: Int) -> Int { max(1, rate / 200) }

  init(rate: Int, width: Int) {
    ramp = Self.ramp(atRate: rate)
    self.width = width
    fadedIn = ramp
    history = Array(repeating: 0, count: ramp * width)
  }

  /// Processes decoded frames. They are changed only after a gap: they fade in, and the rest of the fade-out is added.
  mutating func process(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
    isInGap = false
    let rising = min(frames, ramp - fadedIn)
    for frame in 0..<rising {
      let gain = Float(fadedIn + frame + 1) / Float(ramp + 1)
      for channel in 0..<width { samples[frame * width + channel] *= gain }
    }
    fadedIn += rising
    addFadeOut(samples, frames)
    remember(samples, frames)
  }

  /// Replaces lost frames by the fade-out, then by silence.
  ///
  /// - Parameter room: the number of frames up to the end of the sound, which the fade-out must not exceed.
  mutating func conceal(_ samples: UnsafeMutablePointer<Float>, frames: Int, room: Int64) {
    guard frames > 0 else { return }
    if !isInGap { beginFadeOut(min(ramp, Int(min(room, Int64(ramp))))) }
    isInGap = true
    fadedIn = 0
    samples.update(repeating: 0, count: frames * width)
    addFadeOut(samples, frames)
    remember(samples, frames)
  }

  /// Computes the fade-out.
  private mutating func beginFadeOut(_ length: Int) {
    fadeOut = Array(repeating: 0, count: known > 0 ? length * width : 0)
    played = 0
    guard known > 0 else { return }
    for frame in 0..<length {
      // If there are fewer frames than a fade needs, their mirror image is mirrored again.
      let phase = frame % (2 * known)
      let back = phase < known ? phase : 2 * known - 1 - phase
      let gain = Float(length - frame) / Float(length + 1)
      for channel in 0..<width {
        fadeOut[frame * width + channel] = history[(ramp - 1 - back) * width + channel] * gain
      }
    }
  }

  /// Mixes the rest of the fade-out into the frames.
  private mutating func addFadeOut(_ samples: UnsafeMutablePointer<Float>, _ frames: Int) {
    let count = min(frames * width, fadeOut.count - played)
    for index in 0..<max(0, count) { samples[index] += fadeOut[played + index] }
    played += max(0, count)
  }

  /// Keeps the last frames of the output.
  private mutating func remember(_ samples: UnsafeMutablePointer<Float>, _ frames: Int) {
    let new = min(frames, ramp)
    let kept = (ramp - new) * width
    history.withUnsafeMutableBufferPointer { history in
      guard let base = history.baseAddress else { return }
      base.update(from: base + new * width, count: kept)
      (base + kept).update(from: samples + (frames - new) * width, count: new * width)
    }
    known = min(ramp, known + new)
  }
}

/// Avoids clicks in a sound with lost frames: it fades out before a gap and fades in after it.
///
/// A gap is known only when it is reached, so the frames before it can't be changed: the fade-out consists of their
/// mirror image. If the sound continues before the fade-out has ended, both are mixed, and their gains add up to less
/// than 1.
struct Concealment {
  /// Frames of each fade.
  let ramp: Int
  /// Channels.
  private let width: Int
  /// The last frames of the output, newest last. Only the last `known` of them are valid.
  private var history: [Float]
  private var known = 0
  /// The current fade-out, interleaved.
  private var tail: [Float] = []
  /// Samples of `tail` that have been mixed.
  private var played = 0
  /// Frames of the fade-in since the last gap.
  private var risen: Int
  /// Whether the last frames were lost.
  private var isInHole = false

  /// Frames of a fade: 5 ms, long enough to avoid a click without losing sound.
  static func ramp(atRate rate: Int) -> Int { max(1, rate / 200) }

  init(rate: Int, width: Int) {
    ramp = Self.ramp(atRate: rate)
    self.width = width
    risen = ramp
    history = Array(repeating: 0, count: ramp * width)
  }

  /// Takes decoded frames. They stay unchanged, except for the fades after a gap.
  mutating func pass(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
    isInHole = false
    let rising = min(frames, ramp - risen)
    for frame in 0..<rising {
      let gain = Float(risen + frame + 1) / Float(ramp + 1)
      for channel in 0..<width { samples[frame * width + channel] *= gain }
    }
    risen += rising
    addTail(samples, frames)
    remember(samples, frames)
  }

  /// Replaces lost frames by the fade-out, then by silence.
  ///
  /// - Parameter room: frames up to the end of the sound, which the fade-out must not exceed.
  mutating func lose(_ samples: UnsafeMutablePointer<Float>, frames: Int, room: Int64) {
    guard frames > 0 else { return }
    if !isInHole { beginTail(min(ramp, Int(min(room, Int64(ramp))))) }
    isInHole = true
    risen = 0
    samples.update(repeating: 0, count: frames * width)
    addTail(samples, frames)
    remember(samples, frames)
  }

  /// Computes the fade-out.
  private mutating func beginTail(_ length: Int) {
    tail = Array(repeating: 0, count: known > 0 ? length * width : 0)
    played = 0
    guard known > 0 else { return }
    for frame in 0..<length {
      // If fewer frames are known than a fade needs, their mirror image is mirrored again.
      let phase = frame % (2 * known)
      let back = phase < known ? phase : 2 * known - 1 - phase
      let gain = Float(length - frame) / Float(length + 1)
      for channel in 0..<width {
        tail[frame * width + channel] = history[(ramp - 1 - back) * width + channel] * gain
      }
    }
  }

  /// Mixes the rest of the fade-out into the frames.
  private mutating func addTail(_ samples: UnsafeMutablePointer<Float>, _ frames: Int) {
    let count = min(frames * width, tail.count - played)
    for index in 0..<max(0, count) { samples[index] += tail[played + index] }
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

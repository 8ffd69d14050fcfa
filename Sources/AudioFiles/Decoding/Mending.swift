/// Mends the joints of a sound that has holes: it fades out where one begins and in where the sound goes on, with no step.
///
/// A hole is known only when it is reached, and the frames before it stay what they are: what fades out is their mirror
/// image. Where the sound goes on before that has ended, both sound together, and their gains add up to less than 1.
struct Mending {
  /// Frames of a fade.
  let ramp: Int
  private let width: Int
  /// The last frames that came out, the newest last; not more than `known` of them count.
  private var history: [Float]
  private var known = 0
  /// What still fades out, and how much of it has come.
  private var tail: [Float] = []
  private var played = 0
  /// Frames that have faded in since the last hole.
  private var risen: Int
  private var isInHole = false

  /// Short enough to lose nothing, long enough to be no click.
  static func ramp(atRate rate: Int) -> Int { max(1, rate / 200) }

  init(rate: Int, width: Int) {
    ramp = Self.ramp(atRate: rate)
    self.width = width
    risen = ramp
    history = Array(repeating: 0, count: ramp * width)
  }

  /// Takes sound: it passes as it is, but for the frames behind a hole.
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

  /// Puts into the place of lost frames what fades out, then silence.
  ///
  /// - Parameter room: frames up to the end of the sound, in which the fade has to find room.
  mutating func lose(_ samples: UnsafeMutablePointer<Float>, frames: Int, room: Int64) {
    guard frames > 0 else { return }
    if !isInHole { beginTail(min(ramp, Int(min(room, Int64(ramp))))) }
    isInHole = true
    risen = 0
    samples.update(repeating: 0, count: frames * width)
    addTail(samples, frames)
    remember(samples, frames)
  }

  private mutating func beginTail(_ length: Int) {
    tail = Array(repeating: 0, count: known > 0 ? length * width : 0)
    played = 0
    guard known > 0 else { return }
    for frame in 0..<length {
      // Where less is known than a fade takes, its mirror image is mirrored again.
      let turn = frame % (2 * known)
      let back = turn < known ? turn : 2 * known - 1 - turn
      let gain = Float(length - frame) / Float(length + 1)
      for channel in 0..<width {
        tail[frame * width + channel] = history[(ramp - 1 - back) * width + channel] * gain
      }
    }
  }

  private mutating func addTail(_ samples: UnsafeMutablePointer<Float>, _ frames: Int) {
    let count = min(frames * width, tail.count - played)
    for index in 0..<max(0, count) { samples[index] += tail[played + index] }
    played += max(0, count)
  }

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

/// Measures how the loudness of a sound changes, from frames that are added one block after the other, to distinguish the
/// strike of a bell or bowl from other short sounds, such as a spoken word.
public struct Envelope: Sendable {
  /// The mean square of each complete block.
  private var powers: [Float] = []
  private var sum: Float = 0
  private var count = 0
  /// The number of frames of a block.
  private let block: Int

  /// The length of a block in seconds: longer than a period of the lowest tones, shorter than a syllable.
  private static let blockSeconds = 0.025
  /// Blocks of less than this part of the loudest one, 50 dB below it, are before or after the sound.
  private static let audible: Float = 1e-5
  /// The audible part is divided into this many pieces, each with the power of its loudest block. So they are longer
  /// than the beats of a long sound, and shorter than the syllables of a word.
  private static let pieces = 12
  /// A piece may be this much louder than the one before, 3 dB, because tones of a bell beat. A sound whose blocks all
  /// differ less, without the first and the last piece, is steady.
  private static let rise: Float = 2
  /// Each piece of the second half must have less than this part of the loudest one, 6 dB below it.
  private static let decay: Float = 0.25

  public init(rate: SampleRate) { block = max(1, Int(rate.frames(Self.blockSeconds))) }

  public mutating func add(_ frames: UnsafeBufferPointer<Frame>) {
    for frame in frames {
      sum += frame.left * frame.left + frame.right * frame.right
      count += 1
      if count == block {
        powers.append(sum)
        (sum, count) = (0, 0)
      }
    }
  }

  /// Whether the sound begins loud and decays from then on, or is steady like a beep, which no speech is.
  public var isStrike: Bool {
    let audible = (powers.max() ?? 0) * Self.audible
    guard let first = powers.firstIndex(where: { audible < $0 }), let last = powers.lastIndex(where: { audible < $0 })
    else { return false }
    let sound = powers[first...last]
    let pieces = min(Self.pieces, sound.count)
    let peaks = (0..<pieces).map { piece in
      sound[first + sound.count * piece / pieces..<first + sound.count * (piece + 1) / pieces].max() ?? 0
    }
    // Only the first two pieces may be the loudest, as a large gong needs time to sound.
    let inner = sound.dropFirst(sound.count / pieces).dropLast(sound.count / pieces)
    guard let loudest = peaks.max() else { return false }
    if let softest = inner.min(), loudest <= Self.rise * softest { return true }
    guard peaks.prefix(2).contains(loudest) else { return false }
    let decays = zip(peaks.dropFirst(), peaks.dropFirst(2)).allSatisfy { $1 <= Self.rise * $0 }
    return decays && peaks.dropFirst(pieces / 2 + pieces % 2).allSatisfy { $0 < Self.decay * loudest }
  }
}

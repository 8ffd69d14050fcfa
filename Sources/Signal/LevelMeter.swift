/// Measures the peak of a sound, and its level without silence and pauses, from frames that are added one block after
/// the other.
public struct LevelMeter: Sendable {
  /// The largest magnitude of a sample so far; full scale is 1.
  public private(set) var peak: Float = 0
  /// The mean square of each complete block; full scale is 1.
  private var powers: [Float] = []
  private var sum: Float = 0
  private var count = 0
  /// The number of frames of a block.
  private let block: Int

  /// The length of a block in seconds.
  private static let blockSeconds = 0.4
  /// The mean square at −70 dBFS, below which a block is silent.
  private static let silence: Float = 1e-7
  /// A block with less than a tenth of the average power, 10 dB below it, is a pause.
  private static let pause: Float = 0.1

  public init(rate: SampleRate) { block = max(1, Int(rate.frames(Self.blockSeconds))) }

  public mutating func add(_ frames: UnsafeBufferPointer<Frame>) {
    var rest = frames[...]
    while !rest.isEmpty {
      let piece = rest.prefix(block - count)
      var (sum, peak) = (sum, peak)
      for frame in piece {
        sum += frame.left * frame.left + frame.right * frame.right
        peak = max(peak, frame.peak)
      }
      (self.sum, self.peak, count) = (sum, peak, count + piece.count)
      if count == block { endBlock() }
      rest = rest.dropFirst(piece.count)
    }
  }

  private mutating func endBlock() {
    powers.append(sum / Float(2 * max(1, count)))
    (sum, count) = (0, 0)
  }

  /// The root mean square of the blocks that are not pauses; −∞ for silence.
  public var level: Level {
    var powers = powers
    if 0 < count { powers.append(sum / Float(2 * count)) }
    let audible = powers.filter { Self.silence < $0 }
    let threshold = Self.mean(audible) * Self.pause
    return Level(power: Double(Self.mean(audible.filter { threshold <= $0 })))
  }

  private static func mean(_ powers: [Float]) -> Float {
    powers.isEmpty ? 0 : Float(powers.reduce(0.0) { $0 + Double($1) } / Double(powers.count))
  }
}

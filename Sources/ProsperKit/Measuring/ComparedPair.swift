import Levels
import Signal
import Sounds

/// Two sounds at the same rate, which can be read together several times.
struct ComparedPair: Sendable {
  let a: ComparedSound
  let b: ComparedSound
  let rate: SampleRate
  /// The length of the longer one in frames; nil if it is not known.
  let length: FrameCount?
  private let isMono: Bool
  private let progress: @Sendable (Comparison.Pass, Double) -> Void

  /// Waits for the disk.
  init(
    _ a: ComparedSound, _ b: ComparedSound, progress: @escaping @Sendable (Comparison.Pass, Double) -> Void
  ) throws(MeasuringError) {
    rate = a.isSession && !b.isSession ? b.rate : a.rate
    (self.a, self.b) = (try a.at(rate), try b.at(rate))
    // A mono file is compared with what a render makes of both channels.
    isMono = a.isMono && b.isSession || a.isSession && b.isMono
    let lengths = [self.a.length(at: rate), self.b.length(at: rate)].compactMap(\.self)
    length = lengths.count == 2 ? lengths.max() : nil
    self.progress = progress
  }

  /// Whether the layers are compared, too.
  var hasLayers: Bool { a.isSession && b.isSession }

  /// Reads both to their ends; waits for that.
  ///
  /// - Parameters:
  ///   - pass: what is told with the progress.
  ///   - body: called with each pair of blocks. Only at its end has one of them fewer frames.
  /// - Returns: the sounds that were damaged.
  func read<Failure>(
    _ pass: Comparison.Pass, _ body: (FrameBlock, FrameBlock) throws(Failure) -> Void
  ) throws -> [SourceError] {
    let (first, second) = (try a.stream(), try b.stream())
    var position: FrameCount = 0
    while true {
      let (x, y) = (first.next(), second.next())
      if x == nil, y == nil { break }
      var (blockA, blockB) = (x ?? FrameBlock(), y ?? FrameBlock())
      if isMono { (blockA, blockB) = (blockA.mono, blockB.mono) }
      try body(blockA, blockB)
      position += FrameCount(max(blockA.output.count, blockB.output.count))
      if let length { progress(pass, Double(position) / Double(max(1, length))) }
    }
    return try first.finish() + second.finish()
  }
}

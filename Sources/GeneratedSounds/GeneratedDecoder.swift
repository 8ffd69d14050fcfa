import Signal
import Sounds
import Synchronization

/// Reads a generated sound from any frame on. The frames are the same wherever reading begins and whatever the size of
/// the reads.
final class GeneratedDecoder: Decoder {
  private struct Reading: Sendable {
    var position: FrameTime
    /// The generated block that contains `position`, or an older one.
    var block: [Frame]
    /// The first frame of `block`; nil before the first block was generated.
    var blockStart: FrameTime?
  }

  private let generator: any Generator
  /// The first frame that is read, counted from the generator's frame 0.
  private let first: FrameTime
  /// The frame after the last one.
  private let end: FrameTime
  /// The lock makes the type `Sendable`. It is never contended, because only one thread reads at a time.
  private let reading: Mutex<Reading>

  /// - Parameters:
  ///   - start: the first frame to read, counted from the generator's frame 0.
  ///   - end: the frame after the last one; `.endless` if there is none.
  init(_ generator: any Generator, from start: FrameTime, to end: FrameTime) {
    self.generator = generator
    (first, self.end) = (start, end)
    let block = [Frame](repeating: .silence, count: generator.blockLength)
    reading = Mutex(Reading(position: start, block: block, blockStart: nil))
  }

  /// Every frame is computed from its position alone.
  func entry(from frame: FrameCount) -> FrameCount? { frame }

  func branch(at frame: FrameCount) -> (any Decoder)? { GeneratedDecoder(generator, from: first + frame, to: end) }

  func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int {
    reading.withLock { reading in
      var filled = 0
      while filled < frames.count, reading.position < end {
        makeBlock(&reading)
        filled += copy(from: &reading, into: UnsafeMutableBufferPointer(rebasing: frames[filled...]))
      }
      return filled
    }
  }

  /// Generates the block that contains the position, unless that is already done.
  private func makeBlock(_ reading: inout Reading) {
    let length = FrameCount(generator.blockLength)
    let start = reading.position / length * length
    guard reading.blockStart != start else { return }
    reading.blockStart = start
    reading.block.withUnsafeMutableBufferPointer { block in
      generator.fill(block, at: start)
      generator.envelope.shape(block, at: start)
    }
  }

  /// Copies as many frames of the block as follow the position and fit into `frames`, and returns their number.
  private func copy(from reading: inout Reading, into frames: UnsafeMutableBufferPointer<Frame>) -> Int {
    let first = Int(reading.position % FrameCount(generator.blockLength))
    let wanted = min(FrameCount(frames.count), end - reading.position)
    let count = min(reading.block.count - first, Int(wanted))
    reading.block.withUnsafeBufferPointer { block in
      _ = frames.update(fromContentsOf: block[first..<first + count])
    }
    reading.position += FrameCount(count)
    return count
  }
}

import Engine
import Signal
import Synchronization

/// Reads a generator from any frame on. The frames are the same wherever it begins and whatever sizes are read.
final class GeneratedDecoder: Decoder {
  private struct Reading: Sendable {
    var position: FrameTime
    /// The generated block that holds `position`, or an older one.
    var block: [Frame]
    /// The first frame of `block`; nil while it holds nothing.
    var blockStart: FrameTime?
  }

  private let generator: any Generator
  /// The frame after the last one.
  private let end: FrameTime
  /// The lock makes the type `Sendable`. It is never contended, because one thread at a time reads.
  private let reading: Mutex<Reading>

  /// - Parameters:
  ///   - start: the first frame to read, counted from the generator's frame 0.
  ///   - end: the frame after the last one; `.endless` if there is none.
  init(_ generator: any Generator, from start: FrameTime, to end: FrameTime) {
    self.generator = generator
    self.end = end
    let block = [Frame](repeating: .silence, count: generator.blockLength)
    reading = Mutex(Reading(position: start, block: block, blockStart: nil))
  }

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

  /// Generates the block that holds the position, unless it is there already.
  private func makeBlock(_ reading: inout Reading) {
    let length = FrameCount(generator.blockLength)
    let start = reading.position / length * length
    guard reading.blockStart != start else { return }
    reading.blockStart = start
    reading.block.withUnsafeMutableBufferPointer { block in
      generator.fill(block, at: start)
      generator.edges.shape(block, at: start)
    }
  }

  /// Copies frames from the block, as many as it still holds and `frames` has room for, and returns their number.
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

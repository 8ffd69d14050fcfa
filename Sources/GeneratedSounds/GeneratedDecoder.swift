import Engine
import Signal
import Synchronization

/// Reads a generator from any frame on: the frames are the same wherever it begins and however they are asked for.
final class GeneratedDecoder: Decoder {
  private struct Reading: Sendable {
    var position: FrameTime
    /// The block of the grid that holds `position`, once it is made.
    var block: [Frame]
    var blockStart: FrameTime?
  }

  private let generator: any Generator
  private let end: FrameTime
  private let reading: Mutex<Reading>

  /// - Parameters:
  ///   - start: the generator's frame that is read first.
  ///   - end: the generator's frame behind the last one, `.endless` for none.
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

  /// Makes the block that holds the position, unless it is there.
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

  /// Copies what the block still holds, as far as it is wanted, and returns the number of frames.
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

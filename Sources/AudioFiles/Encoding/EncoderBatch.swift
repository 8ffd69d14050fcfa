import Signal

/// Frames on their way to the encoder: as they are, or already encoded if the file is to contain nothing but samples.
/// Encoding them right after they were mixed is faster, because they are still in the processor's cache.
struct EncoderBatch: Sendable {
  /// The most bytes of a batch of encoded frames. They take so little time that larger batches need fewer wake-ups.
  private static let encodedSize = 2_097_152
  /// The most frames of a batch that has to be encoded.
  private static let mostFrames = 131_072

  /// nil for frames that are not encoded.
  let encoding: SampleEncoding?
  private let capacity: Int
  private(set) var frames: [Frame] = []
  private var bytes: [UInt8] = []
  private(set) var count = 0

  init(encoding: SampleEncoding? = nil) {
    self.encoding = encoding
    capacity = encoding.map { Self.encodedSize / $0.bytesPerFrame } ?? Self.mostFrames
    if let encoding {
      bytes = Array(repeating: 0, count: capacity * encoding.bytesPerFrame)
    } else {
      frames.reserveCapacity(capacity)
    }
  }

  var isEmpty: Bool { count == 0 }
  var isFull: Bool { count == capacity }

  /// The encoded frames; nil if they are not encoded.
  var encoded: ArraySlice<UInt8>? { encoding.map { bytes[..<(count * $0.bytesPerFrame)] } }

  /// The batch without its frames.
  var emptied: EncoderBatch {
    var batch = self
    batch.count = 0
    batch.frames.removeAll(keepingCapacity: true)
    return batch
  }

  /// Takes frames as far as there is room, and returns how many.
  mutating func take(_ block: UnsafeBufferPointer<Frame>) -> Int {
    let taken = min(block.count, capacity - count)
    let block = UnsafeBufferPointer(rebasing: block[..<taken])
    if let encoding {
      let start = count * encoding.bytesPerFrame
      bytes.withUnsafeMutableBytes {
        encoding.encode(block, into: UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
      }
    } else {
      frames.append(contentsOf: block)
    }
    count += taken
    return taken
  }
}

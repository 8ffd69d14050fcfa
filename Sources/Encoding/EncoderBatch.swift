import Signal

/// Frames that wait for the encoder. If its writer takes samples as bytes, they are encoded here, right after they were
/// mixed: this is faster while they are in the processor's cache.
struct EncoderBatch: Sendable {
  /// The encoding of the batch; nil if it holds frames that are not encoded.
  let encoding: SampleEncoding?
  /// The maximum number of frames.
  private let capacity: Int
  private(set) var frames: [Frame] = []
  private var bytes: [UInt8] = []
  private(set) var count = 0

  init(encoding: SampleEncoding? = nil, capacity: Int = 0) {
    self.encoding = encoding
    self.capacity = capacity
    if let encoding {
      bytes = Array(repeating: 0, count: capacity * encoding.bytesPerFrame)
    } else {
      frames.reserveCapacity(capacity)
    }
  }

  /// An empty batch of the same kind, with memory of its own.
  var another: EncoderBatch { EncoderBatch(encoding: encoding, capacity: capacity) }

  var isEmpty: Bool { count == 0 }
  var isFull: Bool { count == capacity }

  /// The encoded frames; empty if the batch has no encoding.
  var encoded: ArraySlice<UInt8> { bytes[..<(count * (encoding?.bytesPerFrame ?? 0))] }

  /// The batch without its frames.
  var emptied: EncoderBatch {
    var batch = self
    batch.count = 0
    batch.frames.removeAll(keepingCapacity: true)
    return batch
  }

  /// Adds frames as far as there is room, and returns how many.
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

import Signal

/// A piece of a sound that is being decoded, see `PieceLane`. Frames count from the beginning of the voice's sound.
struct SoundPiece {
  let number: Int
  let start: FrameCount
  let end: FrameCount
  /// Whether a branch can begin at `end`.
  let endsAtEntry: Bool
  /// Whether a branch has begun it that has not been compared with the piece before.
  var isBranched: Bool
  /// What the branch has decoded before `start`; empty if it can't be trusted, nil until it is known.
  var lead: [Frame]?
  /// Frames that have been decoded.
  var done: FrameCount = 0
  /// Whether the sound ends after them.
  var hasEnded = false
  /// The decoder, after it has decoded the piece.
  var decoder: PieceDecoder?

  var length: FrameCount { end - start }
  var isComplete: Bool { hasEnded || done == length }
}

/// A decoder within a sound.
struct PieceDecoder: Sendable {
  let decoder: any Decoder
  /// The frame of the sound that is the first one of the decoder.
  let first: FrameCount
  /// The frame that it delivers next.
  var position: FrameCount
  /// Whether it began within the sound, so that what it finds has to be confirmed.
  let isBranch: Bool

  /// A decoder that delivers the sound from its first frame on.
  init(_ decoder: any Decoder, at position: FrameCount) {
    (self.decoder, first, self.position, isBranch) = (decoder, 0, position, false)
  }

  /// A decoder that begins at a frame of the sound.
  init(branch decoder: any Decoder, at first: FrameCount) {
    (self.decoder, self.first, position, isBranch) = (decoder, first, first, true)
  }

  /// The same decoder; what it finds needs no confirmation.
  init(trusting line: PieceDecoder) {
    (decoder, first, position, isBranch) = (line.decoder, line.first, line.position, false)
  }

  /// The first damage that it has found, counted from the sound's first frame.
  var damage: SoundDamage? { decoder.damage.map { SoundDamage($0.error, atFrame: first + $0.frame) } }

  /// Reads into `frames`, and advances.
  mutating func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int {
    let count = decoder.read(into: frames)
    position += FrameCount(count)
    return count
  }
}

/// A piece for a thread to decode.
struct PieceTask: Sendable {
  let slot: Int
  let number: Int
  let start: FrameCount
  /// A decoder of the sound, to branch from.
  let root: any Decoder
  /// The decoder that continues, at `start` or before; nil for one that has to be opened.
  let line: PieceDecoder?
  /// Whether the decoder has to be opened at the sound's beginning, instead of a branch.
  let restarts: Bool
}

/// The result of one read.
struct PieceResult: Sendable {
  var count: Int
  /// Whether the sound ends after these frames.
  var isEnd: Bool
  var damage: SoundDamage?
  var line: PieceDecoder
}

/// What a thread does after a read.
enum PieceAnswer {
  case more
  case complete
  /// Nobody needs the piece any more.
  case dropped
  /// Damage in a trusted branch: see `PieceLane.restart`.
  case doubted
}

/// Memory for frames, to be handed to another thread.
struct FrameRoom: Sendable {
  private let address: UInt
  let count: Int

  init(_ frames: UnsafeMutableBufferPointer<Frame>) {
    address = UInt(bitPattern: frames.baseAddress)
    count = frames.count
  }

  var frames: UnsafeMutableBufferPointer<Frame> {
    UnsafeMutableBufferPointer(start: UnsafeMutablePointer(bitPattern: address), count: count)
  }
}

import Signal
import Sounds

/// A piece of a sound that is being decoded, see `PieceLane`. Frames count from the beginning of the voice's sound.
struct SoundPiece {
  let number: Int
  let start: FrameCount
  let end: FrameCount
  /// Whether a branch can be opened for the piece that begins at `end`.
  let endsAtEntry: Bool
  /// Whether a branch decodes it that has not yet been compared with the end of the previous piece.
  var isBranched: Bool
  /// The frames that the branch has decoded before `start`; empty if the branch can't be used, nil until it has decoded
  /// them.
  var overlap: [Frame]?
  /// Frames that have been decoded.
  var done: FrameCount = 0
  /// Whether the sound ends after the `done` frames.
  var hasEnded = false
  /// The decoder of the piece, once the piece is complete; nil while it is busy, and when the next piece has taken it.
  var decoder: PieceDecoder?

  var length: FrameCount { end - start }
  var isComplete: Bool { hasEnded || done == length }
}

/// A decoder and its position in the sound of a voice. One thread uses it at a time.
struct PieceDecoder: Sendable {
  let source: any Decoder
  /// The frame of the sound at which `source` began.
  let first: FrameCount
  /// The frame of the sound that it decodes next.
  var position: FrameCount
  /// Whether it began within the sound. Damage that it finds has to be confirmed by a decoder that didn't.
  let isBranch: Bool

  /// A decoder that has decoded the sound from its first frame on, up to `position`.
  init(_ decoder: any Decoder, at position: FrameCount) {
    (source, first, self.position, isBranch) = (decoder, 0, position, false)
  }

  /// A decoder that begins at a frame of the sound.
  init(branch decoder: any Decoder, at first: FrameCount) {
    (source, self.first, position, isBranch) = (decoder, first, first, true)
  }

  /// The same decoder, whose damage needs no confirmation.
  init(trusting decoder: PieceDecoder) {
    (source, first, position, isBranch) = (decoder.source, decoder.first, decoder.position, false)
  }

  /// The first damage that it has found, counted from the sound's first frame.
  var damage: SoundDamage? { source.damage.map { SoundDamage($0.error, atFrame: first + $0.frame) } }

  /// The result for a piece before which the sound has ended.
  var endResult: PieceResult { PieceResult(count: 0, isEnd: true, damage: damage, decoder: self) }

  /// Reads into `frames`, and advances.
  mutating func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int {
    let count = source.read(into: frames)
    position += FrameCount(count)
    return count
  }
}

/// A piece for a thread to decode.
struct PieceTask: Sendable {
  let slot: Int
  let number: Int
  let start: FrameCount
  /// The decoder of which branches can be opened.
  let original: any Decoder
  /// The decoder that continues, at `start` or before it; nil if one has to be opened.
  let decoder: PieceDecoder?
  /// Whether a decoder has to be opened at the sound's beginning; if not, a branch.
  let restarts: Bool
}

/// The result of one read.
struct PieceResult: Sendable {
  var count: Int
  /// Whether the sound ends after these frames.
  var isEnd: Bool
  var damage: SoundDamage?
  var decoder: PieceDecoder
}

/// What a thread does after it has reported a read.
enum PieceAnswer {
  /// Read more of the piece.
  case more
  /// Take another piece: this one is complete.
  case complete
  /// Take another piece: this one is not needed any more.
  case dropped
  /// Decode the sound again from its beginning, because a branch has found damage: see `PieceLane.restart`.
  case unconfirmedDamage
}

/// Memory of a ring for the next frames of a piece. Stored as an address, because pointers are not `Sendable`. It stays
/// valid as long as the ring.
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

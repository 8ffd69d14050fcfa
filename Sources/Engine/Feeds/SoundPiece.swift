import Signal
import Sounds

/// A piece of a sound that is being decoded, see `VoiceFeed`. Frames count from the beginning of the voice's sound.
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
  private let source: any Decoder
  /// The frame of the sound at which `source` began; negative if the voice skips its first frames.
  private let first: FrameCount
  /// The frame of the sound that it decodes next.
  private(set) var position: FrameCount
  /// Whether it began within the sound. Damage that it finds has to be confirmed by a decoder that didn't.
  let isBranch: Bool

  init(_ source: any Decoder, from first: FrameCount, at position: FrameCount, isBranch: Bool = false) {
    (self.source, self.first, self.position, self.isBranch) = (source, first, position, isBranch)
  }

  /// The first frame from `frame` on at which a branch can begin; nil if there is none.
  func entry(from frame: FrameCount) -> FrameCount? { source.entry(from: frame - first).map { $0 + first } }

  /// Opens a decoder that begins at a frame of the sound.
  func branch(at frame: FrameCount) -> PieceDecoder? {
    source.branch(at: frame - first).map { PieceDecoder($0, from: frame, at: frame, isBranch: true) }
  }

  /// Opens the same sound once more, at its beginning.
  var reopened: PieceDecoder? { source.branch(at: 0).map { PieceDecoder($0, from: first, at: first) } }

  /// The same decoder, whose damage needs no confirmation.
  var trusted: PieceDecoder { PieceDecoder(source, from: first, at: position) }

  /// The first damage that it has found, counted from the sound's first frame.
  var damage: SoundDamage? { source.damage?.skipping(-first) }

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
  let original: PieceDecoder
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
  /// Decode the sound again from its beginning, because a branch has found damage: see `VoiceFeed.restart`.
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

import Rings
import Signal
import Sounds

/// The sound of one voice: which pieces of it are being decoded, and how far its ring is filled.
///
/// A thread decodes a piece directly into the memory of the ring. In live playback one thread at a time decodes a sound.
/// In a render, several threads decode pieces of it at the same time; the pieces become readable in order. A piece is
/// decoded by the decoder of the piece before it or, if that one is still busy, by a *branch*: a second decoder of the
/// same sound that begins a little before the piece. A branch is used only if the frames before its piece equal the end
/// of the previous piece. The frames are therefore those that a single decoder delivers, however many threads there are.
///
/// All frames count from the first frame of the voice's sound. Used by one thread at a time: `DecodingThreads` calls it
/// under its lock.
final class VoiceFeed {
  /// The number of frames before its piece that a branch also decodes. They must equal the end of the previous piece.
  static let overlap: FrameCount = 512
  /// Frames per read of a decoder.
  static let read = 16_384

  private var ring: RingWriter<Frame>
  /// The number of frames that the ring can hold in advance: its capacity without the frames that the mixer keeps.
  private let capacity: Int
  /// The maximum number of frames of a piece.
  private let pieceLength: FrameCount
  /// Whether several threads may decode the sound at the same time.
  private let canBranch: Bool
  /// The decoder of the loaded sound, of which branches are opened; nil if nothing is left to decode.
  private var original: PieceDecoder?
  /// The pieces that are not completely readable yet, in order.
  private var pieces: [SoundPiece] = []
  /// The decoder whose next frame follows the last readable piece; nil while a piece uses it.
  private var lastDecoder: PieceDecoder?
  /// Frames that have become readable.
  private var written: FrameCount = 0
  /// The number of frames that the voice plays.
  private var neededFrames: FrameCount = 0
  /// Whether the last frame of the sound is readable.
  private var isOver = true
  /// Whether one decoder decodes the rest, without branches.
  private var isSerial = false
  /// The number of threads that decode for this slot, including those whose pieces have been dropped.
  private(set) var busyCount = 0
  private var lastNumber = 0
  /// The first damage that has been found in the sound; nil if there is none.
  private(set) var damage: SoundDamage?

  /// - Parameters:
  ///   - held: frames that the mixer keeps in the ring after it has read them.
  ///   - pieceLength: the maximum number of frames of a piece.
  ///   - canBranch: whether several threads may decode the sound at the same time.
  init(ring: consuming RingWriter<Frame>, holding held: Int = 0, pieceLength: Int, canBranch: Bool) {
    capacity = ring.capacity - held
    // Four pieces fit into the ring, so that there is room for the next one while one is played.
    self.pieceLength = max(2 * Self.overlap, FrameCount(min(pieceLength, capacity / 4)))
    self.ring = ring
    self.ring.release()
    self.canBranch = canBranch
  }

  /// Starts a sound in a free slot. Its first frames, which its load has decoded, are readable at once.
  func begin(_ sound: PrimedSound, length: FrameCount) {
    sound.begin(in: &ring)
    (written, neededFrames, damage) = (FrameCount(sound.head.count), length, sound.headDamage)
    (isOver, isSerial) = (sound.decoder == nil, !canBranch)
    guard let decoder = sound.decoder else { return }
    original = PieceDecoder(decoder, from: -sound.skipped, at: written)
    lastDecoder = original
  }

  /// Changes the number of frames that are needed.
  func extend(to length: FrameCount) { neededFrames = length }

  /// Drops the sound. Pieces that are being decoded are dropped when their threads return; the slot can be used again
  /// when `busyCount` is 0.
  ///
  /// - Returns: the decoders.
  func end() -> [PieceDecoder] {
    let dropped = [original, lastDecoder].compactMap(\.self) + pieces.compactMap(\.decoder)
    drop()
    if busyCount == 0 { ring.release() }
    return dropped
  }

  /// Ends the decoding of the sound.
  private func drop() {
    (isOver, original, lastDecoder, pieces) = (true, nil, nil, [])
  }

  /// The number of readable frames that the mixer has not read; less if it does not keep all frames yet that it may.
  private var unread: FrameCount { FrameCount(capacity - ring.free) }

  /// Whether everything that the voice needs is readable.
  private var isComplete: Bool { isOver || neededFrames <= written }

  /// Whether the ring is filled to this many quarters, or holds everything that the voice needs.
  func isFilled(quarters: Int) -> Bool { isComplete || FrameCount(capacity / 4 * quarters) <= unread }
}

/// The choice of the next piece.
extension VoiceFeed {
  /// The frame at which the next piece begins.
  private var nextStart: FrameCount { pieces.last?.end ?? written }

  /// The decoder that can continue at `nextStart`; nil if it is busy with the piece before.
  private var continuing: PieceDecoder? { pieces.isEmpty ? lastDecoder : pieces.last?.decoder }

  /// How long the voice can play before it needs the next piece, which determines whose piece comes first.
  ///
  /// - Returns: frames from the one that the mixer reads next to the beginning of the next piece; nil if there is no
  ///   room for a piece, or nothing to decode.
  var bufferedFrames: FrameCount? {
    guard let original, !isComplete, nextStart < neededFrames, !isSerial || busyCount == 0 else { return nil }
    let left = neededFrames - nextStart
    guard end(from: nextStart, original).0 - written <= FrameCount(ring.free) - Self.overlap else { return nil }
    let isContinued = continuing != nil || isSerial
    // While the ring is half full, one decoder is fast enough.
    let isBranched =
      !isSerial && !isFilled(quarters: 2) && pieces.last?.endsAtEntry == true && pieceLength / 4 < left
    return isContinued || isBranched ? nextStart - written + unread : nil
  }

  /// Takes the next piece. Only called if `bufferedFrames` has returned a number under the same lock.
  func take(slot: Int) -> PieceTask? {
    guard let original else { return nil }
    let start = nextStart
    let decoder = continuing
    lastDecoder = nil
    if !pieces.isEmpty, decoder != nil { pieces[pieces.count - 1].decoder = nil }
    lastNumber += 1
    busyCount += 1
    let (end, isEntry) = end(from: start, original)
    pieces.append(
      SoundPiece(
        number: lastNumber, start: start, end: end, endsAtEntry: isEntry, isBranched: decoder == nil && !isSerial)
    )
    return PieceTask(
      slot: slot, number: lastNumber, start: start, original: original, decoder: decoder,
      restarts: decoder == nil && isSerial)
  }

  /// The end of a piece that begins at `start`: if possible a frame for which a branch can be opened, at a full, three
  /// quarters, half or a quarter of the length, or the next one if half the ring has room for the piece.
  private func end(from start: FrameCount, _ original: PieceDecoder) -> (FrameCount, isEntry: Bool) {
    if neededFrames - start <= pieceLength { return (neededFrames, false) }
    for quarters in isSerial ? [] : [4, 3, 2, 1] as [FrameCount] {
      guard let entry = original.entry(from: start + pieceLength * quarters / 4 - Self.overlap) else { break }
      let most = quarters == 1 ? FrameCount(capacity / 2) : pieceLength
      if start < entry, entry + Self.overlap <= start + most { return (entry + Self.overlap, true) }
    }
    return (start + pieceLength, false)
  }
}

/// Called when a decoding thread needs room or reports a result.
extension VoiceFeed {
  /// The memory for the next frames of a piece; nil if it is complete or has been dropped.
  func room(for number: Int) -> FrameRoom? {
    guard let piece = pieces.first(where: { $0.number == number }), piece.done < piece.length else { return nil }
    let left = Int(min(FrameCount(Self.read), piece.length - piece.done))
    return FrameRoom(ring.room(after: Int(piece.start + piece.done - written), limit: left))
  }

  /// Receives the overlap that a branch has decoded; nil if the branch can't be opened or used.
  func receiveOverlap(_ number: Int, _ overlap: [Frame]?) {
    guard let index = pieces.firstIndex(where: { $0.number == number }) else { return }
    pieces[index].overlap = overlap ?? []
    makeReadable()
  }

  /// Receives the result of a read into the memory of `room`.
  func publish(_ number: Int, _ result: PieceResult) -> PieceAnswer {
    guard let index = pieces.firstIndex(where: { $0.number == number }) else { return .dropped }
    if result.damage != nil, result.decoder.isBranch {
      if 0 == index { return .unconfirmedDamage }
      // It may be damage only for a branch. The empty overlap makes the decoder of the previous piece check it.
      (pieces[index].isBranched, pieces[index].overlap) = (true, [])
      return .dropped
    }
    damage = damage ?? result.damage
    pieces[index].done += FrameCount(result.count)
    pieces[index].hasEnded = result.isEnd
    let isComplete = pieces[index].isComplete
    if isComplete { pieces[index].decoder = result.decoder }
    makeReadable()
    return isComplete ? .complete : .more
  }

  /// Continues with a decoder that begins at the sound's beginning and decodes it alone, after a branch has found damage. The
  /// damage is then found and concealed as without branches.
  func restart(with decoder: PieceDecoder) {
    (pieces, lastDecoder, isSerial) = ([], decoder, true)
  }

  /// Ends the sound, because the rest can't be decoded.
  func cutOff(_ number: Int) {
    guard pieces.contains(where: { $0.number == number }) else { return }
    drop()
    ring.close()
  }

  /// Called when a thread has returned from a piece of this slot, also from a dropped one.
  func threadReturned() { busyCount -= 1 }

  /// Makes readable what the first pieces have decoded. Stops at a branch whose overlap is not known yet.
  private func makeReadable() {
    while let first = pieces.first {
      if first.isBranched {
        guard let overlap = first.overlap else { return }
        guard isEnd(overlap) else { return stopBranching() }
        pieces[0].isBranched = false
      }
      let new = first.done - (written - first.start)
      ring.advance(Int(new))
      written += new
      if first.hasEnded {
        drop()
        return ring.close()
      }
      guard first.isComplete else { return }
      lastDecoder = first.decoder
      pieces.removeFirst()
    }
  }

  /// Drops all pieces and opens no branch any more, because a branch differs from the end of the previous piece, has
  /// found damage, or can't be opened. The decoder of the previous piece continues. If another piece has used it, the
  /// sound is decoded again from its beginning.
  private func stopBranching() {
    pieces = []
    isSerial = true
  }

  /// Whether the readable frames end with exactly these.
  private func isEnd(_ overlap: [Frame]) -> Bool {
    guard overlap.count == Self.overlap else { return false }
    return overlap.indices.allSatisfy { index in
      let frame = ring.past(overlap.count - index)
      return frame.left.bitPattern == overlap[index].left.bitPattern
        && frame.right.bitPattern == overlap[index].right.bitPattern
    }
  }
}

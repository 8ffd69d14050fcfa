import Rings
import Signal

/// The sound of one voice of a render: which pieces of it are being decoded, and how far its ring is filled.
///
/// Several threads decode pieces side by side, directly into the memory of the ring; the pieces become readable in
/// order. A piece is begun either by the decoder of the piece before it, or, if that one is still busy, by a *branch* of
/// the sound. A branch is trusted only if it agrees with the piece before it. So the frames are those that one decoder
/// delivers, however many threads there are.
///
/// All frames count from the first frame of the voice's sound. Used by one thread at a time: `PieceDecoders` calls it
/// under its lock.
final class PieceLane {
  /// Frames before its piece that a branch decodes, too: they must equal the end of the piece before.
  static let lead: FrameCount = 512
  /// Frames per read of a decoder.
  static let read = 16_384

  private var ring: RingWriter<Frame>
  /// The most frames of a piece.
  private let pieceLength: FrameCount
  /// The decoder that the sound came with; nil while the slot is free.
  private var root: (any Decoder)?
  /// The pieces that are not completely readable, in order.
  private var pieces: [SoundPiece] = []
  /// The decoder that stands after the last piece that became readable; nil while another piece uses it.
  private var tail: PieceDecoder?
  /// Frames that have become readable.
  private var written: FrameCount = 0
  /// Frames that the voice plays.
  private var goal: FrameCount = 0
  /// Whether the last frame of the sound is readable.
  private var isOver = true
  /// Whether a single decoder delivers the rest.
  private var isSerial = false
  /// Threads at work, including those whose pieces have been dropped.
  private(set) var busyCount = 0
  private var lastNumber = 0
  /// The first damage of the sound.
  private(set) var damage: SoundDamage?

  init(ring: consuming RingWriter<Frame>, pieceLength: Int) {
    // Four pieces fit into the ring, so that there is room for the next one while one is played.
    self.pieceLength = max(2 * Self.lead, FrameCount(min(pieceLength, ring.capacity / 4)))
    self.ring = ring
  }

  func begin(_ sound: PrimedSound, length: FrameCount) {
    ring.rewind()
    sound.head.withUnsafeBufferPointer { head in
      if let base = head.baseAddress { _ = ring.write(base, count: head.count) }
    }
    (written, goal, damage) = (FrameCount(sound.head.count), length, sound.damage)
    (isOver, isSerial) = (sound.isWhole, false)
    if isOver { return ring.close() }
    root = sound.decoder
    tail = PieceDecoder(sound.decoder, at: written)
  }

  /// The voice plays `length` frames.
  func extend(to length: FrameCount) { goal = length }

  /// Drops the sound. Pieces that are being decoded are dropped when their threads return.
  ///
  /// - Returns: whether no thread is at work: the slot can be used again.
  func end() -> Bool {
    (isOver, root) = (true, nil)
    drop()
    return busyCount == 0
  }

  private func drop() {
    pieces = []
    tail = nil
  }

  /// Frames that the mixer can still read.
  private var unread: FrameCount { FrameCount(ring.capacity - ring.free) }

  /// Whether everything that the voice needs is readable.
  private var isComplete: Bool { isOver || goal <= written }

  /// Whether the ring is half full, or holds everything that the voice needs.
  var isSupplied: Bool { isComplete || FrameCount(ring.capacity / 2) <= unread }
}

/// Which piece comes next.
extension PieceLane {
  /// The end of the last piece.
  private var frontier: FrameCount { pieces.last?.end ?? written }

  /// The decoder that stands at the frontier.
  private var continuing: PieceDecoder? { pieces.isEmpty ? tail : pieces.last?.decoder }

  /// The next piece that could be decoded now.
  ///
  /// - Returns: how many frames the voice has in hand before it; nil if there is no room, or nothing to do.
  func distance(branching: Bool) -> FrameCount? {
    guard !isComplete, frontier < goal, !isSerial || busyCount == 0 else { return nil }
    let left = goal - frontier
    guard min(pieceLength, left) <= FrameCount(ring.free) - Self.lead - (frontier - written) else { return nil }
    let isContinued = continuing != nil || isSerial
    // While the voice has sound in hand, one decoder is fast enough.
    let isBranched =
      branching && !isSerial && unread < FrameCount(ring.capacity / 2) && pieces.last?.endsAtEntry == true
      && pieceLength / 4 < left
    return isContinued || isBranched ? frontier - written + unread : nil
  }

  /// Takes the next piece. `distance` has just returned a number.
  func take(slot: Int, branching: Bool) -> PieceTask? {
    guard let root else { return nil }
    let start = frontier
    let line = continuing
    tail = nil
    if !pieces.isEmpty, line != nil { pieces[pieces.count - 1].decoder = nil }
    lastNumber += 1
    busyCount += 1
    let (end, isEntry) = end(from: start, branching: branching && !isSerial, root)
    pieces.append(
      SoundPiece(number: lastNumber, start: start, end: end, endsAtEntry: isEntry, isBranched: line == nil && !isSerial)
    )
    return PieceTask(
      slot: slot, number: lastNumber, start: start, root: root, line: line, restarts: line == nil && isSerial)
  }

  /// Where a piece ends: at a frame at which a branch can begin, if there is one at the right distance.
  private func end(from start: FrameCount, branching: Bool, _ root: any Decoder) -> (FrameCount, isEntry: Bool) {
    if goal - start <= pieceLength { return (goal, false) }
    for quarters in branching ? [4, 3, 2, 1] : [] as [FrameCount] {
      guard let entry = root.entry(from: start + pieceLength * quarters / 4 - Self.lead) else { break }
      if start < entry, entry + Self.lead <= start + pieceLength { return (entry + Self.lead, true) }
    }
    return (start + pieceLength, false)
  }
}

/// What the threads report.
extension PieceLane {
  /// The memory for the next frames of a piece; nil if it is complete or has been dropped.
  func room(for number: Int) -> FrameRoom? {
    guard let piece = pieces.first(where: { $0.number == number }), piece.done < piece.length else { return nil }
    let left = Int(min(FrameCount(Self.read), piece.length - piece.done))
    return FrameRoom(ring.room(after: Int(piece.start + piece.done - written), limit: left))
  }

  /// Receives what a branch has decoded before its piece; nil if it can't be opened.
  func meet(_ number: Int, _ lead: [Frame]?) {
    guard let index = pieces.firstIndex(where: { $0.number == number }) else { return }
    pieces[index].lead = lead ?? []
    settle()
  }

  /// Receives the result of a read into `room`.
  func publish(_ number: Int, _ result: PieceResult) -> PieceAnswer {
    guard let index = pieces.firstIndex(where: { $0.number == number }) else { return .dropped }
    if result.damage != nil, result.line.isBranch {
      if 0 == index { return .doubted }
      // The decoder of the piece before shall find out, or one that begins anew.
      (pieces[index].isBranched, pieces[index].lead) = (true, [])
      return .dropped
    }
    damage = damage ?? result.damage
    pieces[index].done += FrameCount(result.count)
    pieces[index].hasEnded = result.isEnd
    let isComplete = pieces[index].isComplete
    if isComplete { pieces[index].decoder = result.line }
    settle()
    return isComplete ? .complete : .more
  }

  /// A trusted branch has found damage. From there on the sound is decoded from its beginning by one decoder, so that
  /// the damage is found with the history that it has without branches.
  func restart(with decoder: any Decoder) {
    drop()
    (tail, isSerial) = (PieceDecoder(decoder, at: 0), true)
  }

  /// Nobody can decode the rest: the sound ends here.
  func cutOff(_ number: Int) {
    guard pieces.contains(where: { $0.number == number }) else { return }
    isOver = true
    drop()
    ring.close()
  }

  /// A thread has returned from a piece.
  func leave() { busyCount -= 1 }

  /// Makes readable what is complete.
  private func settle() {
    while let first = pieces.first {
      if first.isBranched {
        guard let lead = first.lead else { return }
        guard isEnd(lead) else { return giveUpBranches() }
        pieces[0].isBranched = false
      }
      let new = first.done - (written - first.start)
      ring.advance(Int(new))
      written += new
      if first.hasEnded {
        isOver = true
        drop()
        return ring.close()
      }
      guard first.isComplete else { return }
      tail = first.decoder
      pieces.removeFirst()
    }
  }

  /// A branch differs from what the piece before it ends with, has found damage or can't be opened: the decoder of that
  /// piece continues. If that one has moved on, the sound is decoded from its beginning.
  private func giveUpBranches() {
    pieces = []
    isSerial = true
  }

  /// Whether the readable frames end with exactly these.
  private func isEnd(_ lead: [Frame]) -> Bool {
    guard lead.count == Self.lead else { return false }
    return lead.indices.allSatisfy { index in
      let frame = ring.past(lead.count - index)
      return frame.left.bitPattern == lead[index].left.bitPattern
        && frame.right.bitPattern == lead[index].right.bitPattern
    }
  }
}

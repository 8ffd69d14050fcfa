import Signal

/// The state of `PieceDecoders`, which uses it under its lock: what all lanes hold, and what the threads do.
struct PieceDecoderState {
  /// The lanes of all voices, by slot.
  let lanes: [PieceLane]
  /// The slots that have a sound.
  var active: [Int] = []
  /// Threads that wait for work, without those that have been woken.
  var idleCount = 0
  /// Whether a thread has been woken that has not looked for work yet. It wakes the next one if there is more.
  var isWaking = false
  /// The times in nanoseconds at which threads began their current reads, by thread.
  var busySince: [Int: Int64] = [:]
  /// The threads that have been replaced; they end when their read returns.
  var replaced: Set<Int> = []
  var lastThread = 0
  /// Whether control waits for sound, see `PieceDecoders.request`.
  var isAwaited = false
  var isClosing = false
  /// The number of completed reads, by which the render notices progress.
  var reads = 0

  init(lanes: [PieceLane]) { self.lanes = lanes }

  /// Whether an idle thread has to be woken, because there is a piece for it. Counts it as woken then.
  mutating func wakeIfUseful() -> Bool {
    guard 0 < idleCount, !isWaking, nextSlot != nil else { return false }
    idleCount -= 1
    isWaking = true
    return true
  }

  /// Whether the rings of all voices are filled to this many quarters, or hold all that their voices need.
  func areFilled(quarters: Int) -> Bool { active.allSatisfy { lanes[$0].isFilled(quarters: quarters) } }

  /// Of the voices that have a piece to decode, the slot of the one with the least sound; nil if there is none.
  var nextSlot: Int? {
    var best: (slot: Int, buffered: FrameCount)?
    for slot in active {
      guard let buffered = lanes[slot].bufferedFrames else { continue }
      if best.map({ buffered < $0.buffered }) ?? true { best = (slot, buffered) }
    }
    return best?.slot
  }
}

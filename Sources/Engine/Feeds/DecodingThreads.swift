import Dispatch
import Signal
import Sounds
import Synchronization

/// The threads that decode for all voices, in playback and in renders: several sounds, and in a render several pieces
/// of one sound, at the same time.
///
/// Each thread takes the next piece of the voice whose ring has the least sound. A thread that is blocked in a read,
/// for example because a network drive is lost, is replaced by a new one. One lock guards all state; no thread decodes
/// or closes a file while it holds the lock.
final class DecodingThreads: Sendable {
  /// What a thread does next.
  private enum Step {
    case task(PieceTask, wakesAnother: Bool)
    case idle(isAwaited: Bool)
    case ended
  }

  fileprivate struct State {
    /// The feeds of all voices, by slot.
    let feeds: [VoiceFeed]
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
    /// Whether the render waits for sound, see `request`.
    var isAwaited = false
    var isClosing = false
    /// The number of completed reads, by which a render notices progress.
    var reads = 0
  }

  /// Nanoseconds that one read may take before its thread is replaced.
  static let readTimeout: Int64 = 500_000_000

  private let state: Mutex<State>
  /// How many threads decode.
  private let threads: Int
  /// Whether each read wakes the render that waits. Otherwise it is woken when all rings are half full: it then waits
  /// less often, and the threads always have room to continue.
  private let wakesAtOnce: Bool
  /// The nanoseconds of a monotonic clock.
  private let clock: @Sendable () -> Int64
  /// Wakes the thread that renders when the sound for which it waits has been decoded.
  private let dataReady: WakeUp
  private let work = DispatchSemaphore(value: 0)
  /// Wakes control when a thread has returned from a slot whose feed has ended.
  private let released = WakeUp()

  init(
    feeds: sending [VoiceFeed], threads: Int, wakingAtOnce wakesAtOnce: Bool, dataReady: WakeUp,
    clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds
  ) {
    state = Mutex(State(feeds: feeds))
    (self.threads, self.wakesAtOnce, self.dataReady, self.clock) = (threads, wakesAtOnce, dataReady, clock)
  }

  /// Starts the threads; returns false if the system can't create any. Called once.
  func start(on start: (sending @escaping () -> Void) -> Bool = OSThread.start) -> Bool {
    (0..<threads).count { _ in
      let number = state.withLock { $0.nextThread() }
      return start { [self] in run(number) }
    } > 0
  }

  /// Ends each thread after its current read. Doesn't wait for them.
  func close() {
    let idle = state.withLock { state in
      state.isClosing = true
      return state.idleCount
    }
    for _ in 0..<idle { work.signal() }
  }
}

extension DecodingThreads.State {
  mutating func nextThread() -> Int {
    lastThread += 1
    return lastThread
  }

  /// Whether an idle thread has to be woken, because there is a piece for it. Counts it as woken then.
  mutating func wakeIfUseful() -> Bool {
    guard 0 < idleCount, !isWaking, nextSlot != nil else { return false }
    idleCount -= 1
    isWaking = true
    return true
  }

  /// Whether the rings of all voices are filled to this many quarters, or hold all that their voices need.
  func areFilled(quarters: Int) -> Bool { active.allSatisfy { feeds[$0].isFilled(quarters: quarters) } }

  /// Of the voices that have a piece to decode, the slot of the one with the least sound; nil if there is none.
  var nextSlot: Int? {
    var best: (slot: Int, buffered: FrameCount)?
    for slot in active {
      guard let buffered = feeds[slot].bufferedFrames else { continue }
      if best.map({ buffered < $0.buffered }) ?? true { best = (slot, buffered) }
    }
    return best?.slot
  }
}

/// Called on the control thread.
extension DecodingThreads {
  /// Starts to fill the ring of a slot with a sound. The voice that used the slot before has ended.
  ///
  /// - Parameter length: how many frames of the sound are needed, as far as is known now.
  func begin(_ sound: PrimedSound, in slot: Int, length: FrameCount) {
    change { state in
      state.feeds[slot].begin(sound, length: length)
      state.active.append(slot)
    }
  }

  /// From now on, `length` frames of a slot's sound are needed.
  func extend(_ slot: Int, to length: FrameCount) { change { $0.feeds[slot].extend(to: length) } }

  private func change(_ change: (inout State) -> Void) {
    let isUseful = state.withLock { state in
      change(&state)
      return state.wakeIfUseful()
    }
    if isUseful { work.signal() }
  }

  /// The first damage that the decoder of a slot has found.
  func damage(in slot: Int) -> SoundDamage? { state.withLock { $0.feeds[slot].damage } }

  /// Ends the feed of a slot. Waits for what is being decoded, but gives up if `seconds` pass in which no feed ends.
  func end(_ slot: Int, within seconds: Double) {
    while !endAtOnce(slot), released.wait(seconds: seconds) {}
  }

  /// Ends the feed of a slot. Never waits.
  ///
  /// - Returns: false while something is being decoded for the slot: it can't be used again yet.
  func endAtOnce(_ slot: Int) -> Bool {
    // The decoders are returned, because closing one may wait for the disk.
    let (isFree, _) = state.withLock { state in
      state.active.removeAll { $0 == slot }
      let dropped = state.feeds[slot].end()
      return (state.feeds[slot].busyCount == 0, dropped)
    }
    return isFree
  }
}

/// Called on the thread that renders.
extension DecodingThreads {
  /// Wakes a thread if a ring is less than three quarters full. That thread wakes another one if there is more work.
  ///
  /// Never waits: if another thread has the lock, the next call does this, because the render calls it with each piece
  /// until the rings are filled.
  func kick() {
    let isUseful = state.withLockIfAvailable { state in !state.areFilled(quarters: 3) && state.wakeIfUseful() }
    if isUseful ?? false { work.signal() }
  }

  /// Wakes the threads, and makes them wake the render when there is more sound, or nothing left to decode.
  ///
  /// - Returns: the reads that have been completed. As long as the number grows, no file hangs.
  @discardableResult
  func request() -> Int {
    replaceStuck()
    let (reads, isUseful) = state.withLock { state in
      state.isAwaited = wakesAtOnce || !state.areFilled(quarters: 2)
      return (state.reads, state.wakeIfUseful())
    }
    if isUseful { work.signal() }
    return reads
  }

  /// Starts a new thread for each that has been in one read for longer than `readTimeout`.
  private func replaceStuck() {
    let now = clock()
    let stuck = state.withLock { state in
      let stuck = state.busySince.filter { Self.readTimeout < now - $0.value }
      for thread in stuck.keys {
        state.busySince[thread] = nil
        state.replaced.insert(thread)
      }
      return stuck
    }
    for (thread, since) in stuck {
      let number = state.withLock { $0.nextThread() }
      if OSThread.start({ [self] in run(number) }) { continue }
      // The system can't create a thread: the blocked one continues when its read returns, unless there is one before.
      state.withLock { state in
        if state.replaced.remove(thread) != nil { state.busySince[thread] = since }
      }
    }
  }
}

/// Called on the decoding threads.
extension DecodingThreads {
  private func run(_ thread: Int) {
    var wasIdle = false
    while decodeAll(on: thread, afterWaiting: wasIdle) {
      work.wait()
      wasIdle = true
    }
  }

  /// Decodes until the rings are full.
  ///
  /// - Returns: false if the thread has to end.
  func decodeAll(on thread: Int, afterWaiting wasIdle: Bool = false) -> Bool {
    var wasIdle = wasIdle
    while true {
      let step = nextStep(thread, wasIdle: wasIdle)
      wasIdle = false
      switch step {
      case .ended: return false
      case .idle(let isAwaited):
        if isAwaited { dataReady.call() }
        return true
      case .task(let task, let wakesAnother):
        if wakesAnother { work.signal() }
        decode(task, on: thread)
      }
    }
  }

  private func nextStep(_ thread: Int, wasIdle: Bool) -> Step {
    state.withLock { state in
      state.busySince[thread] = nil
      if wasIdle { state.isWaking = false }
      if state.isClosing || state.replaced.remove(thread) != nil { return .ended }
      guard let slot = state.nextSlot, let task = state.feeds[slot].take(slot: slot) else {
        state.idleCount += 1
        // A thread that still decodes wakes the render later.
        let isAwaited = state.isAwaited && state.busySince.isEmpty
        if isAwaited { state.isAwaited = false }
        return .idle(isAwaited: isAwaited)
      }
      state.busySince[thread] = clock()
      return .task(task, wakesAnother: state.wakeIfUseful())
    }
  }

  private func decode(_ task: PieceTask, on thread: Int) {
    if var decoder = task.decoder ?? (task.restarts ? openAtBeginning(task) : openBranch(task)) {
      let isAtStart =
        decoder.isBranch && task.decoder == nil ? readOverlap(task, &decoder) : skip(to: task.start, &decoder)
      if isAtStart { fill(task, &decoder, on: thread) } else { _ = publish(task, decoder.endResult, on: thread) }
    }
    let isReleased = state.withLock { state in
      state.feeds[task.slot].threadReturned()
      return !state.active.contains(task.slot)
    }
    if isReleased { released.call() }
  }

  /// Opens a decoder just before the piece. If there can't be one, the feed continues without branches.
  private func openBranch(_ task: PieceTask) -> PieceDecoder? {
    if let decoder = task.original.branch(at: task.start - VoiceFeed.overlap) { return decoder }
    state.withLock { $0.feeds[task.slot].receiveOverlap(task.number, nil) }
    return nil
  }

  /// Opens the sound once more at its beginning. If that fails, the sound ends here.
  private func openAtBeginning(_ task: PieceTask) -> PieceDecoder? {
    if let decoder = task.original.reopened { return decoder }
    state.withLock { $0.feeds[task.slot].cutOff(task.number) }
    return nil
  }

  /// Decodes the overlap: the frames of a branch that precede its piece. A branch that finds damage or the end there is
  /// not used.
  private func readOverlap(_ task: PieceTask, _ decoder: inout PieceDecoder) -> Bool {
    var overlap = [Frame](repeating: .silence, count: Int(VoiceFeed.overlap))
    let count = overlap.withUnsafeMutableBufferPointer { decoder.read(into: $0) }
    let isSound = count == overlap.count && decoder.damage == nil
    state.withLock { $0.feeds[task.slot].receiveOverlap(task.number, isSound ? overlap : nil) }
    return true
  }

  /// Decodes and drops the frames before the piece; false if the sound ends before it.
  private func skip(to start: FrameCount, _ decoder: inout PieceDecoder) -> Bool {
    withUnsafeTemporaryAllocation(of: Frame.self, capacity: 4_096) { scratch in
      while decoder.position < start {
        let wanted = Int(min(FrameCount(scratch.count), start - decoder.position))
        if decoder.read(into: UnsafeMutableBufferPointer(rebasing: scratch[..<wanted])) < wanted { return false }
      }
      return true
    }
  }

  private func fill(_ task: PieceTask, _ decoder: inout PieceDecoder, on thread: Int) {
    while let room = room(for: task, on: thread) {
      let count = decoder.read(into: room.frames)
      var result = PieceResult(count: count, isEnd: count < room.count, damage: decoder.damage, decoder: decoder)
      switch publish(task, result, on: thread) {
      case .more: break
      case .complete, .dropped: return
      case .unconfirmedDamage:
        if let whole = task.original.reopened {
          return state.withLock { state in
            if state.active.contains(task.slot) { state.feeds[task.slot].restart(with: whole) }
          }
        }
        // The sound can't be opened again, because its file has changed: this damage is reported.
        decoder = decoder.trusted
        result.decoder = decoder
        if case .more = publish(task, result, on: thread) { break }
        return
      }
    }
  }

  /// The memory for the next read; it also restarts the time after which the thread counts as blocked.
  private func room(for task: PieceTask, on thread: Int) -> FrameRoom? {
    state.withLock { state in
      if state.busySince[thread] != nil { state.busySince[thread] = clock() }
      return state.feeds[task.slot].room(for: task.number)
    }
  }

  /// Passes the result of a read to the feed, and wakes the render if it has waited for this.
  private func publish(_ task: PieceTask, _ result: PieceResult, on thread: Int) -> PieceAnswer {
    let (answer, isSupplied) = state.withLock { state in
      state.reads += 1
      let answer = state.feeds[task.slot].publish(task.number, result)
      let isSupplied = state.isAwaited && (wakesAtOnce || state.areFilled(quarters: 2))
      if isSupplied { state.isAwaited = false }
      return (answer, isSupplied)
    }
    if isSupplied { dataReady.call() }
    return answer
  }
}

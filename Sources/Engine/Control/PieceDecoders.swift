import Dispatch
import Signal
import Sounds
import Synchronization

/// The threads that decode for all voices of a render without a listener: several sounds, and several pieces of one
/// sound, at the same time.
///
/// Each thread takes the next piece of the voice whose ring has the least sound. A thread that is blocked in a read,
/// for example because a network drive is lost, is replaced by a new one. One lock guards all state; no thread decodes
/// while it holds the lock.
final class PieceDecoders: VoiceFeeding {
  /// What a thread does next.
  private enum Step {
    case task(PieceTask, wakesAnother: Bool)
    case idle(isAwaited: Bool)
    case ended
  }

  private let state: Mutex<PieceDecoderState>
  /// How many threads decode.
  private let threads: Int
  /// The nanoseconds of a monotonic clock.
  private let clock: @Sendable () -> Int64
  /// Wakes the render when the sound for which it waits has been decoded.
  private let dataReady: WakeUp
  private let work = DispatchSemaphore(value: 0)
  /// Wakes control when a thread has returned from a slot whose feed has ended.
  private let released = WakeUp()

  init(
    lanes: sending [PieceLane], threads: Int, dataReady: WakeUp,
    clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds
  ) {
    state = Mutex(PieceDecoderState(lanes: lanes))
    (self.threads, self.dataReady, self.clock) = (threads, dataReady, clock)
  }

  /// Starts the threads; returns false if the system can't create any. Called once.
  func start(on start: (sending @escaping () -> Void) -> Bool) -> Bool {
    (0..<threads).count { _ in
      let number = nextThread()
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

  private func nextThread() -> Int {
    state.withLock { state in
      state.lastThread += 1
      return state.lastThread
    }
  }
}

/// Called on the control thread, which also renders.
extension PieceDecoders {
  func begin(_ sound: PrimedSound, in slot: Int, length: FrameCount) {
    state.withLock { state in
      state.lanes[slot].begin(sound, length: length)
      state.active.append(slot)
    }
    kick()
  }

  func extend(_ slot: Int, to length: FrameCount) {
    state.withLock { $0.lanes[slot].extend(to: length) }
    kick()
  }

  func damage(in slot: Int) -> SoundDamage? { state.withLock { $0.lanes[slot].damage } }

  func end(_ slot: Int, within seconds: Double) {
    while !endAtOnce(slot), released.wait(seconds: seconds) {}
  }

  func endAtOnce(_ slot: Int) -> Bool {
    state.withLock { state in
      state.active.removeAll { $0 == slot }
      return state.lanes[slot].end()
    }
  }

  /// Wakes a thread if a ring is less than three quarters full. That thread wakes another one if there is more work.
  func kick() {
    let isUseful = state.withLock { state in
      !state.areFilled(quarters: 3) && state.wakeIfUseful()
    }
    if isUseful { work.signal() }
  }

  /// Wakes the render when all rings are half full or the threads find no more work. It then waits less often than
  /// if it were woken by each read, and the threads always have room to continue.
  ///
  /// - Returns: the reads that have been completed. As long as the number grows, no file hangs.
  func request() -> Int {
    replaceStuck()
    let reads = state.withLock { state in
      state.isAwaited = !state.areFilled(quarters: 2)
      return state.reads
    }
    kick()
    return reads
  }

  /// Starts a new thread for each that has been in one read for longer than `DecodingThreads.readTimeout`.
  private func replaceStuck() {
    let now = clock()
    let stuck = state.withLock { state in
      let stuck = state.busySince.filter { DecodingThreads.readTimeout < now - $0.value }.map(\.key)
      for thread in stuck { state.busySince[thread] = nil }
      state.replaced.formUnion(stuck)
      return stuck.count
    }
    for _ in 0..<stuck {
      let number = nextThread()
      OSThread.start { [self] in run(number) }
    }
  }
}

/// Called on the decoding threads.
extension PieceDecoders {
  private func run(_ thread: Int) {
    var wasIdle = false
    while true {
      let step = nextStep(thread, wasIdle: wasIdle)
      wasIdle = false
      switch step {
      case .ended: return
      case .idle(let isAwaited):
        if isAwaited { dataReady.call() }
        work.wait()
        wasIdle = true
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
      guard let slot = state.nextSlot, let task = state.lanes[slot].take(slot: slot) else {
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
      state.lanes[task.slot].threadReturned()
      return !state.active.contains(task.slot)
    }
    if isReleased { released.call() }
  }

  /// Opens a decoder just before the piece. If there can't be one, the lane continues without branches.
  private func openBranch(_ task: PieceTask) -> PieceDecoder? {
    let first = task.start - PieceLane.overlap
    if let decoder = task.original.branch(at: first) { return PieceDecoder(branch: decoder, at: first) }
    state.withLock { $0.lanes[task.slot].receiveOverlap(task.number, nil) }
    return nil
  }

  /// Opens the sound once more at its beginning. If that fails, the sound ends here.
  private func openAtBeginning(_ task: PieceTask) -> PieceDecoder? {
    if let decoder = task.original.branch(at: 0) { return PieceDecoder(decoder, at: 0) }
    state.withLock { $0.lanes[task.slot].cutOff(task.number) }
    return nil
  }

  /// Decodes the overlap: the frames of a branch that precede its piece. A branch that finds damage or the end there is
  /// not used.
  private func readOverlap(_ task: PieceTask, _ decoder: inout PieceDecoder) -> Bool {
    var overlap = [Frame](repeating: .silence, count: Int(PieceLane.overlap))
    let count = overlap.withUnsafeMutableBufferPointer { decoder.read(into: $0) }
    let isSound = count == overlap.count && decoder.damage == nil
    state.withLock { $0.lanes[task.slot].receiveOverlap(task.number, isSound ? overlap : nil) }
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
        if let whole = task.original.branch(at: 0) {
          return state.withLock { state in
            if state.active.contains(task.slot) { state.lanes[task.slot].restart(with: whole) }
          }
        }
        // The sound can't be opened again, because its file has changed: this damage is reported.
        decoder = PieceDecoder(trusting: decoder)
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
      return state.lanes[task.slot].room(for: task.number)
    }
  }

  /// Passes the result of a read to the lane, and wakes the render if it has waited for this.
  private func publish(_ task: PieceTask, _ result: PieceResult, on thread: Int) -> PieceAnswer {
    let (answer, isSupplied) = state.withLock { state in
      state.reads += 1
      let answer = state.lanes[task.slot].publish(task.number, result)
      let isSupplied = state.isAwaited && state.areFilled(quarters: 2)
      if isSupplied { state.isAwaited = false }
      return (answer, isSupplied)
    }
    if isSupplied { dataReady.call() }
    return answer
  }
}

import Dispatch
import Signal
import Synchronization

/// The threads that decode for all voices of a render: several sounds, and several pieces of one sound, side by side.
///
/// Each thread takes the next piece of the voice that has the least sound in hand. A thread that hangs in a read, for
/// example of a file on a lost network drive, is replaced by a new one.
final class PieceDecoders: VoiceFeeding {
  fileprivate struct State {
    /// The lanes of all voices, by slot.
    let lanes: [PieceLane]
    /// The slots that have a sound.
    var active: [Int] = []
    /// Threads that wait for work.
    var idleCount = 0
    /// The times in nanoseconds at which threads began their current reads, by thread.
    var busySince: [Int: Int64] = [:]
    /// The threads that have been replaced; they end when their read returns.
    var replaced: Set<Int> = []
    var lastThread = 0
    /// Whether the render waits for sound.
    var isWanted = false
    var isClosing = false
    /// Reads that have been completed.
    var reads = 0

    init(lanes: [PieceLane]) { self.lanes = lanes }
  }

  private enum Step {
    case task(PieceTask, wakesAnother: Bool)
    case idle(isWanted: Bool)
    case ended
  }

  private let state: Mutex<State>
  private let threads: Int
  private let clock: @Sendable () -> Int64
  /// Called when the sound is there that the render waits for.
  private let fed: WakeUp
  private let work = DispatchSemaphore(value: 0)
  /// A thread has left a slot without a sound.
  private let released = WakeUp()

  /// - Parameters:
  ///   - threads: how many decode at a time.
  ///   - fed: wakes the render.
  ///   - clock: nanoseconds that never go back.
  init(
    lanes: sending [PieceLane], threads: Int, fed: WakeUp, clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds
  ) {
    state = Mutex(State(lanes: lanes))
    (self.threads, self.fed, self.clock) = (threads, fed, clock)
  }

  /// Starts the threads. Called once.
  ///
  /// - Returns: false if the system can't create any.
  func start(on start: (sending @escaping () -> Void) -> Bool) -> Bool {
    (0..<threads).count { _ in
      let number = nextThread()
      return start { [self] in run(number) }
    } > 0
  }

  /// Ends the threads after the read that each is in. Doesn't wait for them.
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

/// Called by control and by the render.
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

  /// Wakes a thread if some ring is half empty. The thread wakes the others if there is work for them.
  func kick() {
    let isUseful = state.withLock { state in
      let isUseful = 0 < state.idleCount && !state.isSupplied && state.choice(branching: isBranching) != nil
      if isUseful { state.idleCount -= 1 }
      return isUseful
    }
    if isUseful { work.signal() }
  }

  /// Asks for a wake-up of the render when all rings are at least half full, or when the threads have nothing to do.
  ///
  /// - Returns: the reads that have been completed. As long as the number grows, no file hangs.
  func request() -> Int {
    replaceStuck()
    let reads = state.withLock { state in
      state.isWanted = !state.isSupplied
      return state.reads
    }
    kick()
    return reads
  }

  private var isBranching: Bool { 1 < threads }

  /// Starts a new thread for each that has been in one read for longer than `DecodingThreads.patience`.
  private func replaceStuck() {
    let now = clock()
    let stuck = state.withLock { state in
      let stuck = state.busySince.filter { DecodingThreads.patience < now - $0.value }.map(\.key)
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

/// The threads.
extension PieceDecoders {
  private func run(_ thread: Int) {
    while true {
      switch nextStep(thread) {
      case .ended: return
      case .idle(let isWanted):
        if isWanted { fed.call() }
        work.wait()
      case .task(let task, let wakesAnother):
        if wakesAnother { work.signal() }
        decode(task, on: thread)
      }
    }
  }

  private func nextStep(_ thread: Int) -> Step {
    state.withLock { state in
      state.busySince[thread] = nil
      if state.isClosing || state.replaced.remove(thread) != nil { return .ended }
      guard let slot = state.choice(branching: isBranching),
        let task = state.lanes[slot].take(slot: slot, branching: isBranching)
      else {
        state.idleCount += 1
        defer { state.isWanted = false }
        return .idle(isWanted: state.isWanted)
      }
      state.busySince[thread] = clock()
      let wakesAnother = 0 < state.idleCount && state.choice(branching: isBranching) != nil
      if wakesAnother { state.idleCount -= 1 }
      return .task(task, wakesAnother: wakesAnother)
    }
  }

  private func decode(_ task: PieceTask, on thread: Int) {
    if var line = task.line ?? (task.restarts ? whole(task) : branch(task)) {
      let isThere = line.isBranch && task.line == nil ? meet(task, &line) : skip(to: task.start, &line)
      if isThere { fill(task, &line, on: thread) } else { _ = publish(task, nothing(line), on: thread) }
    }
    let isReleased = state.withLock { state in
      state.lanes[task.slot].leave()
      return !state.active.contains(task.slot)
    }
    if isReleased { released.call() }
  }

  private func branch(_ task: PieceTask) -> PieceDecoder? {
    let first = task.start - PieceLane.lead
    if let decoder = task.root.branch(at: first) { return PieceDecoder(branch: decoder, at: first) }
    state.withLock { $0.lanes[task.slot].meet(task.number, nil) }
    return nil
  }

  private func whole(_ task: PieceTask) -> PieceDecoder? {
    if let decoder = task.root.branch(at: 0) { return PieceDecoder(decoder, at: 0) }
    state.withLock { $0.lanes[task.slot].cutOff(task.number) }
    return nil
  }

  /// Decodes what precedes the piece of a branch. A branch that finds damage or the end there is not used.
  private func meet(_ task: PieceTask, _ line: inout PieceDecoder) -> Bool {
    var lead = [Frame](repeating: .silence, count: Int(PieceLane.lead))
    let count = lead.withUnsafeMutableBufferPointer { line.read(into: $0) }
    let isSound = count == lead.count && line.damage == nil
    state.withLock { $0.lanes[task.slot].meet(task.number, isSound ? lead : nil) }
    return true
  }

  /// Decodes and drops the frames before the piece; false if the sound ends before it.
  private func skip(to start: FrameCount, _ line: inout PieceDecoder) -> Bool {
    withUnsafeTemporaryAllocation(of: Frame.self, capacity: 4_096) { scratch in
      while line.position < start {
        let wanted = Int(min(FrameCount(scratch.count), start - line.position))
        if line.read(into: UnsafeMutableBufferPointer(rebasing: scratch[..<wanted])) < wanted { return false }
      }
      return true
    }
  }

  private func nothing(_ line: PieceDecoder) -> PieceResult {
    PieceResult(count: 0, isEnd: true, damage: line.damage, line: line)
  }

  /// Decodes the piece into its ring.
  private func fill(_ task: PieceTask, _ line: inout PieceDecoder, on thread: Int) {
    while let room = room(for: task, on: thread) {
      let count = line.read(into: room.frames)
      var result = PieceResult(count: count, isEnd: count < room.count, damage: line.damage, line: line)
      switch publish(task, result, on: thread) {
      case .more: break
      case .complete, .dropped: return
      case .doubted:
        if let whole = task.root.branch(at: 0) {
          return state.withLock { state in
            if state.active.contains(task.slot) { state.lanes[task.slot].restart(with: whole) }
          }
        }
        // The file has changed: what this decoder finds in it is reported.
        line = PieceDecoder(trusting: line)
        result.line = line
        if case .more = publish(task, result, on: thread) { break }
        return
      }
    }
  }

  private func room(for task: PieceTask, on thread: Int) -> FrameRoom? {
    state.withLock { state in
      if state.busySince[thread] != nil { state.busySince[thread] = clock() }
      return state.lanes[task.slot].room(for: task.number)
    }
  }

  private func publish(_ task: PieceTask, _ result: PieceResult, on thread: Int) -> PieceAnswer {
    let (answer, isFed) = state.withLock { state in
      state.reads += 1
      let answer = state.lanes[task.slot].publish(task.number, result)
      let isFed = state.isWanted && state.isSupplied
      if isFed { state.isWanted = false }
      return (answer, isFed)
    }
    if isFed { fed.call() }
    return answer
  }
}

extension PieceDecoders.State {
  /// Whether all voices have enough sound for a while.
  fileprivate var isSupplied: Bool { active.allSatisfy { lanes[$0].isSupplied } }

  /// The slot of the voice that has the least sound in hand and for which something can be done.
  fileprivate func choice(branching: Bool) -> Int? {
    var best: (slot: Int, distance: FrameCount)?
    for slot in active {
      guard let distance = lanes[slot].distance(branching: branching) else { continue }
      if best.map({ distance < $0.distance }) ?? true { best = (slot, distance) }
    }
    return best?.slot
  }
}

/// The rules of the queue: which operations wait, which one runs, and which one is next. A value without clock or
/// tasks.
struct OperationBacklog {
  /// An effect of an arriving operation.
  enum Effect {
    case enqueued(WaitingOperation, depth: Int)
    case rejected(WaitingOperation, depth: Int)
    /// It is removed from the queue and never runs.
    case cancelled(WaitingOperation, by: WaitingOperation)
    /// It is removed from the queue, because its steps were added to those of a newer one.
    case coalesced(WaitingOperation, into: WaitingOperation)
    /// Its steps and the waiting ones add up to 0: it is done without running. The waiting ones are coalesced into it.
    case annulled(WaitingOperation)
    /// The running operation is asked to stop at its next safe point. `isRepeated`: it then runs again.
    case stop(WaitingOperation, by: WaitingOperation, isRepeated: Bool)
  }

  let maxDepth: Int
  private(set) var running: WaitingOperation?
  /// How many counted operations wait.
  private(set) var depth = 0
  /// How many operations wait, counted or not.
  private var total = 0
  /// The waiting operations, by priority.
  private var lanes = Array(repeating: Lane(), count: OperationPriority.allCases.count)
  /// How many of them are moves.
  private var moves = 0
  /// How many operations have ever arrived: the number of the last one.
  private var arrivals: UInt64 = 0
  /// For the call of `take` in progress: the number of its first operation, and how many counted operations wait that
  /// arrived before it.
  private var batch = (first: UInt64(1), earlier: 0)
  /// The number of the last resume that has arrived. It begins where the steps before it lead, so those are not merged
  /// into later ones.
  private var lastResume: UInt64 = 0

  init(maxDepth: Int) { self.maxDepth = maxDepth }

  /// Whether no operation waits.
  var isEmpty: Bool { total == 0 }

  /// Whether no counted operation waits or runs.
  var isIdle: Bool { !isBusy && depth == 0 }

  /// Whether a counted operation runs.
  var isBusy: Bool { running?.operation.isCounted ?? false }

  /// Adds a batch of simultaneous operations, which run in the given order. For each, the effects contain exactly one
  /// `enqueued` or `rejected`.
  ///
  /// Only operations that waited before the call count against the limit, not the added ones themselves.
  mutating func take(_ operations: [Operation], at now: Int64) -> [Effect] {
    batch = (first: arrivals + 1, earlier: depth)
    // An operation waits with the highest priority among itself and those after it in the batch, so that none of them
    // overtakes it.
    var ranks = operations.map(\.priority)
    for index in ranks.indices.dropLast().reversed() { ranks[index] = max(ranks[index], ranks[index + 1]) }
    return zip(operations, ranks).flatMap { take($0, rank: $1, at: now) }
  }

  /// Starts and returns the next operation; nil if one runs already or none waits.
  mutating func begin() -> WaitingOperation? {
    guard running == nil, !isEmpty else { return nil }
    for priority in OperationPriority.allCases.reversed() {
      guard let next = lanes[priority.rawValue].popFirst() else { continue }
      left(next)
      running = next
      return next
    }
    return nil
  }

  /// Call it when the running operation has ended.
  ///
  /// - Parameter isRepeated: whether it was stopped and runs again, before all others of its rank.
  mutating func end(isRepeated: Bool = false) {
    if isRepeated, var running {
      running.isRepeat = true
      lanes[running.rank.rawValue].prepend(running)
      count(running, 1)
    }
    running = nil
  }
}

extension OperationBacklog {
  private mutating func take(_ operation: Operation, rank: OperationPriority, at now: Int64) -> [Effect] {
    arrivals += 1
    var waiting = WaitingOperation(
      number: arrivals, batch: batch.first, operation: operation, rank: rank, steps: 0, arrival: now)
    if case .step(let steps) = operation.navigation { waiting.steps = steps }
    let settled = makeWay(for: &waiting)
    if waiting.isStep, waiting.steps == 0 { return [.enqueued(waiting, depth: depth)] + settled + [.annulled(waiting)] }
    // A rejected operation must have changed nothing. That holds: one that has removed another has made room for
    // itself.
    let hasRoom = waiting.priority >= .high || batch.earlier < maxDepth || !operation.isCounted
    guard hasRoom else { return [.rejected(waiting, depth: depth)] }
    lanes[rank.rawValue].append(waiting)
    count(waiting, 1)
    return [.enqueued(waiting, depth: depth)] + settled
  }

  /// Cancels, replaces or merges waiting operations for the newcomer, and asks the running one to stop if it must.
  private mutating func makeWay(for newcomer: inout WaitingOperation) -> [Effect] {
    let priority = newcomer.priority
    if newcomer.operation.navigation == .resume {
      lastResume = newcomer.number
      raiseMoves(to: priority)
      return []
    }
    let overtaken = priority >= .high ? overtake(newcomer) : []
    switch newcomer.operation.navigation {
    case .step: return overtaken + takeUpSteps(into: &newcomer)
    case .other:
      let replaced = remove { $0.isMove && $0.priority <= priority }
      return overtaken + replaced.map { [newcomer] in .cancelled($0, by: newcomer) }
    case .within, .resume, nil: return overtaken
    }
  }

  /// Cancels waiting moves of lower priority, and stops the running operation: a move, or any if `newcomer` is
  /// critical.
  private mutating func overtake(_ newcomer: WaitingOperation) -> [Effect] {
    let gone = remove { $0.isMove && $0.givesWay(to: newcomer) }
    let cancelled = gone.map { Effect.cancelled($0, by: newcomer) }
    guard let running, running.isMove || newcomer.priority == .critical, running.givesWay(to: newcomer) else {
      return cancelled
    }
    let isRepeated = newcomer.operation.isInterruption && running.operation.isRepeatable
    return cancelled + [.stop(running, by: newcomer, isRepeated: isRepeated)]
  }

  /// Raises waiting moves of lower rank to `priority`, so that they run before the newcomer. They keep their order, and
  /// the operations before them in their batches are raised with them.
  private mutating func raiseMoves(to priority: OperationPriority) {
    let lower = lanes.indices.reversed().filter { $0 < priority.rawValue }
    let moves = lower.flatMap { lanes[$0].waiting }.filter(\.isMove)
    let lastMoves = Dictionary(moves.map { ($0.batch, $0.number) }) { max($0, $1) }
    for lane in lower {
      for var raised in lanes[lane].remove(where: { $0.number <= lastMoves[$0.batch] ?? 0 }) {
        raised.rank = priority
        lanes[priority.rawValue].append(raised)
      }
    }
  }

  /// Merges waiting steps of the same priority into the newcomer. The sum takes the newcomer's position in the queue,
  /// so operations that arrived in between still run first. Steps before a resume are not merged.
  private mutating func takeUpSteps(into newcomer: inout WaitingOperation) -> [Effect] {
    let priority = newcomer.priority
    let gone = remove { [lastResume] in $0.isStep && $0.priority == priority && lastResume < $0.number }
    newcomer.steps += gone.reduce(0) { $0 + $1.steps }
    return gone.map { [newcomer] in .coalesced($0, into: newcomer) }
  }

  private mutating func remove(where isMeant: (WaitingOperation) -> Bool) -> [WaitingOperation] {
    guard moves > 0 else { return [] }
    var gone: [WaitingOperation] = []
    for lane in lanes.indices { gone += lanes[lane].remove(where: isMeant) }
    for waiting in gone { left(waiting) }
    return gone
  }

  /// Updates the counts for an operation that no longer waits.
  private mutating func left(_ waiting: WaitingOperation) {
    count(waiting, -1)
    batch.earlier -= waiting.batch < batch.first && waiting.operation.isCounted ? 1 : 0
  }

  private mutating func count(_ one: WaitingOperation, _ change: Int) {
    total += change
    depth += one.operation.isCounted ? change : 0
    moves += one.isMove ? change : 0
  }
}

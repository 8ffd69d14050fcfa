/// The rules of the queue: which operations wait, which ones run, and which one is next. It is a value without a clock
/// or tasks, so the rules can be tested alone.
struct OperationBacklog {
  /// An effect of a new operation. `AsyncOperationQueue` executes it.
  enum Effect {
    case enqueued(WaitingOperation, depth: Int)
    case rejected(WaitingOperation, depth: Int)
    /// It is removed from the queue and never runs.
    case cancelled(WaitingOperation, by: WaitingOperation)
    /// It is removed from the queue, because its steps were added to those of a newer one.
    case coalesced(WaitingOperation, into: WaitingOperation)
    /// Its steps and the waiting ones add up to 0, so it is done without running. The waiting ones are coalesced into
    /// it.
    case annulled(WaitingOperation)
    /// A running operation is asked to stop at its next safe point.
    case stop(WaitingOperation, by: WaitingOperation)
  }

  let maxDepth: Int
  /// The operations that have begun: one, and those that it has overtaken while they wait for loads.
  private(set) var running: [WaitingOperation] = []
  /// The waiting operations, in the order in which they run.
  private var waiting: [WaitingOperation] = []
  /// How many operations have ever arrived: the number of the last one.
  private(set) var arrivals: UInt64 = 0
  /// The number of the first operation of the last call of `take`.
  private var batch: UInt64 = 1
  /// The number of the last resume that has arrived. It starts playback where the steps before it lead, so those are
  /// not merged into later ones.
  private var lastResume: UInt64 = 0

  init(maxDepth: Int) { self.maxDepth = maxDepth }

  /// How many counted operations wait.
  var depth: Int { waiting.count { $0.operation.isCounted } }

  /// Whether no counted operation waits or runs.
  var isIdle: Bool { !isBusy && depth == 0 }

  /// Whether a counted operation runs.
  var isBusy: Bool { running.contains { $0.operation.isCounted } }

  /// Adds a batch of simultaneous operations, which run in the given order. For each, the effects contain exactly one
  /// `enqueued` or `rejected`.
  ///
  /// Only operations that waited before the call count against the limit, not the added ones themselves.
  mutating func take(_ operations: [Operation], at now: Int64) -> [Effect] {
    batch = arrivals + 1
    // An operation waits with the highest priority among itself and those after it in the batch, so that none of these
    // runs before it.
    var ranks = operations.map(\.priority)
    for index in ranks.indices.dropLast().reversed() { ranks[index] = max(ranks[index], ranks[index + 1]) }
    return zip(operations, ranks).flatMap { take($0, rank: $1, at: now) }
  }

  /// Index of the waiting operation that may start now: the first one if none runs, otherwise the first one that
  /// overtakes all that run.
  private var nextIndex: Int? { waiting.firstIndex { one in running.allSatisfy { one.overtakes($0) } } }

  /// The number of the operation that may start now; nil if there is none.
  var next: UInt64? { nextIndex.map { waiting[$0].number } }

  /// Starts and returns the next operation; nil if none may start.
  mutating func begin(at now: Int64) -> WaitingOperation? {
    guard let index = nextIndex else { return nil }
    var next = waiting.remove(at: index)
    next.began = now
    running.append(next)
    return next
  }

  /// The running operation with that number waits for a load from now on, so that urgent ones may overtake it.
  mutating func load(_ number: UInt64) {
    for index in running.indices where running[index].number == number { running[index].isLoading = true }
  }

  /// Ends the running operation with that number.
  mutating func end(_ number: UInt64) { running.removeAll { $0.number == number } }
}

extension OperationBacklog {
  private mutating func take(_ operation: Operation, rank: OperationPriority, at now: Int64) -> [Effect] {
    arrivals += 1
    var new = WaitingOperation(
      number: arrivals, batch: batch, operation: operation, rank: rank, steps: 0, arrival: now, began: now)
    if case .step(let steps) = operation.navigation { new.steps = steps }
    let effects = resolveConflicts(with: &new)
    if new.isStep, new.steps == 0 { return [.enqueued(new, depth: depth)] + effects + [.annulled(new)] }
    // A rejected operation has changed nothing: if it had removed a waiting operation, there would be room for it.
    let earlier = waiting.count { $0.batch < batch && $0.operation.isCounted }
    let hasRoom = new.priority >= .high || earlier < maxDepth || !operation.isCounted
    guard hasRoom else { return [.rejected(new, depth: depth)] }
    // The search begins at the end, because most operations wait with the same rank.
    waiting.insert(new, at: waiting.lastIndex { rank <= $0.rank }.map { $0 + 1 } ?? 0)
    return [.enqueued(new, depth: depth)] + effects
  }

  /// Cancels, replaces or merges the waiting operations that conflict with the new one, and asks running ones to stop
  /// if necessary.
  private mutating func resolveConflicts(with newcomer: inout WaitingOperation) -> [Effect] {
    let priority = newcomer.priority
    if newcomer.operation.endsLoads {
      let loading = running.filter(\.isLoading)
      newcomer.endedLoads = loading.count
      return loading.map { [newcomer] in .stop($0, by: newcomer) }
    }
    if newcomer.operation.navigation == .resume {
      lastResume = newcomer.number
      raiseNavigations(to: priority)
      return []
    }
    let preempted = priority >= .high ? preempt(for: newcomer) : []
    switch newcomer.operation.navigation {
    case .step: return preempted + mergeSteps(into: &newcomer)
    case .other:
      let replaced = remove { $0.isNavigation && $0.priority <= priority }
      return preempted + replaced.map { [newcomer] in .cancelled($0, by: newcomer) }
    case .within, .resume, nil: return preempted
    }
  }

  /// Cancels waiting navigations of lower priority, and asks a running operation to stop if it is a navigation, or if
  /// `newcomer` is critical.
  private mutating func preempt(for newcomer: WaitingOperation) -> [Effect] {
    let removed = remove { $0.isNavigation && $0.isPreempted(by: newcomer) }
    let cancelled = removed.map { Effect.cancelled($0, by: newcomer) }
    let stopped = running.filter { running in
      (running.isNavigation || newcomer.priority == .critical) && running.isPreempted(by: newcomer)
        && !(newcomer.operation.isInterruption && running.operation.outlastsInterruptions)
    }
    return cancelled + stopped.map { .stop($0, by: newcomer) }
  }

  /// Raises waiting navigations of lower rank to `priority`, so that they run before the new operation. They keep their
  /// order, and the operations before them in their batches are raised with them.
  private mutating func raiseNavigations(to priority: OperationPriority) {
    func isLower(_ one: WaitingOperation) -> Bool { one.rank < priority }
    guard let last = waiting.last, isLower(last) else { return }
    let found = waiting.filter { $0.isNavigation && isLower($0) }
    let lastNumbers = Dictionary(found.map { ($0.batch, $0.number) }) { max($0, $1) }
    for index in waiting.indices where isLower(waiting[index]) {
      if waiting[index].number <= lastNumbers[waiting[index].batch] ?? 0 { waiting[index].rank = priority }
    }
    waiting = waiting.filter { !isLower($0) } + waiting.filter(isLower)
  }

  /// Merges waiting steps of the same priority into the new operation. The sum has the new operation's position in the
  /// queue, so operations that arrived in between still run first. Steps before a resume are not merged.
  private mutating func mergeSteps(into newcomer: inout WaitingOperation) -> [Effect] {
    let priority = newcomer.priority
    let merged = remove { [lastResume] in $0.isStep && $0.priority == priority && lastResume < $0.number }
    newcomer.steps += merged.reduce(0) { $0 + $1.steps }
    return merged.map { [newcomer] in .coalesced($0, into: newcomer) }
  }

  /// Removes and returns the waiting operations that `isChosen` selects.
  private mutating func remove(where isChosen: (WaitingOperation) -> Bool) -> [WaitingOperation] {
    let removed = waiting.filter(isChosen)
    if !removed.isEmpty { waiting.removeAll(where: isChosen) }
    return removed
  }
}

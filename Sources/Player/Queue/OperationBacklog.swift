/// Who waits, who runs and who goes next: the rules of the queue as a value, without time and without tasks.
struct OperationBacklog {
  /// What an arrival has led to, in this order.
  enum Effect {
    case enqueued(WaitingOperation, depth: Int)
    case rejected(WaitingOperation, depth: Int)
    /// It waits no longer and never runs.
    case cancelled(WaitingOperation, by: WaitingOperation)
    case coalesced(WaitingOperation, into: WaitingOperation)
    /// It and the step that waited lead nowhere together: both are done without running.
    case annulled(WaitingOperation)
    /// The running one is to stop at its next safe point.
    case stop(WaitingOperation, by: WaitingOperation)
  }

  let maxDepth: Int
  private(set) var running: WaitingOperation?
  /// How many wait, without those that are not counted.
  private(set) var depth = 0
  /// All that wait.
  private var total = 0
  private var lanes = Array(repeating: Lane(), count: OperationPriority.allCases.count)
  private var moves = 0
  private var arrivals: UInt64 = 0
  /// The number of the first operation of the instant that is being taken, and how many waited before it and still do.
  private var instant = (first: UInt64(1), earlier: 0)

  init(maxDepth: Int) { self.maxDepth = maxDepth }

  /// Whether anything is left to be run.
  var isEmpty: Bool { total == 0 }

  /// Of what is counted nothing waits and nothing runs.
  var isIdle: Bool { !isBusy && depth == 0 }

  /// Something runs that is counted.
  var isBusy: Bool { running?.operation.isCounted ?? false }

  /// Takes operations of one instant, in order; each is told of by exactly one `enqueued` or `rejected`.
  ///
  /// Their own number rejects none of them: only what waited before them counts against the limit.
  mutating func take(_ operations: [Operation], at now: Int64) -> [Effect] {
    instant = (first: arrivals + 1, earlier: depth)
    return operations.flatMap { take($0, at: now) }
  }

  /// The next one to run, if none runs.
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

  /// The running one has ended.
  mutating func end() { running = nil }
}

extension OperationBacklog {
  private mutating func take(_ operation: Operation, at now: Int64) -> [Effect] {
    arrivals += 1
    var waiting = WaitingOperation(number: arrivals, operation: operation, steps: 0, arrival: now)
    if case .step(let steps) = operation.navigation { waiting.steps = steps }
    let settled = makeWay(for: &waiting)
    if waiting.isStep, waiting.steps == 0 { return [.enqueued(waiting, depth: depth)] + settled + [.annulled(waiting)] }
    // Whoever has made another one leave has a place: a rejected operation has changed nothing.
    let hasRoom = waiting.priority >= .high || instant.earlier < maxDepth || !operation.isCounted
    guard hasRoom else { return [.rejected(waiting, depth: depth)] }
    lanes[waiting.priority.rawValue].append(waiting)
    count(waiting, 1)
    return [.enqueued(waiting, depth: depth)] + settled
  }

  /// What the newcomer cancels, replaces or takes up among those that wait, and whether it has the running one stop.
  private mutating func makeWay(for newcomer: inout WaitingOperation) -> [Effect] {
    let priority = newcomer.priority
    if newcomer.operation.navigation == .resume {
      takeAlong(to: priority)
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

  private mutating func overtake(_ newcomer: WaitingOperation) -> [Effect] {
    let gone = remove { $0.isMove && $0.givesWay(to: newcomer) }
    let cancelled = gone.map { Effect.cancelled($0, by: newcomer) }
    guard let running, running.isMove || newcomer.priority == .critical, running.givesWay(to: newcomer) else {
      return cancelled
    }
    return cancelled + [.stop(running, by: newcomer)]
  }

  /// The moves that wait keep their order, and go before the newcomer of that priority.
  private mutating func takeAlong(to priority: OperationPriority) {
    for lane in lanes.indices.reversed() where lane < priority.rawValue {
      for move in lanes[lane].remove(where: \.isMove) { lanes[priority.rawValue].append(move) }
    }
  }

  /// The sum stands where the newcomer does: what came between runs before it, as it would have.
  private mutating func takeUpSteps(into newcomer: inout WaitingOperation) -> [Effect] {
    let priority = newcomer.priority
    let gone = remove { $0.isStep && $0.priority == priority }
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

  private mutating func left(_ waiting: WaitingOperation) {
    count(waiting, -1)
    instant.earlier -= waiting.number < instant.first && waiting.operation.isCounted ? 1 : 0
  }

  private mutating func count(_ one: WaitingOperation, _ change: Int) {
    total += change
    depth += one.operation.isCounted ? change : 0
    moves += one.isMove ? change : 0
  }
}

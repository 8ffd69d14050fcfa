import Engine
package import Logging
import Sounds
import Synchronization

/// Runs operations one at a time, so that commands never interleave. Only while an operation waits for a load, an urgent
/// one (of priority `high` or `critical`) overtakes it, so that a pause never waits for a file or a server.
///
/// The operations of one call of `perform` run in the given order. Between calls, higher priorities run first;
/// operations of one priority run in order of arrival. `OperationPriority` and `Navigation` describe which operations
/// cancel, stop or replace others. The order depends only on the order of the calls of `perform`.
package actor AsyncOperationQueue {
  private let clock: @Sendable () -> Int64
  private var backlog: OperationBacklog
  private var recorder: QueueRecorder?
  private var log: QueueLog
  /// The calls of `perform` that wait for outcomes, by the number of their batch.
  private var calls: [UInt64: Call] = [:]
  /// The contexts of the running operations, by their numbers.
  private var contexts: [UInt64: OperationContext] = [:]
  private let overtakes: Bool
  /// A copy of the backlog's depth that other threads can read without waiting.
  private let gauge = Atomic<Int>(0)

  /// - Parameters:
  ///   - overtakes: whether urgent operations overtake those that wait for loads. Not in a render, where a load takes no
  ///     virtual time.
  ///   - maxDepth: how many operations may wait, at least 1. Those of priority `high` and `critical` are accepted
  ///     beyond this limit.
  ///   - clock: a clock in nanoseconds: the monotonic clock for a live player, the virtual run time for a render.
  ///   - metrics: if false, nothing is measured, and `metrics` contains only the depths.
  ///   - log: receives a line for each step of an operation, in order. It must not block.
  package init(
    overtakes: Bool = true, maxDepth: Int = 3, clock: @escaping @Sendable () -> Int64 = monotonicNanoseconds,
    metrics: Bool = true,
    log: Logger = .dropping
  ) {
    self.overtakes = overtakes
    self.clock = clock
    self.log = QueueLog(log)
    backlog = OperationBacklog(maxDepth: max(1, maxDepth))
    recorder = metrics ? QueueRecorder(maxDepth: backlog.maxDepth, at: clock()) : nil
  }

  /// Runs simultaneous operations in order. All of them are queued before the first one starts, and if there is room
  /// for one, all are accepted. The body of an operation must not wait for another operation of this queue, because it
  /// would wait forever.
  ///
  /// - Returns: one outcome for each operation, in the same order, once the last is known. Cancelling the calling task
  ///   has no effect: accepted operations run and report their outcomes.
  package func perform(_ operations: [Operation]) async -> [CommandOutcome] {
    guard !operations.isEmpty else { return [] }
    return await withCheckedContinuation { continuation in
      calls[backlog.arrivals + 1] = Call(
        outcomes: operations.map { _ in .done }, missing: operations.count, continuation: continuation)
      for effect in backlog.take(operations, at: clock()) { execute(effect) }
      noteDepth()
      start()
    }
  }

  /// Publishes and records the current depth.
  private func noteDepth() {
    gauge.store(backlog.depth, ordering: .relaxed)
    recorder?.waiting(backlog.depth, at: clock())
  }

  /// How many operations wait. May be read from any thread, and does not wait.
  nonisolated var depth: Int { gauge.load(ordering: .relaxed) }

  /// The measurements since the queue was created, or since `resetMetrics`.
  package var metrics: QueueMetrics {
    if let recorder { return recorder.snapshot(of: backlog, at: clock()) }
    var metrics = QueueMetrics()
    (metrics.depth, metrics.maxDepth, metrics.idle) = (backlog.depth, backlog.maxDepth, backlog.isIdle)
    return metrics
  }

  /// Resets all counts and measurements.
  package func resetMetrics() {
    recorder = recorder.map { _ in QueueRecorder(maxDepth: backlog.maxDepth, at: clock()) }
    noteDepth()
  }
}

extension AsyncOperationQueue {
  /// A call of `perform` that waits for outcomes.
  private struct Call {
    /// In the order of the operations; `done` where an outcome is missing.
    var outcomes: [CommandOutcome]
    /// How many outcomes are not known yet.
    var missing: Int
    let continuation: CheckedContinuation<[CommandOutcome], Never>
  }

  private func execute(_ effect: OperationBacklog.Effect) {
    log.note(effect, of: backlog.maxDepth)
    switch effect {
    case .enqueued(let new, let depth):
      new.operation.onArrival(new.id, backlog.next == new.number ? .begins : .waits)
      guard new.operation.isCounted else { return }
      if recorder?.enqueued(depth: depth, at: new.arrival) == true { log.peaked(depth, of: backlog.maxDepth) }
    case .rejected(let new, depth: _):
      new.operation.onArrival(new.id, .rejected)
      recorder?.rejected()
      settle(new, .rejected(.queueFull(limit: backlog.maxDepth)))
    case .cancelled(let gone, let other):
      recorder?.cancelled(gone, by: other.operation.name)
      settle(gone, .cancelled(by: other.operation.name))
    case .coalesced(let gone, into: _):
      recorder?.coalesced()
      settle(gone, .coalesced)
    case .annulled(let gone): settle(gone, .done)
    case .stop(let running, let other): contexts[running.number]?.askToStop(for: other.operation.name)
    }
  }

  /// Stores an outcome. The last one of a call resumes its caller.
  private func settle(_ operation: WaitingOperation, _ outcome: CommandOutcome) {
    guard var call = calls.removeValue(forKey: operation.batch) else { return }
    call.outcomes[Int(operation.number - operation.batch)] = outcome
    call.missing -= 1
    if call.missing == 0 {
      call.continuation.resume(returning: call.outcomes)
    } else {
      calls[operation.batch] = call
    }
  }
}

extension AsyncOperationQueue {
  /// Starts a task that runs operations, if one may start.
  private func start() { if backlog.next != nil { Task(priority: .high) { await run() } } }

  /// Runs operations, one after the other, until none may start.
  private func run() async {
    while let next = backlog.begin(at: clock()) {
      noteDepth()
      let context = OperationContext(of: next) { [self] in
        if overtakes { Task(priority: .high) { await load(next.number) } }
      }
      contexts[next.number] = context
      if next.operation.isCounted {
        recorder?.began(next)
        log.began(next)
      }
      let outcome = await next.operation.body(context)
      contexts[next.number] = nil
      backlog.end(next.number)
      if next.operation.isCounted { record(next, outcome) }
      settle(next, outcome)
    }
  }

  /// An operation has begun to wait for a load.
  private func load(_ number: UInt64) {
    backlog.load(number)
    start()
  }

  private func record(_ operation: WaitingOperation, _ outcome: CommandOutcome) {
    let now = clock()
    let execution = max(0, now - operation.began)
    log.ended(operation, after: execution, outcome)
    recorder?.ended(operation, after: execution, outcome)
    if let recorder { log.review(recorder, utilization: recorder.utilization(at: now, running: nil)) }
  }
}

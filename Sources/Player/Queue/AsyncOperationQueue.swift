import Engine
import Synchronization

/// Runs operations one at a time, so that commands never interleave.
///
/// The operations of one call of `perform` run in the given order. Between calls, higher priorities run first;
/// operations of one priority run in order of arrival. An operation of priority `high` cancels waiting navigations of
/// lower priority and asks a running one to stop. An operation of priority `critical` asks any running operation of
/// lower priority to stop. The order depends only on the order of the calls of `perform`.
package actor AsyncOperationQueue {
  /// The level of a log line.
  package enum LogLevel: Sendable, Comparable { case debug, info, warning, error }

  /// The computer's monotonic clock, in nanoseconds.
  package static let monotonicClock: @Sendable () -> Int64 = monotonicNanoseconds

  private let clock: @Sendable () -> Int64
  private var backlog: OperationBacklog
  private var recorder: QueueRecorder?
  private var log: QueueLog
  /// The callers of all operations that have no outcome yet, by operation number.
  private var callers: [UInt64: Caller] = [:]
  /// The start of the running operation in nanoseconds of `clock`, and the request by which it is asked to stop.
  private var current: (began: Int64, stop: StopRequest)?
  /// Whether the task that runs the operations exists; there is at most one.
  private var isRunning = false
  /// A copy of the backlog's depth that other threads can read without waiting.
  private let gauge = Atomic<Int>(0)

  /// - Parameters:
  ///   - maxDepth: how many operations may wait, at least 1. Those of priority `high` and `critical` are accepted
  ///     beyond this limit.
  ///   - clock: a clock in nanoseconds: the monotonic clock for a live player, the virtual run time for a render.
  ///   - metrics: if false, nothing is measured, and `metrics` contains only the depths.
  ///   - log: called with each line, in order; the text is only built if it is evaluated.
  package init(
    maxDepth: Int = 3, clock: @escaping @Sendable () -> Int64 = AsyncOperationQueue.monotonicClock,
    metrics: Bool = true,
    log: @escaping @Sendable (LogLevel, @autoclosure () -> String) -> Void = { _, _ in }
  ) {
    self.clock = clock
    self.log = QueueLog(write: log)
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
      let call = Call(count: operations.count, continuation)
      var index = 0
      for effect in backlog.take(operations, at: clock()) { execute(effect, for: call, index: &index) }
      noteDepth()
      guard !isRunning, !backlog.isEmpty else { return }
      isRunning = true
      Task(priority: .high) { await run() }
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
    if let recorder {
      return recorder.snapshot(of: backlog, at: clock(), began: backlog.isBusy ? current?.began : nil)
    }
    var metrics = QueueMetrics()
    (metrics.depth, metrics.maxDepth, metrics.idle) = (backlog.depth, backlog.maxDepth, backlog.isIdle)
    return metrics
  }

  /// Resets all counts and measurements.
  package func resetMetrics() {
    guard recorder != nil else { return }
    recorder = QueueRecorder(maxDepth: backlog.maxDepth, at: clock())
  }
}

extension AsyncOperationQueue {
  /// One call of `perform`, and the outcomes known so far. Used only inside the actor.
  private final class Call {
    /// Nil for operations that have no outcome yet.
    private var outcomes: [CommandOutcome?]
    private var missing: Int
    private let continuation: CheckedContinuation<[CommandOutcome], Never>

    init(count: Int, _ continuation: CheckedContinuation<[CommandOutcome], Never>) {
      outcomes = Array(repeating: nil, count: count)
      missing = count
      self.continuation = continuation
    }

    /// Stores an outcome; the last one resumes the caller.
    func settle(_ index: Int, _ outcome: CommandOutcome) {
      outcomes[index] = outcome
      missing -= 1
      if missing == 0 { continuation.resume(returning: outcomes.compactMap(\.self)) }
    }
  }

  /// The receiver of an operation's outcome: a call of `perform`, and the index in its result.
  private struct Caller {
    var call: Call
    var index: Int
  }

  private func execute(_ effect: OperationBacklog.Effect, for call: Call, index: inout Int) {
    switch effect {
    case .enqueued(let new, let depth):
      callers[new.number] = Caller(call: call, index: index)
      index += 1
      new.operation.onArrival(new.id, true)
      guard new.operation.isCounted else { return }
      log.enqueued(new, depth: depth, of: backlog.maxDepth)
      if recorder?.enqueued(depth: depth, at: new.arrival) == true { log.peaked(depth, of: backlog.maxDepth) }
    case .rejected(let new, let depth):
      new.operation.onArrival(new.id, false)
      log.rejected(new, depth: depth, of: backlog.maxDepth)
      recorder?.rejected()
      call.settle(index, .rejected(.queueFull(limit: backlog.maxDepth)))
      index += 1
    case .cancelled, .coalesced, .annulled, .stop: execute(effect)
    }
  }

  private func execute(_ effect: OperationBacklog.Effect) {
    switch effect {
    case .cancelled(let gone, let other):
      log.cancelled(gone, by: other)
      recorder?.cancelled(gone, by: other.operation.name)
      settle(gone, .cancelled(by: other.operation.name))
    case .coalesced(let gone, let other):
      log.coalesced(gone, into: other)
      recorder?.coalesced()
      settle(gone, .coalesced)
    case .annulled(let gone):
      log.annulled(gone)
      settle(gone, .done)
    case .stop(let running, let other, let isRepeated):
      log.stopping(running, by: other)
      current?.stop.ask(for: other.operation.name, isRepeated: isRepeated)
    case .enqueued, .rejected: break
    }
  }

  private func settle(_ operation: WaitingOperation, _ outcome: CommandOutcome) {
    guard let caller = callers.removeValue(forKey: operation.number) else { return }
    caller.call.settle(caller.index, outcome)
  }
}

extension AsyncOperationQueue {
  /// Runs waiting operations until none is left. Only one task runs this at a time.
  private func run() async {
    while let waiting = backlog.begin() {
      noteDepth()
      let stop = StopRequest()
      let began = clock()
      current = (began, stop)
      if waiting.operation.isCounted { record(waiting, waited: max(0, began - waiting.arrival)) }
      let context = OperationContext(id: waiting.id, steps: waiting.steps, stop: stop)
      let outcome = await waiting.operation.body(context)
      current = nil
      let isRepeated = if case .cancelled = outcome { stop.isRepeated } else { false }
      backlog.end(isRepeated: isRepeated)
      if isRepeated {
        log.repeating(waiting)
        continue
      }
      if waiting.operation.isCounted {
        record(OperationRun(waiting: waiting, began: began, ended: clock()), outcome)
      }
      settle(waiting, outcome)
    }
    isRunning = false
  }

  private func record(_ waiting: WaitingOperation, waited: Int64) {
    if !waiting.isRepeat { recorder?.began(waited: waited) }
    log.began(waiting, waited: waited)
  }

  private func record(_ run: OperationRun, _ outcome: CommandOutcome) {
    log.ended(run, outcome)
    recorder?.ended(run, outcome)
    if let recorder { log.review(recorder, utilization: recorder.utilization(at: run.ended, began: nil)) }
  }
}

/// The queue's log: one line for each step of an operation. It shows the cause of a delay.
struct QueueLog {
  /// Writes a line; the text is only built if it is evaluated.
  typealias Write = @Sendable (AsyncOperationQueue.LogLevel, @autoclosure () -> String) -> Void

  /// Nanoseconds of waiting beyond which a warning is logged.
  static let longWait: Int64 = 1_000_000_000
  /// Nanoseconds of execution beyond which a warning is logged.
  static let slowExecution: Int64 = 500_000_000
  /// The utilization, 0…1, beyond which a warning is logged.
  static let highUtilization = 0.8
  /// The share of the maximum depth beyond which a new peak is logged.
  static let highDepth = 0.8
  /// The number of operations between two checks of utilization and percentiles.
  static let review = 10

  var write: Write
  /// The recent p95 of execution at the last review, in milliseconds.
  private var lastExecution: Double?

  init(write: @escaping Write) { self.write = write }

  func enqueued(_ waiting: WaitingOperation, depth: Int, of limit: Int) {
    line(.debug, "Enqueue '\(waiting.name)' (depth: \(depth)/\(limit), id: \(waiting.id))")
  }

  func peaked(_ depth: Int, of limit: Int) {
    guard Double(depth) > Self.highDepth * Double(limit) else { return }
    line(.info, "Peak depth: \(depth)/\(limit) (warning: > \(Int(Self.highDepth * 100))%)")
  }

  func rejected(_ waiting: WaitingOperation, depth: Int, of limit: Int) {
    line(.error, "Queue full (\(depth)/\(limit)): '\(waiting.name)' rejected (id: \(waiting.id))")
  }

  func cancelled(_ waiting: WaitingOperation, by other: WaitingOperation) {
    let order = "\(waiting.priority.name) < \(other.priority.name)"
    line(.debug, "Cancelled '\(waiting.name)' (priority: \(order), by: '\(other.name)', id: \(waiting.id))")
  }

  func coalesced(_ waiting: WaitingOperation, into other: WaitingOperation) {
    line(.debug, "Coalesced '\(waiting.name)' (into: \(other.id), steps: \(other.steps), id: \(waiting.id))")
  }

  func annulled(_ waiting: WaitingOperation) {
    line(.debug, "Complete '\(waiting.name)' (steps cancel out, id: \(waiting.id))")
  }

  func stopping(_ running: WaitingOperation, by other: WaitingOperation) {
    line(.debug, "Stopping '\(running.name)' (by: '\(other.name)', id: \(running.id))")
  }

  func repeating(_ stopped: WaitingOperation) {
    line(.debug, "Repeat '\(stopped.name)' (id: \(stopped.id))")
  }

  func began(_ waiting: WaitingOperation, waited: Int64) {
    line(.debug, "Start '\(waiting.name)' (waited: \(waited.wholeMilliseconds), id: \(waiting.id))")
    guard waited > Self.longWait else { return }
    line(.warning, "Long wait: '\(waiting.name)' (waited: \(waited.wholeMilliseconds), id: \(waiting.id))")
  }

  func ended(_ run: OperationRun, _ outcome: CommandOutcome) {
    let (name, id, execution) = (run.waiting.name, run.waiting.id, run.execution.wholeMilliseconds)
    switch outcome {
    case .done, .coalesced: line(.debug, "Complete '\(name)' (exec: \(execution), id: \(id))")
    case .cancelled(let other): line(.debug, "Stopped '\(name)' (by: '\(other)', exec: \(execution), id: \(id))")
    case .rejected(let error): line(.error, "Failed '\(name)' (exec: \(execution), error: \(error), id: \(id))")
    }
    guard run.execution > Self.slowExecution else { return }
    line(.warning, "Slow operation: '\(name)' (exec: \(execution), id: \(id))")
  }

  /// Logs high utilization and increased execution times. Called after each operation; it checks after every tenth.
  mutating func review(_ recorder: QueueRecorder, utilization: Double) {
    guard recorder.ended % Self.review == 0 else { return }
    if utilization > Self.highUtilization {
      let wait = Int(recorder.recentWait.p95)
      line(.warning, "High utilization: \(Int(utilization * 100))% (p95 wait: \(wait)ms)")
    }
    let execution = recorder.recentExecution.p95
    if let before = lastExecution, before > 0, execution > 2 * before {
      line(.info, "p95 exec time increased: \(Int(before))ms to \(Int(execution))ms")
    }
    lastExecution = execution
  }

  private func line(_ level: AsyncOperationQueue.LogLevel, _ text: @autoclosure () -> String) {
    write(level, "[OpQueue] " + text())
  }
}

extension WaitingOperation {
  fileprivate var name: String { operation.name }
}

extension Int64 {
  /// Nanoseconds as whole milliseconds with their unit, rounded down.
  fileprivate var wholeMilliseconds: String { "\(self / 1_000_000)ms" }
}

import Logging

/// The queue's log: one line for each step of an operation. It shows the cause of a delay.
struct QueueLog {
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

  private let logger: Logger
  /// The recent p95 of execution at the last review, in milliseconds.
  private var lastExecution: Double?

  init(_ logger: Logger) { self.logger = logger }

  /// Logs the effect of a new operation on a queue with room for `limit` operations.
  func note(_ effect: OperationBacklog.Effect, of limit: Int) {
    switch effect {
    case .enqueued(let new, let depth):
      guard new.operation.isCounted else { return }
      line(.debug, "Enqueue '\(new.name)' (depth: \(depth)/\(limit), id: \(new.id))")
    case .rejected(let new, let depth):
      line(.error, "Queue full (\(depth)/\(limit)): '\(new.name)' rejected (id: \(new.id))")
    case .cancelled(let gone, let other):
      let order = "\(gone.priority.name) < \(other.priority.name)"
      line(.debug, "Cancelled '\(gone.name)' (priority: \(order), by: '\(other.name)', id: \(gone.id))")
    case .coalesced(let gone, let other):
      line(.debug, "Coalesced '\(gone.name)' (into: \(other.id), steps: \(other.steps), id: \(gone.id))")
    case .annulled(let gone): line(.debug, "Complete '\(gone.name)' (steps cancel out, id: \(gone.id))")
    case .stop(let running, let other):
      line(.debug, "Stopping '\(running.name)' (by: '\(other.name)', id: \(running.id))")
    }
  }

  func peaked(_ depth: Int, of limit: Int) {
    guard Double(depth) > Self.highDepth * Double(limit) else { return }
    line(.info, "Peak depth: \(depth)/\(limit) (warning: > \(Int(Self.highDepth * 100))%)")
  }

  func began(_ operation: WaitingOperation) {
    let wait = milliseconds(operation.wait.milliseconds)
    line(.debug, "Start '\(operation.name)' (waited: \(wait), id: \(operation.id))")
    guard operation.wait > Self.longWait else { return }
    line(.warning, "Long wait: '\(operation.name)' (waited: \(wait), id: \(operation.id))")
  }

  /// Logs an operation that ended after that many nanoseconds of execution.
  func ended(_ operation: WaitingOperation, after execution: Int64, _ outcome: CommandOutcome) {
    let (name, id, time) = (operation.name, operation.id, milliseconds(execution.milliseconds))
    switch outcome {
    case .done, .coalesced: line(.debug, "Complete '\(name)' (exec: \(time), id: \(id))")
    case .cancelled(let other): line(.debug, "Stopped '\(name)' (by: '\(other)', exec: \(time), id: \(id))")
    case .rejected(let error): line(.error, "Failed '\(name)' (exec: \(time), error: \(error), id: \(id))")
    }
    guard execution > Self.slowExecution else { return }
    line(.warning, "Slow operation: '\(name)' (exec: \(time), id: \(id))")
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

  private func line(_ level: Logger.Level, _ text: @autoclosure () -> String) {
    logger.log(level: level, "[OpQueue] \(text())")
  }
}

extension WaitingOperation {
  fileprivate var name: String { operation.name }
}

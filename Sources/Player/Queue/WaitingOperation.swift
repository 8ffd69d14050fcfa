/// An operation in the queue, waiting or running.
struct WaitingOperation {
  /// The number in the order of arrival, from 1.
  var number: UInt64
  /// The number of the first operation that arrived in the same batch.
  var batch: UInt64
  var operation: Operation
  /// The priority with which it waits: its own, or a higher one where another operation has to run after it.
  var rank: OperationPriority
  /// The sum of all merged steps, in tracks; 0 if it is not a step.
  var steps: Int
  /// How many operations that waited for loads its arrival has asked to stop.
  var endedLoads = 0
  /// Whether it runs and has begun to wait for a load.
  var isLoading = false
  /// When it arrived and when it started, in nanoseconds of the queue's clock. Before its start, `began` is its arrival.
  var arrival, began: Int64

  /// Nanoseconds between arrival and start.
  var wait: Int64 { max(0, began - arrival) }

  var priority: OperationPriority { operation.priority }

  /// The ID in logs, metrics and events: `op-` and four hexadecimal digits, which repeat after 65 536 operations.
  var id: String {
    let digits = String(number & 0xFFFF, radix: 16)
    return "op-" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  var isStep: Bool {
    if case .step = operation.navigation { true } else { false }
  }

  var isNavigation: Bool { operation.navigation != nil }

  /// Whether `newcomer` may cancel or stop it: it has a lower priority, or it is a resume of the same priority.
  func isPreempted(by newcomer: WaitingOperation) -> Bool {
    priority < newcomer.priority || operation.navigation == .resume && priority == newcomer.priority
  }

  /// Whether it runs while `running` waits for a load. Navigation is stopped instead, and ends before the urgent
  /// operation runs: otherwise its end would change the state that this one has reached.
  func overtakes(_ running: WaitingOperation) -> Bool {
    running.isLoading && .high <= priority && !running.isNavigation
  }
}

/// An operation between its arrival and its end.
struct WaitingOperation {
  /// Counts from 1 in the order of arrival.
  var number: UInt64
  var operation: Operation
  /// The sum of all steps that came together here; 0 when it is no step.
  var steps: Int
  /// On the queue's clock.
  var arrival: Int64

  var priority: OperationPriority { operation.priority }

  /// As logs and metrics name it.
  var id: String {
    let digits = String(number & 0xFFFF, radix: 16)
    return "op-" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  var isStep: Bool {
    if case .step = operation.navigation { true } else { false }
  }

  var isMove: Bool { operation.navigation != nil }

  /// Whether a newcomer that overtakes moves goes before it.
  func givesWay(to newcomer: WaitingOperation) -> Bool {
    priority < newcomer.priority || operation.navigation == .resume && priority == newcomer.priority
  }
}

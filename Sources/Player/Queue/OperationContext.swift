import Synchronization

/// What a running operation knows about itself, and how it is asked to stop. May be used from any thread.
package final class OperationContext: Sendable {
  private struct State {
    var name: String?
    var observers: [@Sendable (String) -> Void] = []
  }

  /// The name of the operation.
  let operation: String
  /// The sum of all steps merged into this operation, in tracks; 0 if it is not a step.
  package let steps: Int
  /// How many operations that waited for loads it has asked to stop.
  let endedLoads: Int
  private let state = Mutex(State())
  private let noteLoad: @Sendable () -> Void

  /// - Parameter noteLoad: called when the operation begins to wait for a load, on any thread.
  init(of operation: WaitingOperation, noteLoad: @escaping @Sendable () -> Void) {
    (self.operation, steps, endedLoads) = (operation.operation.name, operation.steps, operation.endedLoads)
    self.noteLoad = noteLoad
  }

  /// The context of an operation that no queue runs.
  init(steps: Int) { (operation, self.steps, endedLoads, noteLoad) = ("", steps, 0, {}) }

  /// The name of the operation that asks this one to stop at its next safe point; nil to continue.
  ///
  /// An operation that stops for this reason returns `CommandOutcome.cancelled(by:)`.
  package var shouldStop: String? { state.withLock { $0.name } }

  /// Calls `notify` with that name when the operation is asked to stop: at most once, on the thread that asks, and
  /// immediately if it has been asked already. `notify` ends what the operation waits for, and must not wait itself.
  package func whenAskedToStop(_ notify: @escaping @Sendable (String) -> Void) {
    let name = state.withLock { state in
      if state.name == nil { state.observers.append(notify) }
      return state.name
    }
    if let name { notify(name) }
  }

  /// The operation waits for a load from now on: urgent operations may overtake it, and `abandon` is called if it is
  /// asked to stop.
  func waitForLoad(abandon: @escaping @Sendable (String) -> Void) {
    whenAskedToStop(abandon)
    noteLoad()
  }

  /// Asks the operation to stop. Only the first call has an effect.
  func askToStop(for name: String) {
    let observers = state.withLock { state in
      guard state.name == nil else { return [@Sendable (String) -> Void]() }
      state.name = name
      defer { state.observers = [] }
      return state.observers
    }
    for notify in observers { notify(name) }
  }
}

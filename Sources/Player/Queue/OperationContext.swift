import Synchronization

/// What a running operation knows about itself, and how it is asked to stop. May be used from any thread.
package final class OperationContext: Sendable {
  private struct State {
    var name: String?
    var isRepeated = false
    var observers: [@Sendable (String) -> Void] = []
  }

  /// The sum of all steps merged into this operation, in tracks; 0 if it is not a step.
  package let steps: Int
  private let state = Mutex(State())

  init(steps: Int) { self.steps = steps }

  /// The name of the operation that asks this one to stop at its next safe point; nil to continue.
  ///
  /// An operation that stops for this reason returns `CommandOutcome.cancelled(by:)`.
  package var shouldStop: String? { state.withLock { $0.name } }

  /// Whether the operation runs again if it stops now.
  package var isRepeated: Bool { state.withLock { $0.isRepeated } }

  /// Calls `notify` with that name when the operation is asked to stop: at most once, on the thread that asks, and
  /// immediately if it has been asked already. `notify` ends what the operation waits for, and must not wait itself.
  package func whenAskedToStop(_ notify: @escaping @Sendable (String) -> Void) {
    let name = state.withLock { state in
      if state.name == nil { state.observers.append(notify) }
      return state.name
    }
    if let name { notify(name) }
  }

  /// Asks the operation to stop. Only the first call has an effect.
  func askToStop(for name: String, isRepeated: Bool = false) {
    let observers = state.withLock { state in
      guard state.name == nil else { return [@Sendable (String) -> Void]() }
      (state.name, state.isRepeated) = (name, isRepeated)
      defer { state.observers = [] }
      return state.observers
    }
    for notify in observers { notify(name) }
  }
}

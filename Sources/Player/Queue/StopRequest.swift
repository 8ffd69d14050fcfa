import Synchronization

/// A request that asks a running operation to stop. The queue makes it, and the threads that do the work read it.
final class StopRequest: Sendable {
  private struct State {
    var name: String?
    var isRepeated = false
    var observers: [@Sendable (String) -> Void] = []
  }

  private let state = Mutex(State())

  /// The name of the operation that asks; nil while none does.
  var name: String? { state.withLock { $0.name } }

  /// Whether the operation runs again after it has stopped.
  var isRepeated: Bool { state.withLock { $0.isRepeated } }

  /// Asks the operation to stop and notifies the observers. Only the first call has an effect.
  func ask(for name: String, isRepeated: Bool = false) {
    let observers = state.withLock { state in
      guard state.name == nil else { return [@Sendable (String) -> Void]() }
      (state.name, state.isRepeated) = (name, isRepeated)
      defer { state.observers = [] }
      return state.observers
    }
    for notify in observers { notify(name) }
  }

  /// Calls `notify` when the operation is asked to stop, or immediately if it has been asked already.
  func observe(_ notify: @escaping @Sendable (String) -> Void) {
    let name = state.withLock { state in
      if state.name == nil { state.observers.append(notify) }
      return state.name
    }
    if let name { notify(name) }
  }
}

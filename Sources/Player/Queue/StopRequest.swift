import Synchronization

/// The wish that a running operation stop, made by the queue and read by whatever thread does the work.
final class StopRequest: Sendable {
  private struct State {
    var name: String?
    var observers: [@Sendable (String) -> Void] = []
  }

  private let state = Mutex(State())

  var name: String? { state.withLock { $0.name } }

  /// The first one who asks is the one that is named.
  func ask(for name: String) {
    let observers = state.withLock { state in
      guard state.name == nil else { return [@Sendable (String) -> Void]() }
      state.name = name
      defer { state.observers = [] }
      return state.observers
    }
    for notify in observers { notify(name) }
  }

  func observe(_ notify: @escaping @Sendable (String) -> Void) {
    let name = state.withLock { state in
      if state.name == nil { state.observers.append(notify) }
      return state.name
    }
    if let name { notify(name) }
  }
}

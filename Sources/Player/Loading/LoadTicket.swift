import Synchronization

/// A load in progress. It delivers its first result and drops later ones. From any thread.
final class LoadTicket<Value: Sendable>: Sendable {
  typealias Result = Swift.Result<Loaded<Value>, LoadError>

  private let deliver: Mutex<(@Sendable (Result) -> Void)?>
  /// Called when the load is abandoned while its thread still runs.
  private let lost: @Sendable () -> Void

  init(deliver: @escaping @Sendable (Result) -> Void, lost: @escaping @Sendable () -> Void = {}) {
    self.deliver = Mutex(deliver)
    self.lost = lost
  }

  /// Abandons the load on behalf of the named operation. Its result is `LoadError.stopped`, unless it has one already.
  func abandon(for name: String) { giveUp(.stopped(by: name)) }

  func giveUp(_ error: LoadError) { settle(.failure(error), before: lost) }

  /// - Parameter prepare: called before the delivery, and only if there is one.
  /// - Returns: false if a result was delivered before.
  @discardableResult func settle(_ result: Result, before prepare: () -> Void = {}) -> Bool {
    let deliver = deliver.withLock { deliver in
      defer { deliver = nil }
      return deliver
    }
    guard let deliver else { return false }
    prepare()
    deliver(result)
    return true
  }
}

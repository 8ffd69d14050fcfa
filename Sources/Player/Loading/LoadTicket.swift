import Synchronization

/// A load in progress. It delivers its first result and drops later ones. May be used from any thread.
final class LoadTicket<Value: Sendable>: Sendable {
  typealias Result = Swift.Result<Loaded<Value>, LoadError>

  private let deliver: Mutex<(@Sendable (Result) -> Void)?>
  /// Called when the load is abandoned while its thread still runs.
  private let abandoned: @Sendable () -> Void

  init(deliver: @escaping @Sendable (Result) -> Void, abandoned: @escaping @Sendable () -> Void = {}) {
    self.deliver = Mutex(deliver)
    self.abandoned = abandoned
  }

  /// Abandons the load because the named operation asks for it. The result is `LoadError.stopped`, unless another one
  /// was delivered before.
  func abandon(for name: String) { abandon(with: .stopped(by: name)) }

  /// Abandons the load with an error as result, unless another result was delivered before.
  func abandon(with error: LoadError) { settle(.failure(error), before: abandoned) }

  /// Delivers the result.
  ///
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

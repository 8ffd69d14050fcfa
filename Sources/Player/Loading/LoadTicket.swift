import Synchronization

/// A load in progress. It delivers its first result and drops later ones. May be used from any thread.
final class LoadTicket<Value: Sendable>: Sendable {
  typealias Result = Swift.Result<Loaded<Value>, LoadError>

  private let deliver: Mutex<(@Sendable (Result) -> Void)?>

  init(deliver: @escaping @Sendable (Result) -> Void) { self.deliver = Mutex(deliver) }

  /// Delivers the result.
  ///
  /// - Parameter prepare: called before the delivery, and only if there is one.
  /// - Returns: false if a result was delivered before.
  @discardableResult func settle(_ result: Result, before prepare: () -> Void = {}) -> Bool {
    guard let deliver = deliver.withLock({ $0.take() }) else { return false }
    prepare()
    deliver(result)
    return true
  }
}

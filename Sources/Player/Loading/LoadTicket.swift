import Synchronization

/// One load under way: brings one result, the first of what comes; what comes after it is dropped.
final class LoadTicket<Value: Sendable>: Sendable {
  typealias Result = Swift.Result<Loaded<Value>, LoadError>

  private let deliver: Mutex<(@Sendable (Result) -> Void)?>
  /// Called when a load is given up whose thread goes on.
  private let lost: @Sendable () -> Void

  init(deliver: @escaping @Sendable (Result) -> Void, lost: @escaping @Sendable () -> Void = {}) {
    self.deliver = Mutex(deliver)
    self.lost = lost
  }

  /// Nobody waits for it any longer: its result is `LoadError.stopped` unless it has one.
  func abandon(for name: String) { giveUp(.stopped(by: name)) }

  func giveUp(_ error: LoadError) { settle(.failure(error), before: lost) }

  /// - Parameter prepare: called before the delivery, and only if there is one.
  /// - Returns: false when another result was first.
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

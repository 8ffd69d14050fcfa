import Dispatch
import Synchronization

extension Processors {
  /// Calls `body` for all values, several at the same time, and waits for all calls.
  ///
  /// - Returns: the results in the order of the values.
  package static func map<Value: Sendable, Result: Sendable>(
    _ values: [Value], _ body: @Sendable (Value) -> Result
  ) -> [Result] {
    let results = Mutex<[(index: Int, result: Result)]>([])
    DispatchQueue.concurrentPerform(iterations: values.count) { index in
      let result = body(values[index])
      results.withLock { $0.append((index, result)) }
    }
    return results.withLock { $0 }.sorted { $0.index < $1.index }.map(\.result)
  }
}

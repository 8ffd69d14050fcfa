import Dispatch
import Synchronization

extension Processors {
  /// Calls `body` for all values, several at the same time, and waits for all calls. This thread makes calls, too; if the
  /// system can't create further threads, it makes all of them.
  ///
  /// - Returns: the results in the order of the values.
  package static func map<Value: Sendable, Result: Sendable>(
    _ values: [Value], _ body: @escaping @Sendable (Value) -> Result
  ) -> [Result] {
    let rest = Mutex(values.indices[...])
    let results = Mutex<[(index: Int, result: Result)]>([])
    let work = { @Sendable in
      while let index = rest.withLock({ $0.popFirst() }) {
        let result = body(values[index])
        results.withLock { $0.append((index, result)) }
      }
    }
    let helpers = DispatchGroup()
    for _ in 0..<max(0, min(available, values.count) - 1) {
      helpers.enter()
      let isStarted = OSThread.start {
        work()
        helpers.leave()
      }
      if !isStarted { helpers.leave() }
    }
    work()
    helpers.wait()
    return results.withLock { $0 }.sorted { $0.index < $1.index }.map(\.result)
  }
}

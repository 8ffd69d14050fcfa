import Dispatch
import Glibc
import Synchronization

/// The processors that this process may use, which determine the default of `--jobs`.
package enum Processors {
  /// How many processors this process may use, at least 1.
  package static let available = max(1, allowed(in: status()))

  /// - Parameter status: the content of `/proc/self/status`, with the line `Cpus_allowed:	ff,ffffffff`.
  static func allowed(in status: String) -> Int {
    let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }
    return line?.drop { $0 != ":" }.reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) } ?? 0
  }

  private static func status() -> String {
    let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
    guard 0 <= descriptor else { return "" }
    defer { close(descriptor) }
    return String(unsafeUninitializedCapacity: 8_192) { max(0, read(descriptor, $0.baseAddress, $0.count)) }
  }
}

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

import Dispatch
import Glibc
import Synchronization

/// SIGINT and SIGTERM as calls: the first ends the session gently, the second at once.
final class Interruptions: Sendable {
  private let sources: Mutex<[any DispatchSourceSignal]>

  /// - Parameter handle: called on a queue of its own with the signal's number.
  init(handle: @escaping @Sendable (Int32) -> Void) {
    signal(SIGPIPE, SIG_IGN)
    let queue = DispatchQueue(label: "prosper.signals")
    var sources: [any DispatchSourceSignal] = []
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { @Sendable in handle(number) }
      source.resume()
      sources.append(source)
    }
    nonisolated(unsafe) let started = sources
    self.sources = Mutex(started)
  }
}

import Dispatch
import Glibc
import Synchronization

/// SIGINT and SIGTERM from the first moment on: before there is a performance to end gently they end the program.
final class Interruptions: Sendable {
  typealias Handler = @Sendable (Int32) -> Void

  private let handler = Mutex<Handler?>(nil)
  /// Made once and only kept alive; no thread touches them again.
  nonisolated(unsafe) private var sources: [any DispatchSourceSignal] = []

  init() {
    signal(SIGPIPE, SIG_IGN)
    let queue = DispatchQueue(label: "prosper.signals")
    var sources: [any DispatchSourceSignal] = []
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { @Sendable [self] in receive(number) }
      source.resume()
      sources.append(source)
    }
    self.sources = sources
  }

  /// From now on signals are the handler's; it is called on a queue of its own.
  func handOver(to handler: @escaping Handler) { self.handler.withLock { $0 = handler } }

  /// Ends the program with a signal's code if nothing else has ended it by then.
  static func exit(with number: Int32, after seconds: Double) {
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { @Sendable in
      TerminalMode.restore()
      _exit(128 + number)
    }
  }

  private func receive(_ number: Int32) {
    guard let handler = handler.withLock({ $0 }) else {
      TerminalMode.restore()
      _exit(128 + number)
    }
    handler(number)
  }
}

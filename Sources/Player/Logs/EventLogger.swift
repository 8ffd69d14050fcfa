import Engine
package import Logging
import Synchronization

/// Logs the player's events. May be used from any thread.
final class EventLogger: Sendable {
  private let log: Logger
  private let queue: AsyncOperationQueue
  private let loader: Loader
  private let formatter = Mutex(LogFormatter())

  init(_ log: Logger, of queue: AsyncOperationQueue, and loader: Loader) {
    (self.log, self.queue, self.loader) = (log, queue, loader)
  }

  func note(_ event: StampedEvent) {
    // No event is logged above the level `error`.
    guard log.logLevel <= .error else { return }
    let (depth, timeout) = (queue.depth, loader.timeout)
    guard let line = formatter.withLock({ $0.line(for: event, depth: depth, timeout: timeout) }) else { return }
    write(line)
  }

  /// Logs the properties of the output, each time it is opened.
  func note(_ grant: OutputGrant) { write(LogLine(.debug, .audio, .entering, "output: \(grant)")) }

  private func write(_ line: LogLine) { log.log(level: line.level, "\(line.message)") }
}

extension Logger {
  /// A logger that drops every line.
  package static var dropping: Logger { Logger(label: "prosper") { _ in SwiftLogNoOpLogHandler() } }
}

import Engine
package import Logging
import Synchronization

/// Logs the player's events. From any thread.
final class EventLogger: Sendable {
  private let log: Logger
  private let surroundings: @Sendable () -> LogFormatter.Surroundings
  private let book = Mutex(LogFormatter())

  /// - Parameter surroundings: asked at each event; must not wait.
  init(_ log: Logger, surroundings: @escaping @Sendable () -> LogFormatter.Surroundings) {
    self.log = log
    self.surroundings = surroundings
  }

  func note(_ event: StampedEvent) {
    // No event makes a line above the level `error`.
    guard log.logLevel <= .error else { return }
    let now = surroundings()
    let lines = book.withLock { $0.lines(for: event, in: now) }
    for line in lines { log.log(level: line.level, "\(line.message)") }
  }

  /// Logs the properties of the output, each time it is opened.
  func note(_ grant: OutputGrant) {
    let line = LogLine(.debug, .audio, .entering, "output: \(grant)")
    log.log(level: line.level, "\(line.message)")
  }
}

extension Logger {
  /// Drops every line.
  package static var dropping: Logger { Logger(label: "prosper") { _ in SwiftLogNoOpLogHandler() } }

  /// Takes the lines of the queue of commands.
  var queueLines: @Sendable (AsyncOperationQueue.LogLevel, @autoclosure () -> String) -> Void {
    { [self] level, text in log(level: level.loggerLevel, "\(text())") }
  }
}

extension AsyncOperationQueue.LogLevel {
  fileprivate var loggerLevel: Logger.Level {
    switch self {
    case .debug: .debug
    case .info: .info
    case .warning: .warning
    case .error: .error
    }
  }
}

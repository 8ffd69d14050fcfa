import Engine
import Glibc
import Logging
import Synchronization

/// Writes log lines to stderr from a thread of its own: a reader that stalls holds up nothing, it only loses lines.
final class LogPrinter: Sendable {
  private struct State {
    var lines: [String] = []
    var dropped = 0
    var isClosed = false
    var isDone = false

    /// As many lines wait as may.
    var isFull: Bool { lines.count >= 10_000 }
  }

  private let waits: Bool
  private let state = Mutex(State())
  private let filled = WakeUp()
  private let emptied = WakeUp()

  /// - Parameter waits: whoever logs waits for room, a second at most: a render is faster than its reader.
  /// - Returns: nil when there is no thread for it.
  init?(waits: Bool) {
    self.waits = waits
    guard OSThread.start({ [self] in run() }) else { return nil }
  }

  /// A logger whose lines it prints, from a level on.
  func logger(from level: Logger.Level) -> Logger {
    Logger(label: "prosper") { _ in LineHandler(level: level) { [self] in print($0) } }
  }

  private func print(_ line: String) {
    if waits, state.withLock({ $0.isFull && $0.dropped == 0 }) { emptied.wait(seconds: 1) }
    state.withLock { state in
      if state.isFull { state.dropped += 1 } else { state.lines.append(line) }
    }
    filled.call()
  }

  /// Waits until all has been written, but for a reader that takes nothing for a second.
  func close() {
    state.withLock { $0.isClosed = true }
    filled.call()
    while !state.withLock({ $0.isDone }), emptied.wait(seconds: 1) {}
  }

  private func run() {
    while true {
      let (lines, dropped, isClosed) = state.withLock { state in
        defer { (state.lines, state.dropped) = ([], 0) }
        return (state.lines, state.dropped, state.isClosed)
      }
      for line in lines { Complaint.sayPlain(line) }
      if 0 < dropped { Complaint.say("\(dropped) log lines were lost: their reader has stalled") }
      emptied.call()
      if !lines.isEmpty { continue }
      if isClosed { break }
      filled.wait()
    }
    state.withLock { $0.isDone = true }
    emptied.call()
  }
}

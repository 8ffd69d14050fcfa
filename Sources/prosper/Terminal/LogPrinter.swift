import Glibc
import ProsperKit
import Synchronization

/// Writes log lines to stderr on a separate thread. A stalled reader loses lines, but does not delay the player.
final class LogPrinter: Sendable {
  private struct State {
    var lines: [String] = []
    var dropped = 0
    var isClosed = false
    var isDone = false

    /// Whether the maximum number of lines wait.
    var isFull: Bool { lines.count >= 10_000 }
  }

  /// Whether a thread that logs waits for room: true for a render.
  private let waits: Bool
  private let state = Mutex(State())
  private let filled = WakeUp()
  private let emptied = WakeUp()

  /// - Parameter waits: whether a thread that logs waits for room, for at most a second. A render logs faster than a
  ///   reader reads.
  /// - Throws: `noThread`, because without its thread nothing would be logged.
  init(waits: Bool) throws(SinkError) {
    self.waits = waits
    guard OSThread.start({ [self] in run() }) else { throw .noThread }
  }

  /// A logger that prints entries of a level and above.
  func logger(from level: Logger.Level) -> Logger {
    Logger(label: "prosper") { _ in LineHandler(level: level) { [self] in print($0) } }
  }

  /// Receives a line from any thread. After a line has been dropped, no thread waits until the reader has read the
  /// waiting lines.
  private func print(_ line: String) {
    if waits, state.withLock({ $0.isFull && $0.dropped == 0 }) { emptied.wait(seconds: 1) }
    state.withLock { state in
      if state.isFull { state.dropped += 1 } else { state.lines.append(line) }
    }
    filled.call()
  }

  /// Writes the remaining lines and ends the thread. Stops waiting for a reader that reads nothing for a second.
  func close() {
    state.withLock { $0.isClosed = true }
    filled.call()
    while !state.withLock({ $0.isDone }), emptied.wait(seconds: 1) {}
  }

  /// The printer's thread.
  private func run() {
    while true {
      let (lines, dropped, isClosed) = state.withLock { state in
        defer { (state.lines, state.dropped) = ([], 0) }
        return (state.lines, state.dropped, state.isClosed)
      }
      for line in lines { StandardError.printPlain(line) }
      if 0 < dropped {
        StandardError.say("\(counted(dropped, "log line was", "log lines were")) dropped because the reader stalled")
      }
      emptied.call()
      if !lines.isEmpty { continue }
      if isClosed { break }
      filled.wait()
    }
    state.withLock { $0.isDone = true }
    emptied.call()
  }
}

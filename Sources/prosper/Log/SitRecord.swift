import ProsperKit
import Synchronization

/// Keeps what the log says of a live run, and adds it to the log when the run ends. May be used from any thread.
final class SitRecord: Sendable {
  private struct Run {
    var title = ""
    /// Seconds; nil for an open session.
    var planned: Double?
    /// When the first stage began, in seconds since 1970; before that, when the player started. Nil before both.
    var start: Double?
    /// The session time in seconds at which it began.
    var begin = 0.0
    var isHeard = false
    /// Whether the run has been logged, or was too short for the log.
    var isOver = false
  }

  private let run = Mutex(Run())
  /// The folder of the log; nil if there is none.
  private let folder: StateFolder?

  /// The seconds of the shortest run that is logged.
  static let shortest = 1.0
  /// The seconds that `leaveSoon` waits for the disk.
  private static let patience = 0.3

  init(in folder: StateFolder? = StateFolder()) { self.folder = folder }

  /// Keeps what an event says of the run.
  func note(_ event: StampedEvent) {
    switch event.event {
    case .sessionStarted(let title, _, let duration, _):
      run.withLock { ($0.title, $0.planned, $0.start, $0.begin) = (title, duration, event.time, event.session) }
    case .stageStarted:
      // The player may have waited for its output until now.
      run.withLock { run in
        if !run.isHeard { (run.start, run.isHeard) = (event.time, true) }
      }
    default: break
    }
  }

  /// Adds the run to the log, unless that has been done. Blocks until that is done.
  ///
  /// - Parameter played: seconds of the session that were played.
  func leave(_ reason: FinishReason, played: Double) {
    run.withLock { run in
      guard !run.isOver, let start = run.start.flatMap({ SitTime(seconds: $0) }) else { return }
      run.isOver = true
      if played < Self.shortest { return }
      let sit = LoggedSit(
        start: start, duration: played, planned: run.planned, session: run.title, reason: reason.rawValue)
      append(sit)
    }
  }

  /// Adds the run to the log before the program ends although its session has not ended. A disk that does not respond is
  /// waited for only shortly.
  ///
  /// - Parameter session: the session time in seconds.
  func leaveSoon(_ reason: FinishReason, at session: Double) {
    let done = WakeUp()
    // Everything that takes the lock is on another thread: `leave` holds it while it waits for the disk.
    let isStarted = OSThread.start { [self] in
      leave(reason, played: max(0, session - run.withLock { $0.begin }))
      done.call()
    }
    if isStarted { done.wait(seconds: Self.patience) }
  }

  private func append(_ sit: LoggedSit) {
    guard let folder else {
      return StandardError.say("HOME is not set, so there is no log for this run; set HOME, or add --no-log")
    }
    let log = SitLog(in: folder)
    do throws(ErrorNumber) { try log.append(sit) } catch {
      StandardError.say("\(log.path): can't be written (\(error.message)): this run is not in the log")
    }
  }
}

import Schedule
import Logging

/// Turns the player's events into log lines. It is a value: the same events always give the same lines.
struct LogFormatter: Sendable {
  /// Seconds of session time between two snapshots of the state.
  static let snapshotPeriod = 10.0

  private var state = "idle"
  /// The tracks of the last logged state, and those of the current crossfade.
  private var tracks: [String] = []
  private var crossfade = ""
  /// How many tenths of the crossfade have been logged.
  private var tenths = 0
  /// The timeouts of current loads, in seconds.
  private var timeouts: [LoadID: Double] = [:]
  /// The number of the last snapshot period that has been logged.
  private var snapshots = 0

  /// The log line of an event; nil if it is not logged.
  ///
  /// - Parameters:
  ///   - depth: the number of operations that wait in the queue.
  ///   - timeout: seconds after which a load that starts now times out; nil if loads never time out.
  mutating func line(for event: StampedEvent, depth: Int = 0, timeout: Double? = nil) -> LogLine? {
    switch event.event {
    case .state(let state, let previous): return line(for: state, after: previous)
    case .position(let track, let position, _, _):
      return line(for: track, at: position, session: event.session, depth: depth)
    case .loadStarted(let title, let id):
      timeouts[id] = timeout
      let limit = timeout.map { " (timeout: \(milliseconds(1_000 * $0)))" } ?? ""
      return LogLine(.debug, .audio, .entering, "load '\(title)'\(limit)")
    case .loadCompleted(let title, let id, let milliseconds): return loadCompleted(title, id, milliseconds)
    case .loadFailed(_, let id, _), .loadTimeout(_, let id, _): timeouts[id] = nil
    case .sessionStarted: snapshots = Int(event.session / Self.snapshotPeriod)
    default: break
    }
    return crossfadeLine(for: event.event) ?? event.event.logLine
  }

  /// Progress within a crossfade is logged at level `trace`, because the state doesn't change.
  private mutating func line(for new: PlayerState, after previous: String) -> LogLine {
    let now = [new.currentTrack, new.nextTrack].compactMap { $0?.title }
    let isStep = new.kind == .crossfading && previous == new.name && tracks == now
    (state, tracks) = (new.name, now)
    let text = "\(previous) → \(new)"
    switch new.kind {
    case .failed: return LogLine(.error, .states, .failure, text)
    case .finished: return LogLine(.info, .states, .success, text)
    default: return LogLine(isStep ? .trace : .info, .states, .none, text)
    }
  }

  /// Logs a position: as a snapshot once in ten seconds, otherwise at level `trace`.
  private mutating func line(for track: String?, at position: Double?, session: Double, depth: Int) -> LogLine {
    let music = track.map { "'\($0)' at \(length(position))" } ?? "silence"
    let period = Int(session / Self.snapshotPeriod)
    guard snapshots < period else { return LogLine(.trace, .session, .none, music) }
    snapshots = period
    return LogLine(.info, .snapshot, .none, "\(state), \(music) (session: \(length(session)), queue: \(depth))")
  }

  private mutating func loadCompleted(_ title: String, _ id: LoadID, _ taken: Double) -> LogLine {
    let limit = timeouts.removeValue(forKey: id).map { 1_000 * $0 } ?? .infinity
    let text = "'\(title)' (\(milliseconds(taken))"
    guard taken >= Loader.slowShare * limit else { return LogLine(.debug, .audio, .success, "loaded \(text))") }
    return LogLine(.warning, .audio, .warning, "slow load \(text), timeout: \(milliseconds(limit)))")
  }

  /// The log line of an event of a crossfade; nil for other events.
  private mutating func crossfadeLine(for event: PlayerEvent) -> LogLine? {
    switch event {
    case .crossfadeStarted(let from, let to, let duration):
      (crossfade, tenths) = ("'\(from)' to '\(to)'", 0)
      return LogLine(.info, .crossfades, .entering, "\(crossfade) (\(length(duration)))")
    case .crossfadeProgress(let progress):
      let reached = Int(progress * 10 + 1e-6)
      guard tenths < reached else { return nil }
      tenths = reached
      return LogLine(.debug, .crossfades, .none, "\(crossfade): \(10 * reached)%")
    case .crossfadePaused(let progress, let strategy):
      return LogLine(
        .info, .crossfades, .none, "\(crossfade) paused at \(wholePercent(progress)) (\(strategy.rawValue))")
    case .crossfadeResumed(let progress, let strategy):
      return LogLine(
        .info, .crossfades, .entering, "\(crossfade) from \(wholePercent(progress)) (\(strategy.rawValue))")
    case .crossfadeCompleted: return LogLine(.info, .crossfades, .success, crossfade)
    case .crossfadeCancelled: return LogLine(.info, .crossfades, .again, "\(crossfade) left")
    default: return nil
    }
  }
}

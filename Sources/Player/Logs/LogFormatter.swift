import Schedule
import Logging
import Signal

/// Turns the player's events into log lines. It is a value: the same events always give the same lines.
struct LogFormatter: Sendable {
  /// Information for log lines that events don't contain.
  struct Context: Sendable {
    /// Operations that wait in the queue.
    var depth = 0
    /// The timeout in seconds of a load that starts now; nil if loads never time out.
    var timeout: Double?
  }

  /// Seconds of session time between two snapshots of the state.
  static let snapshotPeriod = 10.0

  private var state = "idle"
  /// The tracks of the last logged state, and those of the current crossfade.
  private var tracks: [String] = []
  private var crossfade = ""
  /// How many tenths of the crossfade have been logged.
  private var tenths = 0
  /// The timeouts of current loads, in seconds, by title.
  private var timeouts: [String: Double] = [:]
  /// The number of the last snapshot period that has been logged.
  private var snapshots = 0

  /// The log lines of an event, in order.
  mutating func lines(for event: StampedEvent, in context: Context = Context()) -> [LogLine] {
    switch event.event {
    case .state(let state, let previous): [line(for: state, after: previous)]
    case .position(let track, let position, _):
      follow(track, at: position, session: event.session, depth: context.depth)
    case .loadStarted(let title): [loadStarted(title, timeout: context.timeout)]
    case .loadCompleted(let title, let milliseconds): [loadCompleted(title, milliseconds)]
    case .loadFailed(let title, _), .loadTimeout(let title, _): [loadFailed(title, event.event)].compactMap(\.self)
    case .crossfadeStarted, .crossfadeProgress, .crossfadePaused, .crossfadeResumed, .crossfadeCompleted,
      .crossfadeCancelled:
      [crossfadeLine(for: event.event)].compactMap(\.self)
    case .sessionStarted(let title, let rate, let duration): opening(title, rate, duration, at: event.session)
    default: [event.event.logLine].compactMap(\.self)
    }
  }

  private mutating func opening(
    _ title: String, _ rate: SampleRate, _ duration: Double?, at session: Double
  ) -> [LogLine] {
    snapshots = Int(session / Self.snapshotPeriod)
    return [LogLine(.info, .session, .entering, "'\(title)' (\(rate.hertz) Hz, \(length(duration)))")]
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
  private mutating func follow(
    _ track: String?, at position: Double?, session: Double, depth: Int
  ) -> [LogLine] {
    let music = track.map { "'\($0)' at \(length(position))" } ?? "silence"
    let period = Int(session / Self.snapshotPeriod)
    guard snapshots < period else { return [LogLine(.trace, .session, .none, music)] }
    snapshots = period
    let text = "\(state), \(music) (session: \(length(session)), queue: \(depth))"
    return [LogLine(.info, .snapshot, .none, text)]
  }
}

extension LogFormatter {
  private mutating func loadStarted(_ title: String, timeout: Double?) -> LogLine {
    timeouts[title] = timeout
    let limit = timeout.map { " (timeout: \(milliseconds(1_000 * $0)))" } ?? ""
    return LogLine(.debug, .audio, .entering, "load '\(title)'\(limit)")
  }

  private mutating func loadCompleted(_ title: String, _ taken: Double) -> LogLine {
    let limit = timeouts.removeValue(forKey: title).map { 1_000 * $0 } ?? .infinity
    let text = "'\(title)' (\(milliseconds(taken))"
    guard taken >= Loader.slowShare * limit else { return LogLine(.debug, .audio, .success, "loaded \(text))") }
    return LogLine(.warning, .audio, .warning, "slow load \(text), timeout: \(milliseconds(limit)))")
  }

  private mutating func loadFailed(_ title: String, _ event: PlayerEvent) -> LogLine? {
    timeouts[title] = nil
    return event.logLine
  }

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

public import Schedule
import Logging
import Signal

extension PlayerEvent {
  /// The log line of an event that needs no other information; nil if it is not logged.
  var logLine: LogLine? {
    switch self {
    case .sessionStarted(let title, let rate, let duration, _):
      LogLine(.info, .session, .entering, "'\(title)' (\(rate.hertz) Hz, \(length(duration)))")
    case .stageStarted(let name, let index, let duration):
      LogLine(.info, .session, .entering, "stage '\(name)' (index: \(index), \(length(duration)))")
    case .track(let title, let index, let pass, let duration):
      LogLine(.info, .playlist, .entering, "'\(title)' (index: \(index), pass: \(pass), \(length(duration)))")
    case .trackSkipped(let title, let reason):
      LogLine(.warning, .playlist, .again, "'\(title)' skipped: \(reason)")
    case .command(name: "playlist", let id, .ended(.done)): LogLine(.info, .playlist, .success, "changed (id: \(id))")
    case .overlayStarted(let title): LogLine(.debug, .audio, .entering, "overlay '\(title)'")
    case .overlayEnded(let title): LogLine(.debug, .audio, .success, "overlay '\(title)'")
    case .gong(let title): LogLine(.debug, .audio, .entering, "gong '\(title)'")
    case .volume(let layer, let gain, let seconds):
      LogLine(.debug, .audio, .entering, "volume \(layer?.rawValue ?? "master"): \(gain.linear) (\(length(seconds)))")
    case .loadFailed(let title, _, .cancelled): LogLine(.debug, .audio, .again, "load '\(title)' cancelled")
    case .loadFailed(let title, _, let reason): LogLine(.error, .audio, .failure, "load '\(title)': \(reason)")
    case .loadTimeout(let title, _, let taken):
      LogLine(.error, .audio, .failure, "load '\(title)': nothing after \(milliseconds(taken))")
    case .underrun(_, let title, let missing):
      LogLine(.warning, .audio, .warning, "underrun of '\(title)' (\(milliseconds(missing)))")
    case .output(let change, _): change.logLine(of: "output")
    case .follower(let change, let output): change.logLine(of: output)
    case .warning(let text): LogLine(.warning, .session, .warning, text)
    case .late: lateness.map { LogLine(.warning, .audio, .warning, $0) }
    case .error(let error): LogLine(.error, .session, .failure, "\(error.code): \(error)")
    case .sessionFinished(let reason, let totals): totals.logLine(reason)
    // `LogFormatter` logs those that need more, and the others say what another line says.
    case .state, .position, .crossfadeStarted, .crossfadeProgress, .crossfadePaused, .crossfadeResumed,
      .crossfadeCompleted, .crossfadeCancelled, .crossfadeTimeout, .loadStarted, .loadProgress, .loadCancellable,
      .loadCompleted, .overlayPaused, .overlayResumed, .caption, .command, .metrics:
      nil
    }
  }
}

extension OutputChange {
  fileprivate func logLine(of output: String) -> LogLine {
    switch self {
    case .lost(let cause, _): LogLine(.warning, .audio, .warning, "\(output) lost: \(cause)")
    case .restored(let seconds): LogLine(.info, .audio, .again, "\(output) back after \(length(seconds))")
    case .moved(let device): LogLine(.info, .audio, .entering, "\(output) moved to \(device)")
    case .unplugged(let device): LogLine(.warning, .audio, .warning, "\(output) gone: paused, and moved to \(device)")
    case .corked: LogLine(.warning, .audio, .warning, "\(output) silenced from outside")
    case .asleep: LogLine(.warning, .audio, .warning, "\(output) silenced: the computer goes to sleep")
    }
  }
}

extension Totals {
  fileprivate func logLine(_ reason: FinishReason) -> LogLine {
    let missed =
      "underruns: \(shortfalls.underruns), starved: \(shortfalls.starved), late: \(shortfalls.late), damaged: \(damaged)"
    let text = "\(reason.rawValue) (\(length(played)), tracks: \(tracks), \(missed))"
    return reason == .outputFailed
      ? LogLine(.error, .session, .failure, text) : LogLine(.info, .session, .success, text)
  }
}

extension PlayerState: CustomStringConvertible {
  /// The state's name, followed by its tracks, progress or error in parentheses.
  public var description: String {
    let tracks = [currentTrack, nextTrack].compactMap { $0.map { "'\($0.title)'" } }.joined(separator: " to ")
    var parts = tracks.isEmpty ? [] : [tracks]
    if kind == .playing, tracks.isEmpty { parts.append("silence") }
    if let progress { parts.append(wholePercent(progress)) }
    if case .failed(let error) = self { parts.append("\(error)") }
    return parts.isEmpty ? name : "\(name) (\(parts.joined(separator: ", ")))"
  }
}

/// Seconds with three decimals and their unit.
func length(_ seconds: Double?) -> String {
  guard let seconds, seconds.isFinite else { return "no end" }
  return JSONLine.seconds(seconds) + " s"
}

/// Whole milliseconds with their unit, in the format of the queue's lines.
func milliseconds(_ count: Double) -> String { count.isFinite ? "\(Int(min(max(count, 0), 1e15)))ms" : "?ms" }

/// Whole percents, rounded.
func wholePercent(_ progress: Double) -> String {
  progress.isFinite ? "\(Int((min(1, max(0, progress)) * 100).rounded()))%" : "?%"
}

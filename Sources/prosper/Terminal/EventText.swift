import ProsperKit

/// Events as text for the listener: one line for each event that the listener hears or must know, none for the others.
extension StampedEvent {
  /// Session time and text, as one line; nil for events that are omitted.
  var text: String? {
    // Those of the whole run, which belong to no stage, are for programs.
    if case .metrics = event, stage == nil { return nil }
    guard let words = waitAtStart ?? event.words(isMusicPaused: isMusicPaused) else { return nil }
    return "\(clockText(session))  \(words.withoutControls)"
  }

  /// The text for an output that does not exist at the start; nil for other events.
  private var waitAtStart: String? {
    guard session == 0, case .output(.lost(let cause, _), _) = event else { return nil }
    return "  waiting for the output (\(cause))"
  }
}

extension PlayerEvent {
  /// The text without the time; nil for events that are omitted.
  fileprivate func words(isMusicPaused: Bool) -> String? {
    switch self {
    case .sessionStarted(let title, _, let duration, let origin):
      "\(title), \(duration.map { clockText($0) } ?? "open end")" + (origin.seed.map { ", seed \($0)" } ?? "")
    case .stageStarted(let name, _, let duration): duration.map { "\(name), \(clockText($0))" } ?? name
    case .track(let title, _, _, _): "  ♪ \(title)"
    case .overlayStarted(let title): "  ❝ \(title)"
    case .gong(let title): "  ◎ \(title)"
    case .caption(let text, _, _): "    \(text)"
    case .state(let state, let previous): state.words(after: previous, isMusicPaused: isMusicPaused)
    case .command(let name, _, .ended(.rejected(let error))): "  \(name): \(error)"
    case .loadProgress(let title, _, let milliseconds):
      "  \(title) is still loading after \(Int((milliseconds / 1_000).rounded())) s"
    case .loadCancellable(let title, _, let command):
      "  '\(command)' waits for \(title); 'prosper ctl cancel' ends both"
    case .loadTimeout(let title, _, let milliseconds): "  \(title) is still loading after \(Int(milliseconds)) ms"
    case .output(let change, _): "  \(change.words)"
    case .follower(let change, let output): change.words(of: output).map { "  \($0)" }
    case .trackSkipped(let title, let reason): "  skipped \(title): \(reason)"
    case .underrun(_, let title, let milliseconds): "  underrun: \(title), \(Int(milliseconds)) ms"
    case .warning(let text): "  warning: \(Hint.added(to: text))"
    case .metrics(let metrics): "  metrics: " + metrics.words.joined(separator: ", ")
    case .late: lateness.map { "  warning: \($0)" }
    // A sound that can't be opened is reported where it is skipped, and an error that ends the session on stderr.
    case .error(let error): error.code == "damaged" ? "  \(error)" : nil
    case .sessionFinished(let reason, let totals): "\(reason.words), \(totals.words)"
    // The state, the status line and the events above say the same.
    case .position, .crossfadeStarted, .crossfadeProgress, .crossfadePaused, .crossfadeResumed, .crossfadeCompleted,
      .crossfadeCancelled, .crossfadeTimeout, .loadStarted, .loadCompleted, .loadFailed, .overlayEnded, .overlayPaused,
      .overlayResumed, .volume, .command:
      nil
    }
  }
}

extension PlayerState {
  /// The text of a pause and of its end. Other changes of the music are reported by the `track` events.
  fileprivate func words(after previous: String, isMusicPaused: Bool) -> String? {
    let wasPaused = [Kind.paused, .crossfadePaused].map(\.rawValue).contains(previous)
    if kind.isPaused { return wasPaused ? nil : "  paused" + (progress.map { " (\(percentText($0)) %)" } ?? "") }
    return wasPaused && kind.isAudible && !isMusicPaused ? "  resumed" : nil
  }
}

extension OutputChange {
  fileprivate var words: String {
    switch self {
    case .lost(let cause, _): "the output was lost (\(cause)); waiting for it"
    case .restored(let seconds): "the output is back after \(Int(seconds.rounded(.up))) s"
    case .moved(let device): "the output moved to \(device)"
    case .unplugged(let device): "the output was unplugged: paused; the session continues on \(device) when resumed"
    case .corked: "the sound server silenced the output"
    case .asleep: "paused, because the computer is going to sleep"
    }
  }
}

extension OutputChange {
  /// The text of an output that follows; nil for what does not happen to it.
  fileprivate func words(of output: String) -> String? {
    switch self {
    case .lost(let cause, _): "\(output) gets no sound (\(cause)); trying again"
    case .restored(let seconds): "\(output) is back after \(Int(seconds.rounded(.up))) s"
    case .moved(let device): "\(output) moved to \(device)"
    case .unplugged, .corked, .asleep: nil
    }
  }
}

extension FinishReason {
  var words: String {
    switch self {
    case .completed: "finished"
    case .interrupted, .terminated: "ended early"
    case .stopped: "stopped"
    case .outputFailed: "the output failed"
    }
  }
}

extension Totals {
  fileprivate var words: String {
    var parts = ["\(clockText(played)) played"]
    if 0 < gongs { parts.append(counted(gongs, "gong")) }
    parts += shortfalls.words
    if 0 < damaged { parts.append(counted(damaged, "damaged source")) }
    if 0 < gaps { parts.append("\(counted(gaps, "gap")) of \(JSONLine.seconds(gapSeconds)) s together") }
    if let loudness = sound.loudness { parts.append("\(Level.text(loudness)) LUFS") }
    if 0.05 <= sound.reduction {
      let seconds = JSONLine.seconds(sound.limitedSeconds)
      parts.append("the limiter lowered \(seconds) s by up to \(Level.text(sound.reduction)) dB")
    }
    return parts.joined(separator: ", ")
  }
}

extension QueueMetrics {
  /// The most important values. `prosper metrics` prints all of them.
  fileprivate var words: [String] {
    [
      counted(totalOperations, "operation"), "\(totalFailures) failed", "\(totalCancellations) cancelled",
      "\(depth) waiting", "95 % took at most \(JSONLine.seconds(execution.total.p95 / 1_000)) s",
    ]
  }
}

extension Shortfalls {
  /// The counts that are not zero.
  var words: [String] {
    var parts: [String] = []
    if 0 < underruns { parts.append(counted(underruns, "underrun")) }
    if 0 < starved { parts.append(counted(starved, "starved voice")) }
    if 0 < late { parts.append(counted(late, "late command")) }
    return parts
  }
}

/// A share of 1 as a whole number of percent; a dash if it can't be one. Another program may send any number.
func percentText(_ share: Double) -> String { 0...100 ~= share ? "\(Int((share * 100).rounded()))" : "–" }

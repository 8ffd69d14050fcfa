import Engine
import Schedule
import Signal

extension StampedEvent {
  /// The event as one line of JSON Lines.
  ///
  /// - Parameters:
  ///   - sequence: of this reader, counted from 1 without gaps.
  ///   - schema: which states this reader knows.
  package func json(sequence: Int, schema: StateSchema = .full) -> String {
    var line = JSONLine()
    line.add("v", 1)
    line.add("seq", sequence)
    line.add("run", seconds: run)
    line.add("session", seconds: session)
    line.add("event", event.name)
    if let stage { line.add("stage", stage) }
    if case .state(let state, let previous) = event, schema == .simple {
      state.addSimple(to: &line)
      line.add("previous", PlayerState.Kind(rawValue: previous)?.simpleName ?? previous)
    } else {
      event.add(to: &line)
    }
    if isMusicPaused, case .state = event { line.add("music", "paused") }
    if case .position = event { line.add("planned", seconds: planned) }
    return line.description
  }
}

extension StampedEvent {
  /// Whether it tells a reader of that schema anything: to one of the simple states a crossfade goes on playing.
  package func isNews(in schema: StateSchema) -> Bool {
    guard schema == .simple, case .state(let state, let previous) = event else { return true }
    return state.kind.simpleName != PlayerState.Kind(rawValue: previous)?.simpleName
  }
}

extension PlayerEvent {
  /// Its name.
  package var name: String {
    switch self {
    case .sessionStarted: "session.started"
    case .stageStarted: "stage.started"
    case .state: "state"
    case .track: "track"
    case .position: "position"
    case .crossfadeStarted: "crossfade.started"
    case .crossfadeProgress: "crossfade.progress"
    case .crossfadePaused: "crossfade.paused"
    case .crossfadeResumed: "crossfade.resumed"
    case .crossfadeCompleted: "crossfade.completed"
    case .crossfadeCancelled: "crossfade.cancelled"
    case .loadStarted: "load.started"
    case .loadCompleted: "load.completed"
    case .loadFailed: "load.failed"
    case .loadTimeout: "load.timeout"
    case .trackSkipped: "track.skipped"
    case .overlayStarted: "overlay.started"
    case .overlayEnded: "overlay.ended"
    case .overlayPaused: "overlay.paused"
    case .overlayResumed: "overlay.resumed"
    case .gong: "gong"
    case .volume: "volume"
    case .command: "command"
    case .metrics: "metrics"
    case .output(let change): "output.\(change.name)"
    case .underrun: "underrun"
    case .late, .warning: "warning"
    case .error: "error"
    case .sessionFinished: "session.finished"
    }
  }

  fileprivate func add(to line: inout JSONLine) {
    switch self {
    case .state(let state, let previous):
      state.add(to: &line)
      line.add("previous", previous)
    case .track(let title, let index, let pass, let duration):
      line.add("title", title)
      line.add("index", index)
      line.add("pass", pass)
      line.add("duration", seconds: duration)
    case .position(let track, let position, let duration):
      if let track { line.add("track", track) }
      line.add("position", seconds: position)
      line.add("duration", seconds: duration)
    case .crossfadeStarted(let from, let to, let duration):
      line.add("from", from)
      line.add("to", to)
      line.add("duration", seconds: duration)
    case .crossfadeProgress(let progress): line.add("progress", seconds: progress)
    case .crossfadePaused(let progress, let strategy), .crossfadeResumed(let progress, let strategy):
      line.add("progress", seconds: progress)
      line.add("strategy", strategy.rawValue)
    case .overlayStarted(let title), .overlayEnded(let title), .overlayPaused(let title), .overlayResumed(let title),
      .gong(let title):
      line.add("title", title)
    case .crossfadeCompleted, .crossfadeCancelled: break
    case .sessionStarted, .stageStarted, .sessionFinished: addFrame(to: &line)
    case .command, .volume, .metrics, .output: addAnswer(to: &line)
    default: addIncident(to: &line)
    }
  }

  /// What the session and its stages begin and end with.
  private func addFrame(to line: inout JSONLine) {
    switch self {
    case .sessionStarted(let title, let rate, let duration):
      line.add("title", title)
      line.add("sampleRate", rate.hertz)
      line.add("duration", seconds: duration)
    case .stageStarted(let name, let index, let duration):
      line.add("name", name)
      line.add("index", index)
      line.add("duration", seconds: duration)
    case .sessionFinished(let reason, let totals):
      line.add("reason", reason.rawValue)
      totals.add(to: &line)
    default: break
    }
  }

  /// Loads, and what goes wrong.
  private func addIncident(to line: inout JSONLine) {
    switch self {
    case .loadStarted(let title): line.add("title", title)
    case .loadCompleted(let title, let milliseconds), .loadTimeout(let title, let milliseconds):
      line.add("title", title)
      line.add("milliseconds", seconds: milliseconds)
    case .underrun(let layer, let title, let milliseconds):
      line.add("of", layer?.rawValue ?? "output")
      line.add("title", title)
      line.add("milliseconds", seconds: milliseconds)
    case .late(let title, let due, let milliseconds):
      if let title { line.add("title", title) }
      line.add("due", seconds: due)
      line.add("milliseconds", seconds: milliseconds)
      line.add("message", lateness ?? "")
    case .loadFailed(let title, let error), .trackSkipped(let title, let error):
      line.add("title", title)
      line.add("reason", error.description)
    case .warning(let text): line.add("message", text)
    case .error(let problem):
      line.add("code", problem.code)
      line.add("message", problem.message)
      line.add("recoverable", problem.recoverable)
    default: break
    }
  }
}

extension Totals {
  fileprivate func add(to line: inout JSONLine) {
    line.add("played", seconds: played)
    line.add("tracks", tracks)
    line.add("overlays", overlays)
    line.add("gongs", gongs)
    shortfalls.add(to: &line)
    line.add("damaged", damaged)
  }
}

extension Shortfalls {
  func add(to line: inout JSONLine) {
    line.add("underruns", underruns)
    line.add("starved", starved)
    line.add("late", late)
  }
}

extension PlayerEvent {
  /// What came too late, in words; nil for other events.
  package var lateness: String? {
    guard case .late(let title, let due, let milliseconds) = self else { return nil }
    let delay = "\(JSONLine.seconds(milliseconds / 1_000)) s late"
    guard let title else { return "a command for \(JSONLine.seconds(due)) s came \(delay)" }
    return "'\(title)' was to begin at \(JSONLine.seconds(due)) s and came \(delay)"
  }
}

import Engine
import Schedule
import Signal
import Sounds

extension StampedEvent {
  /// The event as a JSON object on one line, exactly as `prosper play` prints it.
  public var json: String { json(sequence: number) }

  /// The event as one line of JSON Lines.
  ///
  /// - Parameters:
  ///   - sequence: number of the event for this reader, counted from 1 without gaps.
  ///   - schema: the state schema that this reader supports.
  package func json(sequence: Int, schema: StateSchema = .full) -> String {
    var line: JSONLine = [
      "v": 1, "seq": sequence, "run": Rounded(run), "session": Rounded(session), "time": IfAny(time.map(isoText)),
      "event": event.name, "stage": IfAny(stage),
    ]
    if case .state(let state, let previous) = event, schema == .simple {
      line.add("schema", schema.rawValue)
      line.add(PlayerStateMigration.simple(state).members)
      line.add("previous", schema.name(of: previous))
    } else {
      line.add(event.members)
    }
    if isMusicPaused, case .state = event { line.add("music", "paused") }
    if case .position = event { line.add("planned", seconds: planned) }
    return line.description
  }
}

extension StampedEvent {
  /// Whether the event is new information in `schema`. In the simple schema a crossfade is the state `playing`, so its
  /// state events repeat the previous state.
  package func isNews(in schema: StateSchema) -> Bool {
    guard schema == .simple, case .state(let state, let previous) = event else { return true }
    return schema.name(of: state.name) != schema.name(of: previous)
  }
}

extension PlayerEvent {
  /// The name in the member `event` of its JSON object.
  public var name: String { word.rawValue }

  /// The names of all events.
  package enum Name: String, CaseIterable {
    case sessionStarted = "session.started", sessionFinished = "session.finished", stageStarted = "stage.started"
    case state, track, trackSkipped = "track.skipped", position
    case crossfadeStarted = "crossfade.started", crossfadeProgress = "crossfade.progress"
    case crossfadePaused = "crossfade.paused", crossfadeResumed = "crossfade.resumed"
    case crossfadeCompleted = "crossfade.completed", crossfadeCancelled = "crossfade.cancelled"
    case crossfadeTimeout = "crossfade.timeout"
    case loadStarted = "load.started", loadProgress = "load.progress", loadCancellable = "load.cancellable"
    case loadCompleted = "load.completed", loadFailed = "load.failed", loadTimeout = "load.timeout"
    case overlayStarted = "overlay.started", overlayEnded = "overlay.ended"
    case overlayPaused = "overlay.paused", overlayResumed = "overlay.resumed", gong, caption, volume, command
    case outputLost = "output.lost", outputRestored = "output.restored", outputMoved = "output.moved"
    case outputCorked = "output.corked", underrun, warning, error, metrics
  }

  private var word: Name {
    switch self {
    case .sessionStarted: .sessionStarted
    case .stageStarted: .stageStarted
    case .state: .state
    case .track: .track
    case .position: .position
    case .crossfadeStarted: .crossfadeStarted
    case .crossfadeProgress: .crossfadeProgress
    case .crossfadePaused: .crossfadePaused
    case .crossfadeResumed: .crossfadeResumed
    case .crossfadeCompleted: .crossfadeCompleted
    case .crossfadeCancelled: .crossfadeCancelled
    case .crossfadeTimeout: .crossfadeTimeout
    case .loadStarted: .loadStarted
    case .loadProgress: .loadProgress
    case .loadCancellable: .loadCancellable
    case .loadCompleted: .loadCompleted
    case .loadFailed: .loadFailed
    case .loadTimeout: .loadTimeout
    case .trackSkipped: .trackSkipped
    case .overlayStarted: .overlayStarted
    case .overlayEnded: .overlayEnded
    case .overlayPaused: .overlayPaused
    case .overlayResumed: .overlayResumed
    case .gong: .gong
    case .caption: .caption
    case .volume: .volume
    case .command: .command
    case .metrics: .metrics
    case .output(let change, _), .follower(let change, _): change.name
    case .underrun: .underrun
    case .late, .warning: .warning
    case .error: .error
    case .sessionFinished: .sessionFinished
    }
  }

  fileprivate var members: JSONLine {
    switch self {
    case .sessionStarted(let title, let rate, let duration, let origin):
      ["title": title, "sampleRate": rate.hertz, "duration": Rounded(duration)] + origin.members
    case .stageStarted(let name, let index, let duration):
      ["name": name, "index": index, "duration": Rounded(duration)]
    case .state(let state, let previous): state.members + ["previous": previous]
    case .track(let title, let index, let pass, let duration):
      ["title": title, "index": index, "pass": pass, "duration": Rounded(duration)]
    case .position(let track, let position, let duration, _):
      ["track": IfAny(track), "position": Rounded(position), "duration": Rounded(duration)]
    case .crossfadeStarted(let from, let to, let duration): ["from": from, "to": to, "duration": Rounded(duration)]
    case .crossfadeProgress(let progress): ["progress": Rounded(progress)]
    case .crossfadePaused(let progress, let strategy), .crossfadeResumed(let progress, let strategy):
      ["progress": Rounded(progress), "strategy": strategy.rawValue]
    case .crossfadeCompleted, .crossfadeCancelled: [:]
    case .loadStarted, .loadProgress, .loadCancellable, .loadCompleted, .loadFailed, .loadTimeout, .crossfadeTimeout:
      loadMembers
    case .overlayStarted(let title), .overlayEnded(let title), .overlayPaused(let title),
      .overlayResumed(let title), .gong(let title):
      ["title": title]
    case .caption(let text, let title, let duration): ["text": text, "title": title, "duration": Rounded(duration)]
    case .trackSkipped(let title, let error):
      ["title": title, "reason": error.description] + PlayerError.fileLoadFailed(error).members
    case .volume(let layer, let gain, let seconds):
      ["of": layer?.rawValue ?? "master", "to": gain.linear, "over": Rounded(seconds)]
    case .command(let name, let id, let report): ["name": name, "id": id, "outcome": report.name] + report.members
    case .metrics(let metrics): metrics.json
    case .output(let change, let output): ["output": IfAny(output)] + change.members
    case .follower(let change, let output): ["output": output, "follows": true] + change.members
    case .underrun(let layer, let title, let milliseconds):
      ["of": layer?.rawValue ?? "output", "title": title, "milliseconds": Rounded(milliseconds)]
    case .late(let title, let due, let milliseconds):
      ["title": IfAny(title), "due": Rounded(due), "milliseconds": Rounded(milliseconds), "message": lateness ?? ""]
    case .warning(let text): ["message": text]
    case .error(let error): ["code": error.code, "message": error.description, "recoverable": error.isRecoverable]
    case .sessionFinished(let reason, let totals): ["reason": reason.rawValue] + totals.members
    }
  }
}

extension PlayerEvent {
  /// The members of the events of loads.
  private var loadMembers: JSONLine {
    switch self {
    case .crossfadeTimeout(let from, let to, let milliseconds):
      ["from": IfAny(from), "to": to, "milliseconds": Rounded(milliseconds)]
        + PlayerError.fileLoadTimeout(title: to, seconds: milliseconds / 1_000).members
    case .loadStarted(let title, let id): ["title": title, "id": "\(id)"]
    case .loadCancellable(let title, let id, let command): ["title": title, "id": "\(id)", "command": command]
    case .loadProgress(let title, let id, let time), .loadCompleted(let title, let id, let time):
      ["title": title, "id": "\(id)", "milliseconds": Rounded(time)]
    case .loadTimeout(let title, let id, let milliseconds):
      ["title": title, "id": "\(id)", "milliseconds": Rounded(milliseconds)]
        + PlayerError.fileLoadTimeout(title: title, seconds: milliseconds / 1_000).members
    case .loadFailed(let title, let id, let failure):
      ["title": title, "id": "\(id)", "reason": failure.description] + failure.members
    default: [:]
    }
  }
}

extension SessionOrigin {
  fileprivate var members: JSONLine {
    [
      "version": IfAny(version), "path": IfAny(path), "fingerprint": IfAny(fingerprint), "output": IfAny(output),
      "seed": IfAny(seed),
    ]
  }
}

extension Totals {
  fileprivate var members: JSONLine {
    ["played": Rounded(played), "tracks": tracks, "overlays": overlays, "gongs": gongs] + shortfalls.members
      + [
        "damaged": damaged, "gaps": gaps, "gapSeconds": Rounded(gapSeconds),
        "loudness": Rounded(sound.loudness?.ifFinite),
        "reduction": Rounded(sound.reduction), "limitedSeconds": Rounded(sound.limitedSeconds),
      ]
  }
}

extension Shortfalls {
  var members: JSONLine { ["underruns": underruns, "starved": starved, "late": late] }
}

extension PlayerEvent {
  /// The message of a `late` event; nil for other events.
  package var lateness: String? {
    guard case .late(let title, let due, let milliseconds) = self else { return nil }
    let delay = "\(JSONLine.seconds(milliseconds / 1_000)) s late"
    guard let title else { return "a command for \(JSONLine.seconds(due)) s came \(delay)" }
    return "'\(title)' was to begin at \(JSONLine.seconds(due)) s and came \(delay)"
  }
}

extension CommandReport {
  /// The name in events and metrics.
  package var name: String { if case .ended(let outcome) = self { outcome.name } else { "accepted" } }

  var members: JSONLine {
    switch self {
    case .accepted, .ended(.done), .ended(.coalesced): [:]
    case .ended(.cancelled(let other)): ["by": other]
    case .ended(.rejected(let error)):
      ["code": error.code, "reason": error.description, "recoverable": error.isRecoverable]
    }
  }
}

extension OutputChange {
  var name: PlayerEvent.Name {
    switch self {
    case .lost: .outputLost
    case .restored: .outputRestored
    case .moved, .unplugged: .outputMoved
    case .corked, .asleep: .outputCorked
    }
  }

  var members: JSONLine {
    switch self {
    case .lost(let cause, let ofDevice):
      ["reason": cause]
        + PlayerError.outputFailed(ofDevice ? .deviceLost(cause: cause) : .lost(cause: cause)).members
    case .restored(let seconds): ["after": Rounded(seconds)]
    case .moved(let device): ["to": device]
    case .unplugged(let device): ["to": device, "reason": "the previous output was removed; the session is paused"]
    case .corked: [:]
    case .asleep: ["reason": "the computer goes to sleep"]
    }
  }
}

extension PlayerState {
  /// The members of a `state` event, except `previous`.
  var members: JSONLine {
    let (track, next) = (currentTrack?.title, nextTrack?.title)
    let line: JSONLine = ["state": name, next == nil ? "track" : "from": IfAny(track), "to": IfAny(next)]
    return switch self {
    case .crossfading(_, _, let progress): line + ["progress": Rounded(progress), "canQuickFinish": canQuickFinish]
    case .crossfadePaused(_, _, let progress, let strategy, let snapshot):
      line + [
        "progress": Rounded(progress), "strategy": strategy.rawValue,
        "positions": [snapshot.activePosition, snapshot.inactivePosition].map { ($0 * 1_000).rounded() / 1_000 },
      ]
    case .paused(_, let position): line + ["position": Rounded(position)]
    case .fadingOut(_, let duration): line + ["duration": Rounded(duration)]
    case .failed(let error): line + ["code": error.code, "recoverable": error.isRecoverable]
    case .idle, .preparing, .preparingCrossfade, .playing, .finished: line
    }
  }
}

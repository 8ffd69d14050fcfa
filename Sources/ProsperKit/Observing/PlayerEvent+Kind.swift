import Player
import Schedule
import Signal
import Sounds

extension PlayerEvent.Kind {
  init(_ event: Player.PlayerEvent) { self = Self.music(event) ?? Self.sound(event) ?? Self.incident(event) }

  /// Events about the session and its music; nil for others.
  private static func music(_ event: Player.PlayerEvent) -> Self? {
    switch event {
    case .sessionStarted(let title, let rate, let duration):
      .sessionStarted(title: title, sampleRate: rate.hertz, duration: duration)
    case .stageStarted(let name, let index, let duration): .stageStarted(name: name, index: index, duration: duration)
    case .state(let state, let previous):
      .state(state, previous: PlayerState.Kind(rawValue: previous) ?? .idle)
    case .track(let title, let index, let pass, let duration):
      .track(title: title, index: index, pass: pass, duration: duration)
    case .position(let track, let position, let duration, _):
      .position(track: track, position: position, duration: duration)
    case .crossfadeStarted(let from, let to, let duration): .crossfadeStarted(from: from, to: to, duration: duration)
    case .crossfadeProgress(let progress): .crossfadeProgress(progress)
    case .crossfadePaused(let progress, let strategy):
      .crossfadePaused(progress: progress, strategy)
    case .crossfadeResumed(let progress, let strategy):
      .crossfadeResumed(progress: progress, strategy)
    case .crossfadeCompleted: .crossfadeCompleted
    case .crossfadeCancelled: .crossfadeCancelled
    case .crossfadeTimeout(let from, let to, let milliseconds):
      .crossfadeTimeout(from: from, to: to, milliseconds: milliseconds)
    case .sessionFinished(let reason, let totals): .sessionFinished(FinishReason(reason), Totals(totals))
    default: nil
    }
  }

  /// Events about single sounds and about volumes; nil for others.
  private static func sound(_ event: Player.PlayerEvent) -> Self? {
    switch event {
    case .loadStarted(let title, let id): .loadStarted(title: title, id: "\(id)")
    case .loadProgress(let title, let id, let milliseconds):
      .loadProgress(title: title, id: "\(id)", milliseconds: milliseconds)
    case .loadCancellable(let title, let id, let command):
      .loadCancellable(title: title, id: "\(id)", command: command)
    case .loadCompleted(let title, let id, let milliseconds):
      .loadCompleted(title: title, id: "\(id)", milliseconds: milliseconds)
    case .loadFailed(let title, let id, let failure):
      .loadFailed(title: title, id: "\(id)", PlayerError(failure))
    case .loadTimeout(let title, let id, let milliseconds):
      .loadTimeout(title: title, id: "\(id)", milliseconds: milliseconds)
    case .trackSkipped(let title, let error): .trackSkipped(title: title, PlayerError(error))
    case .overlayStarted(let title): .overlayStarted(title: title)
    case .overlayEnded(let title): .overlayEnded(title: title)
    case .overlayPaused(let title): .overlayPaused(title: title)
    case .overlayResumed(let title): .overlayResumed(title: title)
    case .gong(let title): .gong(title: title)
    case .volume(let layer, let gain, let seconds):
      .volume(.init(named: layer?.rawValue), to: Double(gain.linear), over: seconds)
    default: nil
    }
  }

  /// Events about commands, metrics, the output and failures.
  private static func incident(_ event: Player.PlayerEvent) -> Self {
    switch event {
    case .command(let name, let id, .accepted): .command(name: name, id: id, .accepted)
    case .command(let name, let id, .ended(let outcome)): .command(name: name, id: id, .ended(CommandOutcome(outcome)))
    case .metrics(let metrics): .metrics(QueueMetrics(metrics))
    case .output(let change): .output(PlayerEvent.OutputChange(change))
    case .underrun(let layer, let title, let milliseconds):
      .underrun(.init(named: layer?.rawValue), title: title, milliseconds: milliseconds)
    case .late(let title, let due, let milliseconds): .late(title: title, due: due, milliseconds: milliseconds)
    case .warning(let text): .warning(text)
    case .error(let error): .error(PlayerError(error))
    default: .warning(event.name)
    }
  }
}

extension PlayerEvent.Layer {
  /// The layer with a name; `master` for nil.
  fileprivate init(named name: String?) { self = name.flatMap { Self(rawValue: $0) } ?? .master }
}

extension PlayerEvent.OutputChange {
  fileprivate init(_ change: Player.OutputChange) {
    self =
      switch change {
      case .lost(let cause): .lost(cause: cause)
      case .restored(let seconds): .restored(after: seconds)
      case .moved(let device): .moved(to: device)
      case .unplugged(let device): .unplugged(to: device)
      case .corked: .corked
      case .asleep: .asleep
      }
  }
}

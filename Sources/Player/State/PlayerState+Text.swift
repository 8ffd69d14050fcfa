import Schedule

extension PlayerState: CustomStringConvertible {
  /// A word or two for a status line.
  public var statusText: String {
    switch self {
    case .idle: "Ready"
    case .preparing: "Loading..."
    case .preparingCrossfade, .playing: "Playing"
    case .crossfading(_, _, let progress): "Crossfading \(percent(progress))"
    case .paused: "Paused"
    case .crossfadePaused(_, _, let progress, _, _): "Paused (\(percent(progress)))"
    case .fadingOut: "Stopping..."
    case .finished: "Finished"
    case .failed: "Error"
    }
  }

  /// A sentence that names the tracks.
  public var displayText: String {
    switch self {
    case .idle: "Ready"
    case .preparing(let track): "Loading \(track.title)..."
    case .preparingCrossfade(let current, let next): "Playing \(current.title) (Next: \(next.title))"
    case .playing(let track): "Playing \(title(track))"
    case .crossfading(_, let to, let progress): "Transitioning to \(to.title) (\(percent(progress)))"
    case .paused(let track, _): "Paused: \(title(track))"
    case .crossfadePaused(_, _, let progress, let strategy, _):
      "Paused during transition (\(percent(progress)), \(strategy.words))"
    case .fadingOut(let track, _): "Stopping \(title(track))..."
    case .finished: "Finished"
    case .failed(let error, let recoverable): "Error: \(error)" + (recoverable ? "; try again" : "")
    }
  }

  /// Of the light beside it.
  public var indicatorColor: String {
    switch kind {
    case .idle, .finished: "gray"
    case .preparing, .preparingCrossfade, .fadingOut: "orange"
    case .playing: "green"
    case .crossfading: "blue"
    case .paused, .crossfadePaused: "yellow"
    case .failed: "red"
    }
  }

  /// The state's name and what it carries, for logs.
  public var description: String {
    let tracks = [currentTrack, nextTrack].compactMap { $0?.title }.joined(separator: " → ")
    let parts = [name, tracks, progress.map(percent)].compactMap { $0 }.filter { !$0.isEmpty }
    return parts.joined(separator: " ")
  }
}

extension ResumeStrategy {
  fileprivate var words: String {
    switch self {
    case .continueFromProgress: "resuming"
    case .quickFinish: "finishing soon"
    }
  }
}

private func title(_ track: TrackInfo?) -> String { track?.title ?? "silence" }

/// Truncated, so that 100% is told of nothing that is still under way.
private func percent(_ progress: Double) -> String {
  guard progress.isFinite else { return "?%" }
  return "\(Int(min(1, max(0, progress)) * 100))%"
}

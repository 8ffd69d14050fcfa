import Schedule

/// Which view of the player's state a reader of events knows.
package enum StateSchema: Int, Sendable {
  /// Seven states and the track that counts; no crossfades.
  case simple = 1
  /// All ten, with all that they carry.
  case full = 2
}

extension PlayerState {
  /// The members that a reader of the seven states knows, `previous` aside.
  func addSimple(to line: inout JSONLine) {
    line.add("schema", StateSchema.simple.rawValue)
    line.add("state", simple.name)
    if let track = currentTrack { line.add("track", track.title) }
    switch self {
    case .paused(_, let position): line.add("position", seconds: position)
    case .crossfadePaused(_, _, _, _, let snapshot): line.add("position", seconds: snapshot.activePosition)
    case .fadingOut(_, let duration): line.add("duration", seconds: duration)
    case .failed(let error, let recoverable):
      line.add("code", error.code)
      line.add("recoverable", recoverable)
    default: break
    }
  }

  /// The members of a `state` event, `previous` aside.
  func add(to line: inout JSONLine) {
    line.add("state", name)
    switch self {
    case .idle, .finished: break
    case .preparing(let track): line.add("track", track.title)
    case .preparingCrossfade(let current, let next): add(current, next, to: &line)
    case .playing(let track): if let track { line.add("track", track.title) }
    case .crossfading(let from, let to, let progress):
      add(from, to, to: &line)
      line.add("progress", seconds: progress)
      line.add("canQuickFinish", canQuickFinish)
    case .fadingOut(let track, let duration):
      if let track { line.add("track", track.title) }
      line.add("duration", seconds: duration)
    case .paused, .crossfadePaused: addPaused(to: &line)
    case .failed(let error, let recoverable):
      line.add("code", error.code)
      line.add("recoverable", recoverable)
    }
  }

  private func addPaused(to line: inout JSONLine) {
    if case .paused(let track, let position) = self {
      if let track { line.add("track", track.title) }
      line.add("position", seconds: position)
    }
    guard case .crossfadePaused(let from, let to, let progress, let strategy, let snapshot) = self else { return }
    add(from, to, to: &line)
    line.add("progress", seconds: progress)
    line.add("strategy", strategy.rawValue)
    line.add("positions", [snapshot.activePosition, snapshot.inactivePosition].map { ($0 * 1_000).rounded() / 1_000 })
  }

  private func add(_ from: TrackInfo, _ to: TrackInfo, to line: inout JSONLine) {
    line.add("from", from.title)
    line.add("to", to.title)
  }
}

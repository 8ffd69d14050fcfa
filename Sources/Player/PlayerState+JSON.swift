import Schedule

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

extension PlayerState {
  /// Two values of progress that differ by less than this are near.
  package static let progressEpsilon = 0.01
  /// Two positions, or two lengths of a fade-out, that differ by less than this many seconds are near.
  package static let positionEpsilon = 0.1

  /// Whether the difference between two states is too small to report. Compare a state with the last reported one, not
  /// with the previous one: otherwise many small steps would never be reported.
  package func isNear(_ other: PlayerState) -> Bool {
    guard kind == other.kind, currentTrack?.id == other.currentTrack?.id, nextTrack?.id == other.nextTrack?.id
    else { return false }
    switch (self, other) {
    case (.crossfading(_, _, let a), .crossfading(_, _, let b)): return abs(a - b) < Self.progressEpsilon
    case (.paused(_, let a), .paused(_, let b)), (.fadingOut(_, let a), .fadingOut(_, let b)):
      return abs(a - b) < Self.positionEpsilon
    case (
      .crossfadePaused(_, _, let a, let strategy, let snapshot), .crossfadePaused(_, _, let b, let other, let second)
    ):
      return abs(a - b) < Self.progressEpsilon && strategy == other && snapshot == second
    case (.failed(let a), .failed(let b)): return a == b
    default: return true
    }
  }
}

extension PlayerState {
  /// Steps of progress below this are too small to show.
  public static let progressEpsilon = 0.01
  /// Seconds; of positions and of the length of a fade-out.
  public static let positionEpsilon = 0.1

  /// Whether a reader would take both for the same. Nearness adds up: many small steps are a large one, so that a
  /// state has to be compared with the last one that was told, not with the last one that was.
  public func isNear(_ other: PlayerState) -> Bool {
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
    case (.failed(let a, let first), .failed(let b, let second)): return a == b && first == second
    default: return true
    }
  }
}

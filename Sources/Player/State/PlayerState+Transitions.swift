extension PlayerState {
  /// Whether this state can be followed by `next`, which is another state.
  func canBecome(_ next: PlayerState) -> Bool {
    switch (kind, next.kind) {
    // A reset and a loss of the output are possible in every state.
    case (_, .idle): true
    case (_, .failed): kind != .failed
    // A session that has ended can only start again.
    case (.finished, _), (.failed, _): next.kind == .preparing
    case (.preparing, .preparing): currentTrack?.id != next.currentTrack?.id
    case (.idle, .preparing), (.paused, .preparing), (.crossfadePaused, .preparing): true
    case (_, .preparing): false
    // A crossfade can be paused only while it runs.
    case (.crossfading, .crossfadePaused), (.crossfadePaused, .crossfadePaused):
      currentTrack?.id == next.currentTrack?.id && nextTrack?.id == next.nextTrack?.id
    case (_, .crossfadePaused): false
    // Navigations, edits and ends of tracks lead from each remaining state to each other.
    default: true
    }
  }
}

/// From the ten states to the seven of the older view, for readers that know no crossfades: events, status and what else
/// such a reader is sent.
enum PlayerStateMigration {
  static func simple(_ kind: PlayerState.Kind) -> PlayerState.Kind {
    switch kind {
    case .preparingCrossfade: .preparing
    case .crossfading: .playing
    case .crossfadePaused: .paused
    case .idle, .preparing, .playing, .paused, .fadingOut, .finished, .failed: kind
    }
  }
}

/// Which view of the player's state a reader knows.
package enum StateSchema: Int, Sendable, CaseIterable {
  /// Seven states and the track that counts; no crossfades.
  case simple = 1
  /// All ten, with all that they carry.
  case full = 2

  /// What a state of that name is called in this view.
  func name(of state: String) -> String {
    guard self == .simple, let kind = PlayerState.Kind(rawValue: state) else { return state }
    return PlayerStateMigration.simple(kind).rawValue
  }
}

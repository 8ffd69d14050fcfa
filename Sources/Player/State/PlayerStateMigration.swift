import Schedule

/// Maps the ten states to the seven of the older schema, for readers without support for crossfades. The outgoing track
/// of a crossfade is then the current one.
enum PlayerStateMigration {
  static func simple(_ state: PlayerState) -> PlayerState {
    switch state {
    case .preparingCrossfade(let current, _): .preparing(track: current)
    case .crossfading(let from, _, _): .playing(track: from)
    case .crossfadePaused(let from, _, _, _, let snapshot): .paused(track: from, position: snapshot.activePosition)
    case .idle, .preparing, .playing, .paused, .fadingOut, .finished, .failed: state
    }
  }

  static func simple(_ kind: PlayerState.Kind) -> PlayerState.Kind {
    switch kind {
    case .preparingCrossfade: .preparing
    case .crossfading: .playing
    case .crossfadePaused: .paused
    case .idle, .preparing, .playing, .paused, .fadingOut, .finished, .failed: kind
    }
  }
}

/// The version of the state schema that a reader supports.
package enum StateSchema: Int, Sendable, CaseIterable {
  /// Seven states with the current track, without crossfades.
  case simple = 1
  /// All ten states with all their values.
  case full = 2

  /// The name of a state in this schema. An unknown name is returned unchanged.
  func name(of state: String) -> String {
    guard self == .simple, let kind = PlayerState.Kind(rawValue: state) else { return state }
    return PlayerStateMigration.simple(kind).rawValue
  }
}

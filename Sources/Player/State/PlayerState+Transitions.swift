import Schedule

extension PlayerState {
  /// Whether this state can be followed by `next`. A state can't be followed by itself.
  package func canTransition(to next: PlayerState) -> Bool {
    if self == next { return false }
    switch next.kind {
    // A reset and a loss of the output are possible in every state.
    case .idle: return true
    case .failed: return kind != .failed && fails(as: next)
    default: return kind.successors.contains(next.kind) && agrees(with: next)
    }
  }

  /// Whether the associated values allow the transition: for example, only the playing track can become the outgoing
  /// side of a crossfade.
  private func agrees(with next: PlayerState) -> Bool {
    switch (self, next) {
    // A session can start with a silent stage, but a track has to be opened first.
    case (.idle, .playing(let track)): track == nil
    case (.playing(let old), .playing(let new)): old?.id != new?.id
    case (.preparing(let old), .preparing(let new)): old.id != new.id
    case (.paused(let old, _), .playing(let new)): old?.id == new?.id
    case (.paused(let old, let before), .paused(let new, let after)): old?.id != new?.id || before != after
    case (.fadingOut(_, let before), .fadingOut(_, let after)): before != after
    case (.playing(let old), .preparingCrossfade(let current, _)): old?.id == current.id
    case (.playing(let old), .crossfading(let from, _, _)), (.fadingOut(let old, _), .crossfading(let from, _, _)):
      old?.id == from.id
    case (.playing(let old), .paused(let new, _)): old?.id == new?.id
    default: isCrossfadeRelated ? agreesAsCrossfade(with: next) : true
    }
  }

  private func agreesAsCrossfade(with next: PlayerState) -> Bool {
    switch (self, next) {
    case (.preparingCrossfade, .preparingCrossfade): isSameTrack(as: next) && nextTrack?.id != next.nextTrack?.id
    case (.preparingCrossfade, .playing), (.preparingCrossfade, .paused): isSameTrack(as: next)
    case (.preparingCrossfade, .crossfading), (.crossfading, .crossfadePaused): isSamePair(as: next)
    case (.crossfading(_, _, let before), .crossfading(_, _, let after)): isSamePair(as: next) && before <= after
    case (.crossfading, .playing), (.crossfading, .preparingCrossfade): involves(next.currentTrack)
    default: agreesAsPaused(with: next)
    }
  }

  private func agreesAsPaused(with next: PlayerState) -> Bool {
    switch (self, next) {
    case (.crossfadePaused(_, _, let before, _, _), .crossfading(_, _, let after)):
      isSamePair(as: next) && before <= after
    case (.crossfadePaused, .crossfadePaused): isSamePair(as: next)
    case (.crossfadePaused(_, let to, _, let strategy, _), .playing(let track)):
      strategy == .quickFinish && to.id == track?.id
    // The crossfade must continue or be abandoned; neither of its tracks can be paused alone.
    case (.crossfadePaused, .paused): !involves(next.currentTrack)
    default: true
    }
  }

  /// A paused crossfade itself can't fail, only the output or a command. The failure must therefore be recoverable.
  private func fails(as next: PlayerState) -> Bool {
    guard case .crossfadePaused = self, case .failed(_, let recoverable) = next else { return true }
    return recoverable
  }

  private func isSameTrack(as other: PlayerState) -> Bool { currentTrack?.id == other.currentTrack?.id }

  private func isSamePair(as other: PlayerState) -> Bool {
    isSameTrack(as: other) && nextTrack?.id == other.nextTrack?.id
  }

  private func involves(_ track: TrackInfo?) -> Bool {
    track.map { $0.id == currentTrack?.id || $0.id == nextTrack?.id } ?? false
  }
}

extension PlayerState.Kind {
  /// The kinds that can follow this one, in addition to `idle` and `failed`, which can follow every kind.
  var successors: Set<PlayerState.Kind> {
    switch self {
    case .idle: [.preparing, .playing, .finished]
    case .preparing: [.preparing, .playing, .paused, .finished]
    case .preparingCrossfade: [.preparingCrossfade, .crossfading, .playing, .paused, .fadingOut, .finished]
    case .playing: [.playing, .paused, .preparingCrossfade, .crossfading, .fadingOut, .finished]
    case .crossfading: [.crossfading, .crossfadePaused, .playing, .preparingCrossfade, .fadingOut, .finished]
    case .paused: [.playing, .paused, .preparing, .fadingOut, .finished]
    case .crossfadePaused: [.crossfading, .crossfadePaused, .playing, .paused, .preparing, .fadingOut, .finished]
    // A command can still navigate while the session fades out.
    case .fadingOut: [.fadingOut, .playing, .crossfading, .paused, .finished]
    case .finished, .failed: [.preparing]
    }
  }
}

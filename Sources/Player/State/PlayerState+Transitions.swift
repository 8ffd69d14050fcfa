import Schedule

extension PlayerState {
  /// Whether this state can be followed by `next`. A state can't be followed by itself.
  package func canTransition(to next: PlayerState) -> Bool {
    if self == next { return false }
    let (old, new) = (currentTrack?.id, next.currentTrack?.id)
    let isSamePair = old == new && nextTrack?.id == next.nextTrack?.id
    let isOneOfPair = new != nil && (new == old || new == nextTrack?.id)
    return switch (self, next) {
    // A reset and a loss of the output are possible in every state.
    case (_, .idle): true
    case (.failed, .failed): false
    // A paused crossfade itself can't fail, only the output or a command. The failure must therefore be recoverable.
    case (.crossfadePaused, .failed(let error)): error.recoverable
    case (_, .failed): true
    case (.finished, _), (.failed, _): next.kind == .preparing
    case (_, .finished): true
    case (.preparing, .preparing), (.playing, .playing): old != new
    case (.idle, .preparing), (.paused, .preparing), (.crossfadePaused, .preparing): true
    // A session can start with a silent stage, but a track has to be opened first.
    case (.idle, .playing): new == nil
    case (.preparing, .playing), (.preparing, .paused): true
    case (.preparingCrossfade, .preparingCrossfade): old == new && !isSamePair
    case (.preparingCrossfade, .playing), (.preparingCrossfade, .paused), (.paused, .playing), (.playing, .paused),
      (.playing, .preparingCrossfade), (.playing, .crossfading), (.fadingOut, .crossfading):
      old == new
    case (.preparingCrossfade, .crossfading), (.crossfading, .crossfadePaused), (.crossfadePaused, .crossfadePaused):
      isSamePair
    case (.crossfading(_, _, let before), .crossfading(_, _, let after)),
      (.crossfadePaused(_, _, let before, _, _), .crossfading(_, _, let after)):
      isSamePair && before <= after
    case (.crossfading, .playing), (.crossfading, .preparingCrossfade): isOneOfPair
    case (.crossfadePaused(_, let to, _, let strategy, _), .playing): strategy == .quickFinish && new == to.id
    // The crossfade must continue or be abandoned; neither of its tracks can be paused alone.
    case (.crossfadePaused, .paused): !isOneOfPair
    case (.paused(_, let before), .paused(_, let after)): old != new || before != after
    case (.fadingOut(_, let before), .fadingOut(_, let after)): before != after
    // A command can still navigate while the session fades out.
    case (.fadingOut, .playing), (.fadingOut, .paused): true
    case (.playing, .fadingOut), (.preparingCrossfade, .fadingOut), (.crossfading, .fadingOut), (.paused, .fadingOut),
      (.crossfadePaused, .fadingOut):
      true
    default: false
    }
  }
}

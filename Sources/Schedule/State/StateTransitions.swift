/// Which state may follow which. A transition that the table refuses is a defect of prosper, never of a session.
extension PlayerState {
  /// Whether this state can be followed by `next`, which is another state.
  package func canBecome(_ next: PlayerState) -> Bool {
    switch next {
    // A reset and a loss of the output are possible in every state.
    case .idle: true
    case .failed: kind != .failed
    case .finished: kind != .failed && kind != .finished
    case .preparing(let track): canPrepare(track)
    case .preparingCrossfade(let current, _): isPlaying(current)
    case .playing(let track): canPlay(track)
    case .crossfading(let from, let to, let progress): canCrossfade(from, to, progress)
    case .paused(let track, _): canPause(track)
    case .crossfadePaused(let from, let to, let progress, _, _): isCrossfade(from, to, upTo: progress)
    case .fadingOut: isBegun || kind == .idle || kind == .preparing
    }
  }

  /// Whether something has been heard, and the session is not over.
  private var isBegun: Bool {
    switch kind {
    case .playing, .preparingCrossfade, .crossfading, .paused, .crossfadePaused, .fadingOut: true
    case .idle, .preparing, .finished, .failed: false
    }
  }

  /// The first track is prepared once, again after a pause, and when another one takes its place.
  private func canPrepare(_ track: TrackInfo) -> Bool {
    switch self {
    case .idle, .paused, .finished, .failed: true
    case .preparing(let other): other.id != track.id
    case .preparingCrossfade, .playing, .crossfading, .crossfadePaused, .fadingOut: false
    }
  }

  private func isPlaying(_ track: TrackInfo) -> Bool {
    if case .playing(let current?) = self { current.id == track.id } else { false }
  }

  /// A paused track is the one that goes on, unless it is over: an edit that chooses another one in a pause is
  /// reported before. In silence, any track can begin.
  private func canPlay(_ track: TrackInfo?) -> Bool {
    switch self {
    case .idle: track == nil
    case .preparing, .preparingCrossfade, .playing, .crossfading, .fadingOut: true
    case .paused(let paused?, _): track == nil || paused.id == track?.id
    case .paused(nil, _): true
    case .crossfadePaused, .finished, .failed: false
    }
  }

  /// While something plays, a crossfade can begin at any time, because the listener can navigate at any time. The
  /// progress of one crossfade never decreases.
  private func canCrossfade(_ from: TrackInfo, _ to: TrackInfo, _ progress: Double) -> Bool {
    switch self {
    case .playing, .preparingCrossfade, .fadingOut: true
    case .paused(let track, _): track.map { $0.id == from.id || $0.id == to.id } ?? false
    case .crossfading(let old, let other, _):
      old.id != from.id || other.id != to.id || isCrossfade(from, to, upTo: progress)
    case .crossfadePaused: isCrossfade(from, to, upTo: progress)
    case .idle, .preparing, .finished, .failed: false
    }
  }

  private func canPause(_ track: TrackInfo?) -> Bool {
    switch self {
    // A crossfade is left in a pause for one of its tracks, or by a navigation for any.
    case .paused, .crossfading, .crossfadePaused, .preparingCrossfade, .playing, .fadingOut, .preparing: true
    case .idle, .finished, .failed: false
    }
  }

  /// Whether this is the same crossfade, running or paused, at most as far as `progress`.
  private func isCrossfade(_ from: TrackInfo, _ to: TrackInfo, upTo progress: Double) -> Bool {
    guard let current = currentTrack, let next = nextTrack, let now = self.progress else { return false }
    return current.id == from.id && next.id == to.id && now <= progress
  }
}

extension PlayerState {
  /// The reason why a state is invalid, in one sentence.
  package enum Defect: Sendable, Hashable, CustomStringConvertible {
    case sameTrackTwice(title: String)
    case progress(Double)
    case position(Double)
    case duration(Double)

    package var description: String {
      switch self {
      case .sameTrackTwice(let title): "one playback of '\(title)' can't be crossfaded into itself"
      case .progress(let progress): "progress \(progress) is outside 0…1"
      case .position(let position): "a track can't be paused at \(position) s; positions start at 0"
      case .duration(let duration): "a fade-out can't take \(duration) s"
      }
    }
  }

  /// The first invalid associated value; nil if the state is valid.
  package var defect: Defect? {
    switch self {
    case .idle, .preparing, .playing, .finished, .failed: nil
    case .preparingCrossfade(let current, let next): Self.pairDefect(current, next)
    case .crossfading(let from, let to, let progress), .crossfadePaused(let from, let to, let progress, _, _):
      (0...1).contains(progress) ? Self.pairDefect(from, to) : .progress(progress)
    case .paused(_, let position): 0 <= position && position.isFinite ? nil : .position(position)
    case .fadingOut(_, let duration): 0 <= duration && duration.isFinite ? nil : .duration(duration)
    }
  }

  private static func pairDefect(_ first: TrackInfo, _ second: TrackInfo) -> Defect? {
    first.id == second.id ? .sameTrackTwice(title: first.title) : nil
  }

  /// Why `next` can't follow; nil if it can.
  package func refusal(of next: PlayerState) -> RefusedTransition? {
    if next == self { return nil }
    if let defect = next.defect { return .invalid(next, defect) }
    return canBecome(next) ? nil : .notAllowed(from: self, to: next)
  }
}

/// The reason why a state was refused, in one sentence.
package enum RefusedTransition: Error, Sendable, Equatable, CustomStringConvertible {
  case notAllowed(from: PlayerState, to: PlayerState)
  case invalid(PlayerState, PlayerState.Defect)

  package var description: String {
    switch self {
    case .notAllowed(let old, let new): "'\(old)' can't become '\(new)'"
    case .invalid(let state, let defect): "'\(state)' is not a valid state: \(defect)"
    }
  }
}

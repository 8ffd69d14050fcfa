package import Schedule

/// The state of the music: one case for each situation that a listener can hear or wait for.
///
/// The enum is indirect, so that a copy is one reference: states are copied up to ten times a second for every reader.
package indirect enum PlayerState: Sendable, Equatable {
  /// Nothing is loaded.
  case idle
  /// The first track is being opened.
  case preparing(track: TrackInfo)
  /// `current` plays while `next` is being opened.
  case preparingCrossfade(current: TrackInfo, next: TrackInfo)
  /// `track` is nil while a stage is silent.
  case playing(track: TrackInfo?)
  /// Both tracks play; `progress` increases from 0 to 1.
  case crossfading(from: TrackInfo, to: TrackInfo, progress: Double)
  /// `position`: position in the track in seconds.
  case paused(track: TrackInfo?, position: Double)
  /// A paused crossfade, with the values that it needs to resume.
  case crossfadePaused(
    from: TrackInfo, to: TrackInfo, progress: Double, strategy: ResumeStrategy, snapshot: CrossfadePauseSnapshot)
  /// The music fades to silence. `duration`: length of the fade in seconds.
  case fadingOut(track: TrackInfo?, duration: Double)
  case finished
  case failed(AudioPlayerError)
}

extension PlayerState {
  /// The ten states without their associated values.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case idle, preparing, preparingCrossfade, playing, crossfading, paused, crossfadePaused, fadingOut, finished, failed
  }

  package var kind: Kind {
    switch self {
    case .idle: .idle
    case .preparing: .preparing
    case .preparingCrossfade: .preparingCrossfade
    case .playing: .playing
    case .crossfading: .crossfading
    case .paused: .paused
    case .crossfadePaused: .crossfadePaused
    case .fadingOut: .fadingOut
    case .finished: .finished
    case .failed: .failed
    }
  }

  /// The name in events and scripts.
  package var name: String { kind.rawValue }

  /// The track that plays or is about to play; during a crossfade the outgoing track.
  package var currentTrack: TrackInfo? {
    switch self {
    case .idle, .finished, .failed: nil
    case .preparing(let track): track
    case .preparingCrossfade(let current, _): current
    case .playing(let track), .paused(let track, _), .fadingOut(let track, _): track
    case .crossfading(let from, _, _), .crossfadePaused(let from, _, _, _, _): from
    }
  }

  /// The incoming track of a crossfade, including one that is being prepared.
  package var nextTrack: TrackInfo? {
    switch self {
    case .preparingCrossfade(_, let next): next
    case .crossfading(_, let to, _), .crossfadePaused(_, let to, _, _, _): to
    default: nil
    }
  }

  /// Progress of a running or paused crossfade, 0…1; nil in other states.
  package var progress: Double? {
    switch self {
    case .crossfading(_, _, let progress), .crossfadePaused(_, _, let progress, _, _): progress
    default: nil
    }
  }
}

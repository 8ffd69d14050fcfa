public import Schedule

/// What the music does: one case for each thing that a listener can hear or wait for.
///
/// A state may be copied ten times a second to any number of readers, so all of it is behind one reference.
public indirect enum PlayerState: Sendable, Equatable {
  /// Nothing is loaded.
  case idle
  /// The first track is being opened.
  case preparing(track: TrackInfo)
  /// `current` sounds while `next` is being opened.
  case preparingCrossfade(current: TrackInfo, next: TrackInfo)
  /// Nil while a stage is silent.
  case playing(track: TrackInfo?)
  /// Both sound; `progress` runs from 0 to 1.
  case crossfading(from: TrackInfo, to: TrackInfo, progress: Double)
  /// `position`: seconds into the track.
  case paused(track: TrackInfo?, position: Double)
  /// A crossfade that stands still, with what it takes to go on.
  case crossfadePaused(
    from: TrackInfo, to: TrackInfo, progress: Double, strategy: ResumeStrategy, snapshot: CrossfadePauseSnapshot)
  /// On the way to silence, for `duration` seconds from the fade's first frame to its last.
  case fadingOut(track: TrackInfo?, duration: Double)
  case finished
  /// `recoverable`: trying again may help.
  case failed(error: AudioPlayerError, recoverable: Bool)
}

extension PlayerState {
  /// The ten names, without what the states carry.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case idle, preparing, preparingCrossfade, playing, crossfading, paused, crossfadePaused, fadingOut, finished, failed
  }

  public var kind: Kind {
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

  /// As events and scripts write it.
  public var name: String { kind.rawValue }

  /// What sounds, or is about to; of a crossfade the track that is on its way out.
  public var currentTrack: TrackInfo? {
    switch self {
    case .idle, .finished, .failed: nil
    case .preparing(let track): track
    case .preparingCrossfade(let current, _): current
    case .playing(let track), .paused(let track, _), .fadingOut(let track, _): track
    case .crossfading(let from, _, _), .crossfadePaused(let from, _, _, _, _): from
    }
  }

  /// What a crossfade leads to, also one that is still being prepared.
  public var nextTrack: TrackInfo? {
    switch self {
    case .preparingCrossfade(_, let next): next
    case .crossfading(_, let to, _), .crossfadePaused(_, let to, _, _, _): to
    default: nil
    }
  }

  /// 0…1 of the crossfade under way or paused.
  public var progress: Double? {
    switch self {
    case .crossfading(_, _, let progress), .crossfadePaused(_, _, let progress, _, _): progress
    default: nil
    }
  }
}

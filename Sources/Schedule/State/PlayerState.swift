/// The state of the music: one case for each situation that a listener can hear or wait for.
///
/// The enum is indirect, so that a copy is one reference: states are copied up to ten times a second for every reader.
public indirect enum PlayerState: Sendable, Hashable {
  /// Nothing is loaded.
  case idle
  /// The first track is being opened.
  case preparing(track: TrackInfo)
  /// `current` plays while `next` is being opened.
  case preparingCrossfade(current: TrackInfo, next: TrackInfo)
  /// A track plays; nil while a stage is silent.
  case playing(track: TrackInfo?)
  /// Both tracks play; `progress` increases from 0 to 1.
  case crossfading(from: TrackInfo, to: TrackInfo, progress: Double)
  /// The music is paused; `position` is the position in the track, in seconds.
  case paused(track: TrackInfo?, position: Double)
  /// A crossfade is paused at its `progress`; `strategy` is how it continues.
  case crossfadePaused(
    from: TrackInfo, to: TrackInfo, progress: Double, strategy: ResumeStrategy, snapshot: CrossfadePauseSnapshot)
  /// The music fades to silence within `duration` seconds.
  case fadingOut(track: TrackInfo?, duration: Double)
  /// The session has ended.
  case finished
  /// The session can't continue. ``PlayerError/isRecoverable`` states whether another attempt may succeed.
  case failed(PlayerError)
}

extension PlayerState {
  /// The ten states without their values. The names are those of events and scripts.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// See ``PlayerState/idle``.
    case idle
    /// See ``PlayerState/preparing(track:)``.
    case preparing
    /// See ``PlayerState/preparingCrossfade(current:next:)``.
    case preparingCrossfade
    /// See ``PlayerState/playing(track:)``.
    case playing
    /// See ``PlayerState/crossfading(from:to:progress:)``.
    case crossfading
    /// See ``PlayerState/paused(track:position:)``.
    case paused
    /// See ``PlayerState/crossfadePaused(from:to:progress:strategy:snapshot:)``.
    case crossfadePaused
    /// See ``PlayerState/fadingOut(track:duration:)``.
    case fadingOut
    /// See ``PlayerState/finished``.
    case finished
    /// See ``PlayerState/failed(_:)``.
    case failed
  }

  /// The state without its values.
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

  /// The name in events and scripts.
  package var name: String { kind.rawValue }

  /// The track that plays or is about to play; during a crossfade the outgoing track.
  public var currentTrack: TrackInfo? {
    switch self {
    case .idle, .finished, .failed: nil
    case .preparing(let track): track
    case .preparingCrossfade(let current, _): current
    case .playing(let track), .paused(let track, _), .fadingOut(let track, _): track
    case .crossfading(let from, _, _), .crossfadePaused(let from, _, _, _, _): from
    }
  }

  /// The incoming track of a crossfade, including one that is being prepared.
  public var nextTrack: TrackInfo? {
    switch self {
    case .preparingCrossfade(_, let next): next
    case .crossfading(_, let to, _), .crossfadePaused(_, let to, _, _, _): to
    case .idle, .preparing, .playing, .paused, .fadingOut, .finished, .failed: nil
    }
  }

  /// Progress of a running or paused crossfade, 0…1; nil in other states.
  public var progress: Double? {
    switch self {
    case .crossfading(_, _, let progress), .crossfadePaused(_, _, let progress, _, _): progress
    case .idle, .preparing, .preparingCrossfade, .playing, .paused, .fadingOut, .finished, .failed: nil
    }
  }

  /// Whether at least half of a crossfade is complete, so that its rest can be shortened.
  public var canQuickFinish: Bool { progress.map { ResumeStrategy.threshold <= $0 } ?? false }

  /// How a paused crossfade continues; a stale one is always finished quickly. Nil if no crossfade is paused.
  ///
  /// - Parameter now: seconds on the snapshot's clock.
  package func resumption(at now: Double) -> ResumeStrategy? {
    guard case .crossfadePaused(_, _, _, let strategy, let snapshot) = self else { return nil }
    return snapshot.isStale(at: now) ? .quickFinish : strategy
  }
}

extension PlayerState.Kind {
  /// Whether music is heard, or would be if the stage were not silent.
  package var isAudible: Bool {
    switch self {
    case .playing, .preparingCrossfade, .crossfading, .fadingOut: true
    case .idle, .preparing, .paused, .crossfadePaused, .finished, .failed: false
    }
  }

  /// Whether the music is paused, so that `resume` has an effect.
  package var isPaused: Bool { self == .paused || self == .crossfadePaused }

  /// What a listener can do in this state, as far as the session has a place to go to: see `PlayerStatus.actions`.
  public var actions: [PlayerAction] {
    let excluded: Set<PlayerAction>
    switch self {
    case .idle, .preparing: excluded = [.resume, .seek]
    case .playing, .preparingCrossfade, .crossfading, .fadingOut: excluded = [.resume]
    case .paused, .crossfadePaused: excluded = [.pause]
    case .finished, .failed: return []
    }
    return PlayerAction.allCases.filter { !excluded.contains($0) }
  }
}

/// Something that a listener can do with a player. The names are those of the commands.
public enum PlayerAction: String, Sendable, Hashable, CaseIterable {
  /// Pauses the session.
  case pause
  /// Resumes it.
  case resume
  /// Pauses or resumes it.
  case toggle
  /// Goes to the next track.
  case next
  /// Goes to the previous track.
  case previous
  /// Moves within the track.
  case seek
  /// Goes to the next stage.
  case nextStage
  /// Goes to the previous stage.
  case previousStage
  /// Moves the end of the stage.
  case extend
  /// Reads the session file again.
  case reload
  /// Strikes a gong.
  case gong
  /// Changes a volume.
  case volume
  /// Ends the session with a fade.
  case finish
  /// Ends it at once.
  case stop
  /// Ends the load that holds up a command.
  case cancel
}

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

import Player
import Schedule
import Sounds

/// The state of the music: one case for each situation that a listener can hear or wait for.
public indirect enum PlayerState: Sendable, Hashable {
  /// Nothing is loaded.
  case idle
  /// The first track is being opened.
  case preparing(track: TrackInfo)
  /// `current` plays while `next` is being opened.
  case preparingCrossfade(current: TrackInfo, next: TrackInfo)
  /// A track plays; nil in a stage without music.
  case playing(track: TrackInfo?)
  /// Both tracks play; `progress` increases from 0 to 1.
  case crossfading(from: TrackInfo, to: TrackInfo, progress: Double)
  /// The session is paused; `position` is the position in the track, in seconds.
  case paused(track: TrackInfo?, position: Double)
  /// The session is paused during a crossfade, at its `progress`.
  case crossfadePaused(from: TrackInfo, to: TrackInfo, progress: Double, strategy: ResumeStrategy)
  /// The music fades to silence within `duration` seconds.
  case fadingOut(track: TrackInfo?, duration: Double)
  /// The session has ended.
  case finished
  /// The session can't continue. ``PlayerError/isRecoverable`` states whether another attempt may succeed.
  case failed(PlayerError)

  /// The name of a state in events and scripts.
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
    /// See ``PlayerState/crossfadePaused(from:to:progress:strategy:)``.
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

  init(_ state: Player.PlayerState) {
    self =
      switch state {
      case .idle: .idle
      case .preparing(let track): .preparing(track: TrackInfo(track))
      case .preparingCrossfade(let current, let next):
        .preparingCrossfade(current: TrackInfo(current), next: TrackInfo(next))
      case .playing(let track): .playing(track: track.map { TrackInfo($0) })
      case .crossfading(let from, let to, let progress):
        .crossfading(from: TrackInfo(from), to: TrackInfo(to), progress: progress)
      case .paused(let track, let position): .paused(track: track.map { TrackInfo($0) }, position: position)
      case .crossfadePaused(let from, let to, let progress, let strategy, _):
        .crossfadePaused(
          from: TrackInfo(from), to: TrackInfo(to), progress: progress, strategy: .init(named: strategy.rawValue))
      case .fadingOut(let track, let duration): .fadingOut(track: track.map { TrackInfo($0) }, duration: duration)
      case .finished: .finished
      case .failed(let error): .failed(PlayerError(error))
      }
  }
}

/// How a paused crossfade continues.
public enum ResumeStrategy: String, Sendable, Hashable {
  /// The rest takes as long as it would have taken without the pause.
  case continueFromProgress
  /// The rest takes at most one second. It applies if at least half of the crossfade was complete, or if the pause was
  /// longer than five minutes.
  case quickFinish

  /// The strategy with a name, which is one of the two.
  init(named name: String) { self = Self(rawValue: name) ?? .continueFromProgress }
}

import Player
import Sounds

/// The state and position of a player at one moment. All times are seconds.
public struct PlayerStatus: Sendable, CustomStringConvertible {
  private let base: Player.PlayerStatus

  init(_ status: Player.PlayerStatus) { base = status }

  /// The title of the session.
  public var title: String { base.title }
  /// Time since the player started, pauses included. When rendering to a file, it counts rendered frames.
  public var runTime: Double { base.moment.run }
  /// The part of the session that has been heard.
  public var sessionTime: Double { base.moment.session }
  /// The length of the session; nil while an open stage makes it unknown.
  public var duration: Double? { base.duration }
  /// The name of the state.
  public var state: PlayerState.Kind { PlayerState.Kind(rawValue: base.moment.state) ?? .idle }
  /// The progress of a running or paused crossfade, 0 to 1; nil without one.
  public var progress: Double? { base.moment.progress }
  /// The name of the stage; nil before the first one.
  public var stage: String? { base.moment.stage }
  /// The title of the track; nil in silence.
  public var track: String? { base.moment.track }
  /// The index of the track in the stage's playlist, from 0; nil in silence.
  public var trackIndex: Int? { base.moment.trackIndex }
  /// The position in the track; nil in silence.
  public var position: Double? { base.moment.position }
  /// The length of the track; nil in silence, and for a sound without an end.
  public var trackDuration: Double? { base.trackDuration }
  /// The track that ``Command/next`` would lead to; nil if there is none.
  public var next: PlaylistTrack? { base.next.map { PlaylistTrack($0) } }
  /// The titles of the overlays that play.
  public var overlays: [String] { base.overlays.playing }
  /// The titles of the overlays that the listener has paused.
  public var pausedOverlays: [String] { base.overlays.paused }
  /// The master volume, linear, 0 to 1.
  public var volume: Double { base.moment.volume }
  /// Whether the listener has paused the music alone.
  public var isMusicPaused: Bool { base.isMusicPaused }
  /// Whether the session is silent because the sound server or the device is lost.
  public var isOutputLost: Bool { base.isOutputLost }

  /// The status as a JSON object on one line, as `prosper ctl status --json` prints it.
  public var description: String { base.json().description }
}

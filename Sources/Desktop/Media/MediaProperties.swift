import Schedule
import MessageBus
import Player
import Sounds

/// The properties of the interface `org.mpris.MediaPlayer2.Player`, derived from the player's status.
///
/// The position is not included: it changes all the time, so it is read when a program asks for it.
struct MediaProperties: Hashable {
  enum Status: String {
    case playing = "Playing"
    case paused = "Paused"
    case stopped = "Stopped"
  }

  let status: Status
  let metadata: [String: BusValue]
  /// The master volume, during a fade its target: 0…1, with three decimals as in events.
  let volume: Double
  let canGoNext: Bool
  let canGoPrevious: Bool
  let canSeek: Bool
  /// Whether `play` and `pause` have an effect.
  let canPause: Bool

  /// - Parameter art: the address of the track's picture; nil if it has none.
  init(_ player: PlayerStatus, art: String? = nil) {
    status = Status(player)
    metadata = status == .stopped ? [:] : Self.metadata(of: player, art)
    volume = (player.volumeTarget * 1_000).rounded() / 1_000
    let abilities = status == .stopped ? PlayerAbilities() : player.abilities
    canGoNext = abilities.hasNext
    canGoPrevious = abilities.hasPrevious
    canSeek = abilities.canSeek
    canPause = abilities.takesCommands
  }

  /// All properties with their names in D-Bus, except for the position.
  var values: [String: BusValue] {
    [
      "PlaybackStatus": .string(status.rawValue), "Rate": .double(1), "MinimumRate": .double(1),
      "MaximumRate": .double(1), "Metadata": .dictionary(metadata), "Volume": .double(volume),
      "CanGoNext": .bool(canGoNext), "CanGoPrevious": .bool(canGoPrevious), "CanPlay": .bool(canPause),
      "CanPause": .bool(canPause), "CanSeek": .bool(canSeek), "CanControl": .bool(true),
    ]
  }

  /// The properties whose values differ from `earlier`.
  func changes(since earlier: MediaProperties) -> [String: BusValue] {
    let old = earlier.values
    return values.filter { $0.value != old[$0.key] }
  }
}

extension MediaProperties.Status {
  init(_ player: PlayerStatus) {
    switch PlayerState.Kind(rawValue: player.moment.state) {
    case .preparing, .preparingCrossfade, .playing, .crossfading, .fadingOut:
      self = player.isMusicPaused ? .paused : .playing
    case .paused, .crossfadePaused: self = .paused
    case .idle, .finished, .failed, nil: self = .stopped
    }
  }
}

extension MediaProperties {
  /// The current track. In a stage without music, the name of the stage is the title.
  private static func metadata(of player: PlayerStatus, _ art: String?) -> [String: BusValue] {
    var entries: [String: BusValue] = [
      "mpris:trackid": .path(trackPath(of: player)), "xesam:album": .string(player.title),
      "xesam:title": .string(player.tags.title ?? player.moment.track ?? player.moment.stage ?? player.title),
    ]
    guard player.trackID != nil else { return entries }
    if let index = player.moment.trackIndex { entries["xesam:trackNumber"] = .int32(Int32(clamping: index + 1)) }
    if let seconds = player.trackDuration { entries["mpris:length"] = .int64(microseconds(seconds)) }
    if let art { entries["mpris:artUrl"] = .string(art) }
    if let artist = player.tags.artist { entries["xesam:artist"] = .strings([artist]) }
    return entries
  }

  /// The value of `mpris:trackid`, which is different each time a track is played.
  static func trackPath(of player: PlayerStatus) -> String {
    player.trackID.map { "/prosper/track/\($0)" } ?? "/prosper/silence"
  }

  /// The position in the track in microseconds; 0 without a track.
  static func position(of player: PlayerStatus) -> BusValue { .int64(microseconds(player.moment.position ?? 0)) }

  static func microseconds(_ seconds: Double) -> Int64 { Int64(exactly: (seconds * 1e6).rounded()) ?? 0 }
}

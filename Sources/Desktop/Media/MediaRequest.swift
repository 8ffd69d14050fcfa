import MessageBus
import Player
import Schedule
import Signal

/// A call of another program to the media player object, converted to what prosper does.
enum MediaRequest: Hashable {
  /// Return the description of the object.
  case introspect
  case get(interface: String, property: String)
  case getAll(interface: String)
  /// Execute a command of the player.
  case perform(Command)
  /// Succeed without an effect, as MPRIS requires for a command that is not possible now.
  case ignore
  case refuse(MediaError)

  static let root = "org.mpris.MediaPlayer2"
  static let player = "org.mpris.MediaPlayer2.Player"
  private static let properties = "org.freedesktop.DBus.Properties"
  private static let introspectable = "org.freedesktop.DBus.Introspectable"

  /// Returns nil if the object has no such method.
  ///
  /// - Parameters:
  ///   - arguments: nil if they can't be read.
  ///   - status: the last known status of the player.
  init?(_ method: String, of interface: String, _ arguments: [BusValue]?, status: PlayerStatus) {
    switch (interface, method) {
    case (Self.introspectable, "Introspect"): self = .introspect
    case (Self.properties, _):
      guard let request = Self.property(method, arguments ?? []) else { return nil }
      self = request
    case (Self.root, "Raise"): self = .ignore
    case (Self.root, "Quit"): self = .perform(.finish(fade: 3))
    case (Self.player, _):
      guard let request = Self.control(method, arguments ?? [], status) else { return nil }
      self = request
    default: return nil
    }
  }
}

extension MediaRequest {
  private static func property(_ method: String, _ arguments: [BusValue]) -> MediaRequest? {
    let second = arguments.dropFirst().first
    guard ["Get", "GetAll", "Set"].contains(method) else { return nil }
    guard case .string(let interface)? = arguments.first else { return .refuse(.arguments(method)) }
    return switch (method, second, arguments.dropFirst(2).first) {
    case ("Get", .string(let name)?, nil): .get(interface: interface, property: name)
    case ("GetAll", nil, nil): .getAll(interface: interface)
    case ("Set", .string(let name)?, .variant(let value)?):
      interface == player ? set(name, to: value) : .refuse(.readOnly(name))
    default: .refuse(.arguments(method))
    }
  }

  private static func set(_ name: String, to value: BusValue) -> MediaRequest {
    switch (name, value) {
    case ("Volume", .double(let volume)) where !volume.isNaN:
      .perform(.volume(Gain(linear: Float(min(1, max(0, volume)))), over: 0))
    // prosper plays at rate 1 only. MPRIS requires that the rate 0 pauses.
    case ("Rate", .double(let rate)): rate == 0 ? .perform(.pause) : .ignore
    case ("Volume", _), ("Rate", _): .refuse(.arguments("Set"))
    default: .refuse(.readOnly(name))
    }
  }

  private static func control(_ method: String, _ arguments: [BusValue], _ status: PlayerStatus) -> MediaRequest? {
    let can = MediaProperties(status)
    return switch (method, arguments.first, arguments.dropFirst().first) {
    case ("Play", _, _): can.canPause ? .perform(.play) : .ignore
    case ("Pause", _, _): can.canPause ? .perform(.pause) : .ignore
    case ("PlayPause", _, _): can.canPause ? .perform(.toggle) : .ignore
    case ("Stop", _, _): .perform(.stop)
    case ("Next", _, _): can.canGoNext ? .perform(.next) : .ignore
    case ("Previous", _, _): can.canGoPrevious ? .perform(.previous) : .ignore
    case ("Seek", .int64(let offset)?, nil): can.canSeek ? .perform(.seek(.by(seconds(offset)))) : .ignore
    case ("SetPosition", .path(let track)?, .int64(let position)?): seek(to: position, in: track, status)
    case ("OpenUri", _, _): .refuse(.noUris)
    case ("Seek", _, _), ("SetPosition", _, _): .refuse(.arguments(method))
    default: nil
    }
  }

  /// MPRIS requires that a position outside the track, or in a track that has ended meanwhile, has no effect.
  private static func seek(to position: Int64, in track: String, _ status: PlayerStatus) -> MediaRequest {
    let can = MediaProperties(status).canSeek
    guard can, track == MediaProperties.trackPath(of: status), 0 <= position else { return .ignore }
    if let length = status.trackDuration, length < seconds(position) { return .ignore }
    return .perform(.seek(.to(seconds(position))))
  }

  /// Converts to seconds, limited to the maximum length of a session, a week.
  private static func seconds(_ microseconds: Int64) -> Double {
    let week = Programme.maximumSeconds
    return min(week, max(-week, Double(microseconds) / 1e6))
  }
}

/// The reason why a call is refused.
enum MediaError: Error, Hashable {
  case arguments(String)
  case readOnly(String)
  case unknown(property: String)
  case noUris
  /// The player has refused the command.
  case rejected(String)

  /// The name for programs.
  var name: String {
    switch self {
    case .arguments: "org.freedesktop.DBus.Error.InvalidArgs"
    case .readOnly: "org.freedesktop.DBus.Error.PropertyReadOnly"
    case .unknown: "org.freedesktop.DBus.Error.UnknownProperty"
    case .noUris: "org.freedesktop.DBus.Error.NotSupported"
    case .rejected: "org.mpris.MediaPlayer2.prosper.Rejected"
    }
  }

  /// One sentence for people.
  var text: String {
    switch self {
    case .arguments(let method): "the arguments of \(method) have other types than the MPRIS specification states"
    case .readOnly(let name): "the property \(name) can't be set; Volume can"
    case .unknown(let name): "there is no property \(name)"
    case .noUris: "prosper can't open a file while a session plays; start another player for it"
    case .rejected(let reason): reason
    }
  }
}

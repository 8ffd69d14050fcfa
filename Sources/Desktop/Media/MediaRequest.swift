import MessageBus
import Player
import Schedule
import Signal

/// What another program wants from the player, read from its call. A value without side effects.
enum MediaRequest: Hashable {
  /// Describes the object.
  case introspect
  case get(interface: String, property: String)
  case getAll(interface: String)
  /// A command for the player.
  case perform(Command)
  /// The call has no effect now, as the specification demands of a command that is not possible.
  case nothing
  case refuse(MediaError)

  static let root = "org.mpris.MediaPlayer2"
  static let player = "org.mpris.MediaPlayer2.Player"
  private static let properties = "org.freedesktop.DBus.Properties"
  private static let introspectable = "org.freedesktop.DBus.Introspectable"

  /// Nil if the object has no such method.
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
    case (Self.root, "Raise"): self = .nothing
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
    // prosper has one rate. The specification asks to pause for 0.
    case ("Rate", .double(let rate)): rate == 0 ? .perform(.pause) : .nothing
    case ("Volume", _), ("Rate", _): .refuse(.arguments("Set"))
    default: .refuse(.readOnly(name))
    }
  }

  private static func control(_ method: String, _ arguments: [BusValue], _ status: PlayerStatus) -> MediaRequest? {
    let can = MediaProperties(status)
    return switch (method, arguments.first, arguments.dropFirst().first) {
    case ("Play", _, _): can.canPause ? .perform(.play) : .nothing
    case ("Pause", _, _): can.canPause ? .perform(.pause) : .nothing
    case ("PlayPause", _, _): can.canPause ? .perform(.toggle) : .nothing
    case ("Stop", _, _): .perform(.stop)
    case ("Next", _, _): can.canGoNext ? .perform(.next) : .nothing
    case ("Previous", _, _): can.canGoPrevious ? .perform(.previous) : .nothing
    case ("Seek", .int64(let offset)?, nil): can.canSeek ? .perform(.seek(.by(seconds(offset)))) : .nothing
    case ("SetPosition", .path(let track)?, .int64(let position)?): go(to: position, in: track, status)
    case ("OpenUri", _, _): .refuse(.noUris)
    case ("Seek", _, _), ("SetPosition", _, _): .refuse(.arguments(method))
    default: nil
    }
  }

  /// A position outside the track, and one in a track that has ended meanwhile, have no effect.
  private static func go(to position: Int64, in track: String, _ status: PlayerStatus) -> MediaRequest {
    let can = MediaProperties(status).canSeek
    guard can, track == MediaProperties.trackPath(of: status), 0 <= position else { return .nothing }
    if let length = status.trackDuration, length < seconds(position) { return .nothing }
    return .perform(.seek(.to(seconds(position))))
  }

  /// Seconds, limited to the length of the longest session.
  private static func seconds(_ microseconds: Int64) -> Double {
    let week = 168.0 * 3_600
    return min(week, max(-week, Double(microseconds) / 1e6))
  }
}

/// Why a call is refused.
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
    case .arguments(let method): "the arguments of \(method) are not those of the MPRIS specification"
    case .readOnly(let name): "the property \(name) can't be set; Volume can"
    case .unknown(let name): "there is no property \(name)"
    case .noUris: "a session that plays opens no other sounds; start another player with 'prosper play FILE'"
    case .rejected(let reason): reason
    }
  }
}

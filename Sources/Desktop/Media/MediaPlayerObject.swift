import MessageBus
import Player
import Schedule
import Sounds

/// Presents the player to the desktop as a media player (MPRIS 2.2), and executes the commands of media keys and
/// applets.
///
/// Only the bus thread uses it. It never waits for the player: calls that need the player are answered later.
final class MediaPlayerObject {
  static let path = "/org/mpris/MediaPlayer2"

  private let bus: BusConnection
  private let player: any PlayerControl
  /// Passes an answer to `finish`. Called from any thread.
  private let deliver: @Sendable (MediaAnswer) -> Void
  private var object: BusObject?
  private var nameRequest: BusCall?
  /// The last known status, and the properties that other programs know.
  private var status: PlayerStatus
  private var announced: MediaProperties
  private var jump = PositionJump()
  private let art: TrackArt
  /// The calls that have not been answered yet, by number.
  private var pending: [Int: (call: BusRequest, request: MediaRequest)] = [:]
  private var lastNumber = 0

  /// - Parameter process: the process ID, a part of the player's name on the bus.
  init(
    of player: any PlayerControl, on bus: BusConnection, process: Int32, art: TrackArt,
    deliver: @escaping @Sendable (MediaAnswer) -> Void
  ) {
    (self.bus, self.player, self.art, self.deliver) = (bus, player, art, deliver)
    status = player.status
    announced = MediaProperties(status)
    object = BusObject(at: Self.path, on: bus) { [unowned self] in handle($0) }
    requestName("\(MediaRequest.root).prosper.instance\(process)")
  }

  /// Asks the bus for the name by which the desktop finds the player. In a container, another player can have the same
  /// process ID; the name then gets a number.
  private func requestName(_ base: String, attempt: Int = 1) {
    let bus = BusMember(
      "RequestName", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", in: "org.freedesktop.DBus")
    // 4 is DBUS_NAME_FLAG_DO_NOT_QUEUE: if the name is taken, the reply is 3 (EXISTS), and the next name is tried.
    let arguments = [BusValue.string(attempt == 1 ? base : "\(base)_\(attempt)"), .uint32(4)]
    nameRequest = self.bus.call(bus, arguments) { [unowned self] reply in
      nameRequest = nil
      if reply.first == .uint32(3), attempt < 100 { requestName(base, attempt: attempt + 1) }
    }
  }

  /// Receives a new status of the player, and emits signals for what has changed.
  ///
  /// - Parameter hasJumped: whether the position must be announced in any case, as after an outage of the output.
  func update(_ new: PlayerStatus, hasJumped: Bool = false) {
    // Several tasks read the status, and an older one can arrive last.
    guard status.moment.run <= new.moment.run else { return }
    status = new
    art.show(new.origin)
    let properties = MediaProperties(new, art: art.url)
    let changes = properties.changes(since: announced)
    announced = properties
    if !changes.isEmpty {
      bus.emit(
        "PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: Self.path,
        [.string(MediaRequest.player), .dictionary(changes), .strings([])])
    }
    if jump.update(new) || hasJumped {
      bus.emit("Seeked", of: MediaRequest.player, at: Self.path, [MediaProperties.position(of: new)])
    }
  }

  /// Announces the picture of a track that has been found.
  func update(_ found: TrackArt.Found) {
    art.update(found)
    update(status)
  }

  /// Answers a call after its command has ended and the status has been read.
  func finish(_ answer: MediaAnswer) {
    update(answer.status)
    guard let (call, request) = pending.removeValue(forKey: answer.number) else { return }
    switch request {
    case .get, .getAll: reply(to: call, request)
    default:
      if let error = answer.error { call.fail(error.name, error.text) } else { call.reply() }
    }
  }

  /// Handles a call; returns false if the object has no such method.
  private func handle(_ call: BusRequest) -> Bool {
    let request = MediaRequest(call.method, of: call.interface, call.arguments, status: status)
    guard let request else { return false }
    switch request {
    case .introspect: call.reply([.string(MediaDescription.text)])
    case .ignore: call.reply()
    case .refuse(let error): call.fail(error.name, error.text)
    case .get(MediaRequest.root, _), .getAll(MediaRequest.root): reply(to: call, request)
    case .get, .getAll: replyLater(call, request, nil)
    case .perform(let command): replyLater(call, request, command)
    }
    return true
  }

  /// Executes the command, if there is one, reads the status, and then answers the call. `Task.immediate` passes the
  /// command to the player before the next call is read, so that commands keep their order.
  private func replyLater(_ call: BusRequest, _ request: MediaRequest, _ command: Command?) {
    lastNumber += 1
    pending[lastNumber] = (call, request)
    Task.immediate { [player, deliver, number = lastNumber] in
      let outcome = if let command { await player.perform(command) } else { CommandOutcome.done }
      deliver(MediaAnswer(number: number, outcome: outcome, status: await player.currentStatus()))
    }
  }

  private func reply(to call: BusRequest, _ request: MediaRequest) {
    switch request {
    case .getAll(let interface): call.reply([.dictionary(properties(of: interface))])
    case .get(let interface, let name):
      guard let value = properties(of: interface)[name] else {
        let error = MediaError.unknown(property: name)
        return call.fail(error.name, error.text)
      }
      call.reply([.variant(value)])
    default: call.reply()
    }
  }

  private func properties(of interface: String) -> [String: BusValue] {
    switch interface {
    case MediaRequest.root: MediaDescription.root
    case MediaRequest.player:
      announced.values.merging(["Position": MediaProperties.position(of: status)]) { $1 }
    default: [:]
    }
  }
}

/// The result of a call that is answered later.
struct MediaAnswer: Sendable {
  var number: Int
  var outcome: CommandOutcome
  /// The status after the command.
  var status: PlayerStatus

  /// The reason why the command was not executed; nil if it was, or if the player is as the command wants it.
  var error: MediaError? {
    switch outcome {
    case .done, .coalesced: nil
    case .cancelled(let name): .rejected("'\(name)' cancelled it before it was executed")
    case .rejected(let error): error.code == "noEffect" ? nil : .rejected(error.description)
    }
  }
}

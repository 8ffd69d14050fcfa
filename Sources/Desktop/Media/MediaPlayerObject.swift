import Engine
import MessageBus
import Player

/// Shows the player to the desktop as a media player (MPRIS 2.2), and executes the commands of media keys and applets.
///
/// Only the thread of the bus uses it. It never waits for the player: what takes time is answered later.
final class MediaPlayerObject {
  static let path = "/org/mpris/MediaPlayer2"

  private let bus: BusConnection
  private let player: any PlayerControl
  /// Takes an answer on any thread and brings it to `finish`.
  private let deliver: @Sendable (MediaAnswer) -> Void
  private var object: BusObject?
  private var naming: BusCall?
  /// The last known status, and the properties that were announced with it.
  private var status: PlayerStatus
  private var shown: MediaProperties
  private var jump = PositionJump()
  private let art: TrackArt
  /// Calls that are not answered yet, by number.
  private var waiting: [Int: (call: BusRequest, request: MediaRequest)] = [:]
  private var lastNumber = 0

  /// - Parameter process: identifies this player on the bus.
  init(
    of player: any PlayerControl, on bus: BusConnection, process: Int32, art: TrackArt,
    deliver: @escaping @Sendable (MediaAnswer) -> Void
  ) {
    (self.bus, self.player, self.art, self.deliver) = (bus, player, art, deliver)
    status = player.status
    shown = MediaProperties(status)
    object = BusObject(at: Self.path, on: bus) { [unowned self] in take($0) }
    requestName("\(MediaRequest.root).prosper.instance\(process)")
  }

  /// Asks the bus for the name under which the desktop finds the player. In containers, another player can have the
  /// same process ID; a number is then added.
  private func requestName(_ base: String, attempt: Int = 1) {
    let bus = BusMethod(
      "RequestName", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", in: "org.freedesktop.DBus")
    // Without a place in the queue of those that wait for the name.
    let arguments = [BusValue.string(attempt == 1 ? base : "\(base)_\(attempt)"), .uint32(4)]
    naming = self.bus.call(bus, arguments) { [unowned self] reply in
      naming = nil
      if reply.first == .uint32(3), attempt < 100 { requestName(base, attempt: attempt + 1) }
    }
  }

  /// Takes a new status of the player, and announces what has changed.
  ///
  /// - Parameter hasJumped: whether the position stood still while it seemed to move, as in an outage of the output.
  func update(_ new: PlayerStatus, hasJumped: Bool = false) {
    // Two threads may have read the status, and the later one may have been faster.
    guard status.moment.run <= new.moment.run else { return }
    status = new
    art.follow(new.origin)
    let properties = MediaProperties(new, art: art.url)
    let changes = properties.changes(since: shown)
    shown = properties
    if !changes.isEmpty {
      bus.emit(
        "PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: Self.path,
        [.string(MediaRequest.player), .dictionary(changes), .strings([])])
    }
    if jump.take(new) || hasJumped {
      bus.emit("Seeked", of: MediaRequest.player, at: Self.path, [MediaProperties.position(of: new)])
    }
  }

  /// Takes the picture of a track, and announces it.
  func take(_ found: TrackArt.Found) {
    art.take(found)
    update(status)
  }

  /// Answers a call whose command has ended, or whose status is known now.
  func finish(_ answer: MediaAnswer) {
    update(answer.status)
    guard let (call, request) = waiting.removeValue(forKey: answer.number) else { return }
    switch request {
    case .get, .getAll: reply(to: call, request)
    default:
      if let error = answer.error { call.fail(error.name, error.text) } else { call.reply() }
    }
  }

  /// Takes a call; returns false if the object has no such method.
  private func take(_ call: BusRequest) -> Bool {
    let request = MediaRequest(call.method, of: call.interface, call.arguments, status: status)
    guard let request else { return false }
    switch request {
    case .introspect: call.reply([.string(MediaDescription.text)])
    case .nothing: call.reply()
    case .refuse(let error): call.fail(error.name, error.text)
    case .get(MediaRequest.root, _), .getAll(MediaRequest.root): reply(to: call, request)
    case .get, .getAll: answerLater(call, request, nil)
    case .perform(let command): answerLater(call, request, command)
    }
    return true
  }

  /// Executes a command, if there is one, and reads the status; the call is answered after that. `Task.immediate` hands
  /// the command to the player before the next call is read, so that commands keep their order.
  private func answerLater(_ call: BusRequest, _ request: MediaRequest, _ command: Command?) {
    lastNumber += 1
    waiting[lastNumber] = (call, request)
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
      shown.values.merging(["Position": MediaProperties.position(of: status)]) { $1 }
    default: [:]
    }
  }
}

/// What became of a call that was not answered at once.
struct MediaAnswer: Sendable {
  var number: Int
  var outcome: CommandOutcome
  /// The status after it.
  var status: PlayerStatus

  /// Why the command was not executed; nil if it was.
  var error: MediaError? {
    switch outcome {
    case .done, .coalesced: nil
    case .cancelled(let name): .rejected("'\(name)' cancelled it before it was executed")
    case .rejected(let error): .rejected(error.description)
    }
  }
}

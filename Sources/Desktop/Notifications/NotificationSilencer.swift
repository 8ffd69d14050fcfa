import MessageBus

/// A way in which a desktop lets programs silence its notifications. Only the thread of the bus uses it.
protocol NotificationSilencer: AnyObject {
  /// Whether notifications are to be silenced now.
  var isWanted: Bool { get set }
  /// The program ends in an orderly way, and all that it has sent has reached the bus.
  func end()
}

/// Finds the way in which the desktop lets programs silence its notifications. Only the thread of the bus uses it.
final class SilencerSearch {
  private let bus: BusConnection
  private var inquiry: BusCall?
  /// Receives the result, once; nil if the desktop has no such way.
  private let found: ((any NotificationSilencer)?) -> Void

  /// - Parameter capabilities: what the notification service states that it can do.
  init(on bus: BusConnection, capabilities: [String], found: @escaping ((any NotificationSilencer)?) -> Void) {
    (self.bus, self.found) = (bus, found)
    if capabilities.contains("inhibitions") { found(NotificationInhibition(on: bus)) } else { askForName() }
  }

  /// Other desktops have GNOME's session manager, too, but their notifications ignore it.
  private func askForName() {
    inquiry = bus.call(.notifications("GetServerInformation"), []) { [unowned self] reply in
      if reply.first == .string("gnome-shell") { askForStatus() } else { found(nil) }
    }
    if inquiry == nil { found(nil) }
  }

  private func askForStatus() {
    let get = BusMethod(
      "Get", of: "org.freedesktop.DBus.Properties", at: GnomePresence.path, in: GnomePresence.manager)
    inquiry = bus.call(get, [.string(GnomePresence.interface), .string("status")]) { [unowned self] reply in
      guard case .variant(.uint32(let status))? = reply.first, GnomePresence.canBeRestored else { return found(nil) }
      found(GnomePresence(on: bus, status: status))
    }
    if inquiry == nil { found(nil) }
  }
}

import MessageBus

/// One of the methods by which desktops let programs silence notifications. Only the bus thread uses it.
protocol NotificationSilencer: AnyObject {
  /// Whether notifications should be silenced now. The request is sent when this changes.
  var isActive: Bool { get set }
  /// Called before the program ends normally, when everything that was sent has reached the bus.
  func end()
}

/// Finds the method by which the desktop lets programs silence notifications. Only the bus thread uses it.
final class SilencerSearch {
  private let bus: BusConnection
  private var query: BusCall?
  /// Receives the result, once; nil if the desktop has no such method.
  private let found: ((any NotificationSilencer)?) -> Void

  /// - Parameter capabilities: the reply of the notification service to `GetCapabilities`.
  init(on bus: BusConnection, capabilities: [String], found: @escaping ((any NotificationSilencer)?) -> Void) {
    (self.bus, self.found) = (bus, found)
    if capabilities.contains("inhibitions") { found(NotificationInhibition(on: bus)) } else { askForName() }
  }

  /// Asks whether the desktop is GNOME. Others have GNOME's session manager, too, but their notifications ignore its
  /// status.
  private func askForName() {
    query = bus.call(.notifications("GetServerInformation"), []) { [unowned self] reply in
      if reply.first == .string("gnome-shell") { askForStatus() } else { found(nil) }
    }
    if query == nil { found(nil) }
  }

  private func askForStatus() {
    let get = BusMember(
      "Get", of: "org.freedesktop.DBus.Properties", at: GnomePresence.path, in: GnomePresence.manager)
    query = bus.call(get, [.string(GnomePresence.interface), .string("status")]) { [unowned self] reply in
      guard case .variant(.uint32(let status))? = reply.first, GnomePresence.canBeRestored else { return found(nil) }
      found(GnomePresence(on: bus, status: status))
    }
    if query == nil { found(nil) }
  }
}

import Files
import MessageBus

/// Silences notifications in GNOME, by setting the user's presence status to "busy". GNOME then shows only urgent
/// notifications, and adds the others to its list. Only the bus thread uses it.
///
/// GNOME keeps this status until it is changed or the user logs out, even if the program that set it has ended. A
/// second process therefore restores the status if prosper crashes or is killed.
final class GnomePresence: NotificationSilencer {
  static let manager = "org.gnome.SessionManager"
  static let path = "/org/gnome/SessionManager/Presence"
  static let interface = "org.gnome.SessionManager.Presence"

  private enum Status {
    static let available: UInt32 = 0
    static let busy: UInt32 = 2
    /// Set by GNOME, which later restores the status before it.
    static let idle: UInt32 = 3
  }

  private let bus: BusConnection
  /// The status to restore.
  private let previousStatus: UInt32
  private var restorer: RestoringProcess?

  var isActive = false {
    didSet {
      guard isActive != oldValue, previousStatus != Status.busy else { return }
      if isActive { silence() } else { set(previousStatus) }
    }
  }

  /// - Parameter status: the current status.
  init(on bus: BusConnection, status: UInt32) {
    self.bus = bus
    previousStatus = status == Status.idle ? Status.available : status
  }

  private func silence() {
    restorer = restorer ?? RestoringProcess(Self.command(previousStatus))
    // Without it, a crash would silence the desktop until the user logs out.
    if restorer != nil { set(Status.busy) }
  }

  private func set(_ status: UInt32) {
    bus.send(BusMember("SetStatus", of: Self.interface, at: Self.path, in: Self.manager), [.uint32(status)])
  }

  func end() { restorer?.cancel() }

  /// Whether the program that restores the status after a crash is installed.
  static var canBeRestored: Bool { ProgramFile(program: restoringProgram) != nil }

  private static let restoringProgram = "busctl"

  /// The shell command that sets a status.
  private static func command(_ status: UInt32) -> String {
    "\(restoringProgram) --user call \(manager) \(path) \(interface) SetStatus u \(status)"
  }
}

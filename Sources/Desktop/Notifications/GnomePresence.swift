import MessageBus

/// Silences the notifications of GNOME: the user is busy. Its shell then shows urgent ones alone, and keeps the others in
/// its list. Only the thread of the bus uses it.
///
/// GNOME keeps this status until it is changed or the user logs out, also when the program that set it is gone. A process
/// of its own therefore restores it if this one ends in any other way than an orderly one.
final class GnomePresence: NotificationSilencer {
  static let manager = "org.gnome.SessionManager"
  static let path = "/org/gnome/SessionManager/Presence"
  static let interface = "org.gnome.SessionManager.Presence"

  private enum Status {
    static let available: UInt32 = 0
    static let busy: UInt32 = 2
    /// GNOME sets it by itself, and then restores what was set before.
    static let idle: UInt32 = 3
  }

  private let bus: BusConnection
  /// The status to restore.
  private let usual: UInt32
  private var restorer: RestoringProcess?

  var isWanted = false {
    didSet {
      guard isWanted != oldValue, usual != Status.busy else { return }
      if isWanted { silence() } else { set(usual) }
    }
  }

  /// - Parameter status: the present status.
  init(on bus: BusConnection, status: UInt32) {
    self.bus = bus
    usual = status == Status.idle ? Status.available : status
  }

  private func silence() {
    restorer = restorer ?? RestoringProcess(Self.command(usual))
    // Without it, a crash would silence the desktop until the user logs out.
    if restorer != nil { set(Status.busy) }
  }

  private func set(_ status: UInt32) {
    bus.send(BusMethod("SetStatus", of: Self.interface, at: Self.path, in: Self.manager), [.uint32(status)])
  }

  func end() { restorer?.dismiss() }

  /// Whether the program that restores the status after a crash is installed.
  static var canBeRestored: Bool { RestoringProcess.finds(restoringProgram) }

  private static let restoringProgram = "busctl"

  /// The shell command that sets a status.
  private static func command(_ status: UInt32) -> String {
    "\(restoringProgram) --user call \(manager) \(path) \(interface) SetStatus u \(status)"
  }
}

import MessageBus

/// The desktop's notifications: shows some, and silences those of other programs. Only the thread of the bus uses it.
///
/// A service that is not there or does not answer changes nothing but what the listener sees.
final class NotificationService {
  private let bus: BusConnection
  private let features: DesktopFeatures
  /// The title of the session.
  private let title: String
  /// Receives a sentence if the desktop can't do what the listener wants.
  private let complain: @Sendable (String) -> Void
  private var inquiry: BusCall?
  private var posting: BusCall?
  /// The notification that a later one replaces; 0 if there is none.
  private var shown: UInt32 = 0
  private var search: SilencerSearch?
  /// Nil if the desktop's notifications can't be silenced, and before that is known.
  private var silencer: (any NotificationSilencer)?
  /// Whether notifications are to be silenced now.
  private var isSilent = false { didSet { silencer?.isWanted = isSilent } }
  /// Whether the end of the session has been announced.
  private var isOver = false
  /// Whether it is known what the service can do.
  private(set) var isKnown = false

  init(
    on bus: BusConnection, _ features: DesktopFeatures, title: String, complain: @escaping @Sendable (String) -> Void
  ) {
    (self.bus, self.features, self.title, self.complain) = (bus, features, title, complain)
    // This also starts the service, if the desktop starts it on demand.
    inquiry = bus.call(.notifications("GetCapabilities"), []) { [unowned self] in learn($0) }
  }

  private func learn(_ reply: BusReply) {
    inquiry = nil
    isKnown = true
    guard case .strings(let capabilities)? = reply.first else {
      return complain("no notification service answers on the session bus: \(features.wishes)")
    }
    guard features.silencesNotifications else { return }
    search = SilencerSearch(on: bus, capabilities: capabilities) { [unowned self] in silence(with: $0) }
  }

  private func silence(with silencer: (any NotificationSilencer)?) {
    self.silencer = silencer
    silencer?.isWanted = isSilent
    guard silencer == nil else { return }
    complain(
      "the desktop's notification service can't be silenced by a program: --do-not-disturb has no effect; "
        + "silence notifications in the desktop's settings")
  }

  /// Silences notifications while the session plays, and not in a pause, which may last for hours.
  func update(isPlaying: Bool) { isSilent = isPlaying && features.silencesNotifications && !isOver }

  /// Shows an announcement, or withdraws the one before.
  func announce(_ announcement: Announcement) {
    // The end of the session is shown like any other notification.
    if case .ended = announcement { close() }
    guard features.announces else { return }
    guard let text = announcement.text else { return withdraw() }
    let hints: [String: BusValue] = [
      "urgency": .byte(announcement.isUrgent ? 2 : 1),
      // A sound would disturb those who are still sitting.
      "suppress-sound": .bool(true),
    ]
    // The service's usual time, or none.
    let time: Int32 = announcement.isUrgent ? 0 : -1
    let arguments: [BusValue] = [
      .string("prosper"), .uint32(shown), .string("audio-x-generic"), .string(title), .string(text), .strings([]),
      .dictionary(hints), .int32(time),
    ]
    posting = bus.call(.notifications("Notify"), arguments) { [unowned self] reply in
      posting = nil
      if case .uint32(let number)? = reply.first { shown = number }
    }
  }

  private func withdraw() {
    guard shown != 0 else { return }
    bus.send(.notifications("CloseNotification"), [.uint32(shown)])
    shown = 0
  }

  /// Ends the silence.
  func close() {
    isOver = true
    isSilent = false
  }

  /// All that was sent has reached the bus.
  func end() { silencer?.end() }
}

extension BusMethod {
  /// A method of the desktop's notification service.
  static func notifications(_ name: String) -> BusMethod {
    let interface = "org.freedesktop.Notifications"
    return BusMethod(name, of: interface, at: "/org/freedesktop/Notifications", in: interface)
  }
}

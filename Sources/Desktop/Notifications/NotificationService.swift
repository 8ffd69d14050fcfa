import MessageBus

/// Shows notifications, and silences those of other programs. Only the bus thread uses it.
///
/// A service that is missing or does not answer has no effect on playback.
final class NotificationService {
  private let bus: BusConnection
  private let features: DesktopFeatures
  /// The title of the session.
  private let title: String
  /// Receives one sentence if the desktop can't do what an option asks for.
  private let warn: @Sendable (String) -> Void
  private var query: BusCall?
  private var notifyCall: BusCall?
  /// The ID of the notification that the next one replaces; 0 if there is none.
  private var notificationID: UInt32 = 0
  private var search: SilencerSearch?
  /// Nil if notifications can't be silenced, or until this is known.
  private var silencer: (any NotificationSilencer)?
  /// Whether notifications should be silenced now.
  private var isSilent = false { didSet { silencer?.isActive = isSilent } }
  /// Whether the end of the session has been announced.
  private var isOver = false
  /// Whether the service or the bus has answered the first call.
  private(set) var hasAnswered = false

  init(
    on bus: BusConnection, _ features: DesktopFeatures, title: String, warn: @escaping @Sendable (String) -> Void
  ) {
    (self.bus, self.features, self.title, self.warn) = (bus, features, title, warn)
    // This call also starts the service, if the bus starts it on demand.
    query = bus.call(.notifications("GetCapabilities"), []) { [unowned self] in receiveCapabilities($0) }
  }

  private func receiveCapabilities(_ reply: BusReply) {
    query = nil
    hasAnswered = true
    guard case .strings(let capabilities)? = reply.first else {
      return warn("no notification service answers on the session bus: \(features.missingEffect)")
    }
    guard features.silencesNotifications else { return }
    search = SilencerSearch(on: bus, capabilities: capabilities) { [unowned self] in silence(with: $0) }
  }

  private func silence(with silencer: (any NotificationSilencer)?) {
    self.silencer = silencer
    silencer?.isActive = isSilent
    guard silencer == nil else { return }
    warn(
      "this desktop doesn't let programs silence notifications; silence them in the desktop's settings")
  }

  /// Silences notifications while the session plays. In a pause, which may last for hours, they are shown.
  func update(isPlaying: Bool) { isSilent = isPlaying && features.silencesNotifications && !isOver }

  /// Shows an announcement, or withdraws the previous one.
  func announce(_ announcement: Announcement) {
    // The notification of the end must not be silenced itself.
    if case .ended = announcement { close() }
    guard features.announces else { return }
    guard let text = announcement.text else { return withdraw() }
    let hints: [String: BusValue] = [
      "urgency": .byte(announcement.isUrgent ? 2 : 1),
      // A sound would disturb people who continue to meditate.
      "suppress-sound": .bool(true),
    ]
    // The time in milliseconds until the notification disappears: 0 for never, -1 for the service's default.
    let time: Int32 = announcement.isUrgent ? 0 : -1
    let arguments: [BusValue] = [
      .string("prosper"), .uint32(notificationID), .string("audio-x-generic"), .string(title), .string(text),
      .strings([]),
      .dictionary(hints), .int32(time),
    ]
    notifyCall = bus.call(.notifications("Notify"), arguments) { [unowned self] reply in
      notifyCall = nil
      if case .uint32(let number)? = reply.first { notificationID = number }
    }
  }

  private func withdraw() {
    guard notificationID != 0 else { return }
    bus.send(.notifications("CloseNotification"), [.uint32(notificationID)])
    notificationID = 0
  }

  /// Stops silencing notifications.
  func close() {
    isOver = true
    isSilent = false
  }

  /// Called when everything that was sent has reached the bus.
  func end() { silencer?.end() }
}

extension BusMember {
  /// A method of the desktop's notification service.
  static func notifications(_ name: String) -> BusMember {
    let interface = "org.freedesktop.Notifications"
    return BusMember(name, of: interface, at: "/org/freedesktop/Notifications", in: interface)
  }
}

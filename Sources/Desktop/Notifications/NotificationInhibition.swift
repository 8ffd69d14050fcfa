import MessageBus

/// Silences notifications on a desktop that supports inhibitions, such as KDE Plasma. The desktop removes the
/// inhibition when the connection ends, so a crash leaves nothing behind. Only the bus thread uses it.
final class NotificationInhibition: NotificationSilencer {
  private enum State {
    case idle
    /// Requested; the reply to this call is awaited.
    case requested(BusCall)
    /// Notifications are silenced; the number is needed to end this.
    case active(UInt32)
    /// Refused; it is not requested again.
    case refused
  }

  private let bus: BusConnection
  private var state = State.idle

  var isActive = false { didSet { adjust() } }

  init(on bus: BusConnection) { self.bus = bus }

  /// Makes the desktop's state agree with `isActive`. While a reply is awaited, this is done after the reply.
  private func adjust() {
    switch state {
    case .idle where isActive: request()
    case .active(let number) where !isActive:
      bus.send(.notifications("UnInhibit"), [.uint32(number)])
      state = .idle
    case .idle, .requested, .active, .refused: break
    }
  }

  private func request() {
    let arguments: [BusValue] = [.string("prosper"), .string("a meditation session plays"), .dictionary([:])]
    let call = bus.call(.notifications("Inhibit"), arguments) { [unowned self] reply in
      if case .uint32(let number)? = reply.first { state = .active(number) } else { state = .refused }
      adjust()
    }
    if let call { state = .requested(call) }
  }

  func end() {}
}

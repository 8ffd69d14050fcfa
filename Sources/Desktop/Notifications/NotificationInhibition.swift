import MessageBus

/// Asks the desktop to show no notifications. The desktop ends the silence by itself when the connection ends, so it does
/// not outlive a crash. Only the thread of the bus uses it.
final class NotificationInhibition: NotificationSilencer {
  private enum State {
    case free
    /// The reply to this call is awaited.
    case asked(BusCall)
    /// With the number that ends the silence.
    case held(UInt32)
    /// Refused; it is not asked again.
    case refused
  }

  private let bus: BusConnection
  private var state = State.free

  var isWanted = false { didSet { adjust() } }

  init(on bus: BusConnection) { self.bus = bus }

  /// Brings the desktop's state to the wanted one, unless a reply is awaited.
  private func adjust() {
    switch state {
    case .free where isWanted: ask()
    case .held(let number) where !isWanted:
      bus.send(.notifications("UnInhibit"), [.uint32(number)])
      state = .free
    case .free, .asked, .held, .refused: break
    }
  }

  private func ask() {
    let arguments: [BusValue] = [.string("prosper"), .string("a meditation session plays"), .dictionary([:])]
    let call = bus.call(.notifications("Inhibit"), arguments) { [unowned self] reply in
      if case .uint32(let number)? = reply.first { state = .held(number) } else { state = .refused }
      adjust()
    }
    if let call { state = .asked(call) }
  }

  func end() {}
}

internal import CSystemd
internal import Glibc

/// A lock of logind's, which holds as long as a descriptor is open. Of the bus's thread.
final class LogindLock {
  enum Mode: String {
    /// What is locked does not happen.
    case block
    /// It waits for us, but not for long.
    case delay
  }

  private enum State {
    case free
    case asked(OpaquePointer)
    case held(Int32)
    case refused
  }

  private let bus: SystemBus
  private let mode: Mode
  private let choices: [String]
  /// Those that are not refused yet.
  private var rest: ArraySlice<String> = []
  private var state = State.free

  /// - Parameter choices: what is locked: the first of them that is granted, for not everybody may lock everything.
  init(on bus: SystemBus, _ mode: Mode, _ choices: [String]) {
    self.bus = bus
    self.mode = mode
    self.choices = choices
  }

  deinit { release() }

  /// Asks for it, unless that is done already. A refusal is final until the next `release`.
  func take() {
    guard case .free = state else { return }
    rest = choices[...]
    ask()
  }

  func release() {
    switch state {
    // A lock that is granted later is closed with the reply that nobody takes.
    case .asked(let slot): sd_bus_slot_unref(slot)
    case .held(let descriptor): close(descriptor)
    case .free, .refused: break
    }
    state = .free
  }

  private func ask() {
    state = .refused
    guard let what = rest.popFirst() else { return }
    var slot: OpaquePointer?
    let result = prosper_bus_inhibit(
      bus.bus, &slot, what, "a session plays", mode.rawValue,
      { reply, lock, _ in
        if let lock { Unmanaged<LogindLock>.fromOpaque(lock).takeUnretainedValue().answered(reply) }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
    if 0 <= result, let slot { state = .asked(slot) }
  }

  /// Only while the question stands, so never behind our end.
  private func answered(_ reply: OpaquePointer?) {
    release()
    var lent: Int32 = -1
    let isGranted =
      sd_bus_message_is_method_error(reply, nil) == 0
      && 0 < sd_bus_message_read_basic(reply, CChar(SD_BUS_TYPE_UNIX_FD), &lent)
    guard isGranted else { return ask() }
    let descriptor = fcntl(lent, F_DUPFD_CLOEXEC, 0)
    state = descriptor < 0 ? .refused : .held(descriptor)
  }
}

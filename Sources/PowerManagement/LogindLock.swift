internal import CSystemd
internal import Glibc

/// An inhibitor lock of logind, which is held as long as its file descriptor is open. Only the thread of `SleepGuard`
/// uses it.
final class LogindLock {
  enum Mode: String {
    /// Prevents the operation.
    case block
    /// Delays the operation, for a few seconds at most.
    case delay
  }

  private enum State {
    case free
    /// Requested; the slot belongs to the call whose reply is awaited.
    case asked(OpaquePointer)
    /// Granted; the descriptor holds the lock.
    case held(Int32)
    /// Refused; `take` does not ask again until `release`.
    case refused
  }

  private let bus: SystemBus
  private let mode: Mode
  private let choices: [String]
  /// The choices that have not been refused yet.
  private var rest: ArraySlice<String> = []
  private var state = State.free

  /// - Parameter choices: what to lock, as `Inhibit` takes it. The first choice that logind grants is used, because not
  ///   every user may lock everything.
  init(on bus: SystemBus, _ mode: Mode, _ choices: [String]) {
    self.bus = bus
    self.mode = mode
    self.choices = choices
  }

  deinit { release() }

  /// Requests the lock, unless that has been done already. Does not wait for the reply. A refusal is final until
  /// `release`.
  func take() {
    guard case .free = state else { return }
    rest = choices[...]
    ask()
  }

  /// Releases the lock, or cancels the request.
  func release() {
    switch state {
    // If logind grants the lock after this, the lock is released when the unread reply is dropped.
    case .asked(let slot): sd_bus_slot_unref(slot)
    case .held(let descriptor): close(descriptor)
    case .free, .refused: break
    }
    state = .free
  }

  /// Requests the next choice. `self` is passed unretained, because `release` cancels the call before this object ends.
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

  /// Handles the reply to a request. The message owns the descriptor in it, so the descriptor is duplicated.
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

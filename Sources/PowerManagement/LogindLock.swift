internal import Glibc
internal import MessageBus

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
    /// Requested; the reply to this call is awaited.
    case requested(BusCall)
    /// Granted; the descriptor holds the lock.
    case held(Int32)
    /// Refused; `take` does not ask again until `release`.
    case refused
  }

  private let bus: BusConnection
  private let mode: Mode
  private let choices: [String]
  /// The choices that have not been refused yet.
  private var rest: ArraySlice<String> = []
  private var state = State.free

  /// - Parameter choices: what to lock, as `Inhibit` takes it. The first choice that logind grants is used, because not
  ///   every user may lock everything.
  init(on bus: BusConnection, _ mode: Mode, _ choices: [String]) {
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
    request()
  }

  /// Releases the lock, or cancels the request.
  func release() {
    if case .held(let descriptor) = state { close(descriptor) }
    // If logind grants the lock after this, the lock is released when the unread reply is dropped.
    state = .free
  }

  /// Requests the next choice.
  private func request() {
    state = .refused
    guard let what = rest.popFirst() else { return }
    let words = [what, "prosper", "a session plays", mode.rawValue].map { BusValue.string($0) }
    // The call is cancelled before this object ends.
    let call = bus.call(.logind("Inhibit"), words) { [unowned self] in answered($0) }
    if let call { state = .requested(call) }
  }

  /// Handles the reply to a request. The message owns the descriptor in it, so the descriptor is duplicated.
  private func answered(_ reply: BusReply) {
    release()
    guard case .values(let values) = reply, case .descriptor(let lent)? = values.first else { return request() }
    let descriptor = fcntl(lent, F_DUPFD_CLOEXEC, 0)
    state = descriptor < 0 ? .refused : .held(descriptor)
  }
}

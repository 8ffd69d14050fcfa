import Dispatch
import Engine
import Glibc
import Synchronization

/// Handles SIGINT, SIGTERM and SIGHUP from the start of the program. Before a session plays, they end the program
/// immediately. While it plays, they end the session with a fade.
///
/// SIGQUIT always ends the program at once. SIGUSR1 prints the status. One instance per process, because signal
/// handlers are global.
final class Interruptions: Sendable {
  /// Called with the signal, and with true if it is not the first one.
  typealias Handler = @Sendable (_ number: Int32, _ isAgain: Bool) -> Void

  private struct State {
    /// Nil before a session plays.
    var handler: Handler?
    /// The first signal.
    var first: Int32?
    /// Prints the status; nil before a session plays.
    var printStatus: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  /// The writing end of the pipe into which the signal handler writes; a thread reads the other end.
  private static let writeEnd = Atomic<Int32>(-1)

  init() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGQUIT) { number in Interruptions.exit(with: number) }
    var ends: [Int32] = [-1, -1]
    // Without the pipe, the signals keep their default action and end the program immediately.
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    Self.writeEnd.store(ends[1], ordering: .releasing)
    OSThread.start { [self, end = ends[0]] in listen(to: end) }
    // A dispatch source would lose a signal that arrives while the signal is ignored, so a handler is installed.
    for number in [SIGINT, SIGTERM, SIGHUP, SIGUSR1] where number != SIGHUP || !Self.isIgnored(number) {
      signal(number) { number in Interruptions.note(number) }
    }
  }

  /// The signal handler. It may only call async-signal-safe functions, and it must keep `errno`.
  private static func note(_ number: Int32) {
    let code = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(writeEnd.load(ordering: .relaxed), &byte, 1)
    errno = code
  }

  /// Runs the thread that reads the pipe.
  private func listen(to end: Int32) {
    var byte: UInt8 = 0
    while case let count = read(end, &byte, 1), count == 1 || errno == EINTR {
      if count == 1 { receive(Int32(byte)) }
    }
  }

  /// The first signal that asked prosper to end; nil if there was none.
  var first: Int32? { state.withLock { $0.first } }

  /// Passes all further signals to `handler`, which is called on the thread that reads the pipe.
  func setHandler(_ handler: @escaping Handler) { state.withLock { $0.handler = handler } }

  /// Sets the closure that is called at each SIGUSR1, on the thread that reads the pipe.
  func onStatusRequest(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.printStatus = body } }

  /// Ends the program after some seconds, unless it has ended by then; the exit code is 128 plus the signal.
  static func exit(with number: Int32, after seconds: Double) {
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { @Sendable in exit(with: number) }
  }

  /// Ends the program at once. Async-signal-safe.
  private static func exit(with number: Int32) -> Never {
    TerminalMode.restore()
    _exit(128 + number)
  }

  /// Whether a signal is ignored, as SIGHUP is under `nohup`. It then stays ignored.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Passes a signal to the handler; ends the program if there is none. Runs on the thread that reads the pipe.
  private func receive(_ number: Int32) {
    if number == SIGUSR1 {
      state.withLock { $0.printStatus }?()
      return
    }
    let (handler, isAgain) = state.withLock { state in
      defer { state.first = state.first ?? number }
      return (state.handler, state.first != nil)
    }
    guard let handler else { Self.exit(with: number) }
    handler(number, isAgain)
  }
}

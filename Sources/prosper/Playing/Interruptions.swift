import Glibc
import ProsperKit
import Synchronization

/// Handles SIGINT, SIGTERM and SIGHUP from the start of the program. Before a session plays, they end the program
/// immediately. While it plays, they end the session with a fade.
///
/// SIGQUIT always ends the program at once. Other signals are handled while someone wants them. One instance per
/// process, because signal handlers are global.
final class Interruptions: Sendable {
  /// Called with the signal, and with true if it is not the first one.
  typealias Handler = @Sendable (_ number: Int32, _ isAgain: Bool) -> Void

  private struct State {
    /// Nil before a session plays.
    var handler: Handler?
    /// The first signal.
    var first: Int32?
    /// What to do at a signal that does not end the program.
    var others: [Int32: @Sendable () -> Void] = [:]
    /// The nanoseconds of the monotonic clock at which the program ends even if the session has not ended, and the
    /// signal that ends it.
    var end: (time: Int64, number: Int32)?
    /// What to do first in that case.
    var last: (@Sendable (Int32) -> Void)?
  }

  private let state = Mutex(State())
  /// The writing end of the pipe into which the signal handler writes; a thread reads the other end.
  private static let writeEnd = Atomic<Int32>(-1)

  /// - Throws: `noThread`; without its thread, the signals would have no effect.
  init() throws(SinkError) {
    // A closed pipe and a file at the limit of the shell are errors of the write.
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    signal(SIGQUIT) { number in Interruptions.exit(with: number) }
    var ends: [Int32] = [-1, -1]
    // Without the pipe, the signals still end the program immediately.
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    Self.writeEnd.store(ends[1], ordering: .releasing)
    guard OSThread.start({ [self, end = ends[0]] in listen(to: end) }) else { throw .noThread }
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
    var polled = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
    var byte: UInt8 = 0
    while true {
      let time = state.withLock { $0.end }
      let left = time.map { max(0, $0.time - monotonicNanoseconds()) / 1_000_000 }
      if poll(&polled, 1, left.map { Int32(clamping: $0) } ?? -1) == 0, let time {
        state.withLock { $0.last }?(time.number)
        Self.exit(with: time.number)
      }
      if 0 < polled.revents, read(end, &byte, 1) == 1 { receive(Int32(byte)) }
    }
  }

  /// The first signal that asked prosper to end; nil if there was none.
  var first: Int32? { state.withLock { $0.first } }

  /// Passes all further signals to `handler`, which is called on the thread that reads the pipe; and now the first one,
  /// if it was for an earlier handler.
  func setHandler(_ handler: @escaping Handler) {
    let earlier = state.withLock { state in
      state.handler = handler
      return state.first
    }
    if let earlier { handler(earlier, false) }
  }

  /// Calls `body` at each signal of this number, on the thread that reads the pipe.
  func handle(_ number: Int32, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.others[number] = body }
    signal(number) { number in Interruptions.note(number) }
  }

  /// Calls `body` with the signal before the program ends although its session has not ended. It must not take long.
  func beforeExit(_ body: @escaping @Sendable (Int32) -> Void) { state.withLock { $0.last = body } }

  /// Ends the program after some seconds, unless it has ended by then; the exit code is 128 plus the signal. Called by
  /// the handler.
  func exit(with number: Int32, after seconds: Double) {
    let time = monotonicNanoseconds() + Int64(1e9 * seconds)
    state.withLock { state in if state.end.map({ time < $0.time }) ?? true { state.end = (time, number) } }
  }

  /// Ends the engines that speak before a signal ends the program. For commands that handle no signals themselves.
  static func endEnginesFirst() {
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] where !isIgnored(number) {
      signal(number) { number in
        SpokenSounds.endEngines()
        signal(number, SIG_DFL)
        // Blocked until the handler returns.
        raise(number)
      }
    }
  }

  /// Ends the program at once. Async-signal-safe.
  private static func exit(with number: Int32) -> Never {
    TerminalMode.restore()
    SpokenSounds.endEngines()
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
    if let other = state.withLock({ $0.others[number] }) { return other() }
    if number == SIGUSR1 { return }
    let (handler, isAgain) = state.withLock { state in
      defer { state.first = state.first ?? number }
      return (state.handler, state.first != nil)
    }
    guard let handler else { Self.exit(with: number) }
    handler(number, isAgain)
  }
}

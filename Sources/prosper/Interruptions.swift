import Dispatch
import Engine
import Glibc
import Synchronization

/// SIGINT, SIGTERM and SIGHUP from the first moment on: before there is a performance to end gently they end the program.
/// SIGQUIT ends it at once whatever is played.
final class Interruptions: Sendable {
  /// Told the signal, and whether it is another one than the first.
  typealias Handler = @Sendable (_ number: Int32, _ isAgain: Bool) -> Void

  private struct State {
    var handler: Handler?
    var first: Int32?
  }

  private let state = Mutex(State())
  /// Where the signal handler writes what has come: the writing end of a pipe, which a thread reads.
  private static let writeEnd = Atomic<Int32>(-1)

  init() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGQUIT) { number in Interruptions.exit(with: number) }
    var ends: [Int32] = [-1, -1]
    // Without descriptors the signals end the program at once.
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    Self.writeEnd.store(ends[1], ordering: .releasing)
    OSThread.start { [self, end = ends[0]] in listen(to: end) }
    // A handler, and not a dispatch source: one of those loses a signal that comes while it is ignored and not blocked.
    for number in [SIGINT, SIGTERM, SIGHUP] where number != SIGHUP || !Self.isIgnored(number) {
      signal(number) { number in Interruptions.note(number) }
    }
  }

  /// Called in the signal handler, on any thread.
  private static func note(_ number: Int32) {
    let code = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(writeEnd.load(ordering: .relaxed), &byte, 1)
    errno = code
  }

  private func listen(to end: Int32) {
    var byte: UInt8 = 0
    while case let count = read(end, &byte, 1), count == 1 || errno == EINTR {
      if count == 1 { receive(Int32(byte)) }
    }
  }

  /// The one that has asked for the end; nil while none has.
  var first: Int32? { state.withLock { $0.first } }

  /// From now on signals are the handler's; it is called on a thread of its own.
  func handOver(to handler: @escaping Handler) { state.withLock { $0.handler = handler } }

  /// Ends the program with a signal's code if nothing else has ended it by then.
  static func exit(with number: Int32, after seconds: Double) {
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { @Sendable in exit(with: number) }
  }

  /// At once; also from a signal handler.
  private static func exit(with number: Int32) -> Never {
    TerminalMode.restore()
    _exit(128 + number)
  }

  /// As `nohup` has it.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private func receive(_ number: Int32) {
    let (handler, isAgain) = state.withLock { state in
      defer { state.first = state.first ?? number }
      return (state.handler, state.first != nil)
    }
    guard let handler else { Self.exit(with: number) }
    handler(number, isAgain)
  }
}

import Glibc
import Synchronization

/// The mode of the terminal on stdin: while keys are read each is handed over at once and none is shown. Whatever ends
/// or stops the program, the terminal is left as it was found.
enum TerminalMode {
  // A signal handler may take no lock: both are written once, before anybody reads them.
  /// What is given back; written before `isChanged` is ever true.
  nonisolated(unsafe) private static let found = UnsafeMutablePointer<termios>.allocate(capacity: 1)
  /// What each signal did before; written before its handler is installed.
  nonisolated(unsafe) private static let handlers = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
  private static let isChanged = Atomic<Bool>(false)
  private static let fatal = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

  /// Whether the terminal is ours to read and to change: not while the program runs in the background. One that
  /// knows no jobs is.
  static var isOurs: Bool {
    let group = tcgetpgrp(0)
    return group == -1 || group == getpgrp()
  }

  /// - Returns: false where stdin is no terminal.
  static func prepare() -> Bool {
    guard isatty(0) == 1, tcgetattr(0, found) == 0 else { return false }
    atexit { TerminalMode.restore() }
    for number in fatal { install(on: number) }
    return true
  }

  static func readKeys() {
    guard isOurs, !isChanged.load(ordering: .acquiring) else { return }
    var mode = found.pointee
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
    withUnsafeMutableBytes(of: &mode.c_cc) { bytes in
      bytes[Int(VMIN)] = 1
      bytes[Int(VTIME)] = 0
    }
    isChanged.store(true, ordering: .releasing)
    tcsetattr(0, TCSANOW, &mode)
  }

  /// From anywhere, also from a signal handler and more than once.
  static func restore() {
    guard isChanged.exchange(false, ordering: .acquiringAndReleasing), isOurs else { return }
    tcsetattr(0, TCSANOW, found)
  }

  /// Gives the terminal back before a signal that ends the program does what it does.
  private static func install(on number: Int32) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { number in
      TerminalMode.restore()
      sigaction(number, TerminalMode.handlers + Int(number), nil)
      raise(number)
    }
    sigaction(number, nil, handlers + Int(number))
    sigaction(number, &action, nil)
  }
}

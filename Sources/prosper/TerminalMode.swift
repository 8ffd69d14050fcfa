import Glibc
import Synchronization

/// The mode of the terminal on stdin. While keys are read, each key arrives at once and is not echoed. The original
/// mode is restored however the program ends or stops.
enum TerminalMode {
  // Signal handlers can't take locks, so both values are written once, before a handler can read them.
  /// The original mode; written before `isChanged` can be true.
  nonisolated(unsafe) private static let found = UnsafeMutablePointer<termios>.allocate(capacity: 1)
  /// The earlier action of each signal; written before its handler is installed.
  nonisolated(unsafe) private static let handlers = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
  private static let isChanged = Atomic<Bool>(false)
  private static let fatal = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

  /// Whether this program may read and change the terminal: true unless it runs in the background. Terminals without
  /// job control count as ours.
  static var isOurs: Bool {
    let group = tcgetpgrp(0)
    return group == -1 || group == getpgrp()
  }

  /// Records the terminal's mode and makes sure that it is restored; returns false if stdin is not a terminal.
  static func prepare() -> Bool {
    guard isatty(0) == 1, tcgetattr(0, found) == 0 else { return false }
    atexit { TerminalMode.restore() }
    for number in fatal { install(on: number) }
    return true
  }

  /// Switches to the mode for reading keys, if the program runs in the foreground.
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

  /// Restores the original mode. Any thread, also in a signal handler; calling it again has no effect.
  static func restore() {
    guard isChanged.exchange(false, ordering: .acquiringAndReleasing), isOurs else { return }
    tcsetattr(0, TCSANOW, found)
  }

  /// Restores the terminal before a fatal signal takes its earlier action.
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

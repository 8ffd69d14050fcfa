import Glibc
import Synchronization

/// The mode of the terminal on stdin. While keys are read, each key arrives at once and is not echoed. The original
/// mode is restored however the program ends or stops.
enum TerminalMode {
  /// The mode that `restore` sets.
  private static let found = Published<termios>()
  /// What each signal did before, by its number.
  private static let handlers = Published<sigaction>()
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
    var mode = termios()
    guard isatty(0) == 1, tcgetattr(0, &mode) == 0 else { return false }
    found.publish([mode])
    atexit { TerminalMode.restore() }
    installHandlers()
    return true
  }

  /// Switches to the mode for reading keys, if the program runs in the foreground.
  static func readKeys() {
    guard isOurs, !isChanged.load(ordering: .acquiring), let found = found.values else { return }
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
    if let mode = found.values { tcsetattr(0, TCSANOW, mode) }
  }

  /// Restores the terminal before a fatal signal takes its earlier action.
  private static func installHandlers() {
    var former = Array(repeating: sigaction(), count: 65)
    for number in fatal { sigaction(number, nil, &former[Int(number)]) }
    handlers.publish(former)
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { number in
      TerminalMode.restore()
      if let former = TerminalMode.handlers.values { sigaction(number, former + Int(number), nil) }
      raise(number)
    }
    for number in fatal { sigaction(number, &action, nil) }
  }
}

/// Values that never change once they are published. A signal handler, which may take no lock, can read them.
private struct Published<Value>: ~Copyable, Sendable {
  /// Of memory that is never freed; 0 before.
  private let address = Atomic<UInt>(0)

  func publish(_ values: [Value]) {
    let memory = UnsafeMutableBufferPointer<Value>.allocate(capacity: values.count)
    _ = memory.initialize(from: values)
    address.store(UInt(bitPattern: memory.baseAddress), ordering: .releasing)
  }

  /// The first of them; nil before.
  var values: UnsafePointer<Value>? { UnsafePointer(bitPattern: address.load(ordering: .acquiring)) }
}

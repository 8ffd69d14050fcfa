import Glibc
import Synchronization

/// The mode of the terminal on stdin. While keys are read, each key arrives immediately and is not echoed. The original
/// mode is restored whenever the program ends or stops.
enum TerminalMode {
  /// The original mode, which `restore` sets.
  private static let original = Published<termios>()
  /// The earlier action of each signal, by its number.
  private static let handlers = Published<sigaction>()
  private static let isChanged = Atomic<Bool>(false)
  private static let fatal = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

  /// Whether this program may read and change the terminal: true unless it runs in the background. Terminals without
  /// job control count as ours.
  static var isOurs: Bool {
    let group = tcgetpgrp(0)
    return group == -1 || group == getpgrp()
  }

  /// Records the terminal's mode, and installs the handlers that restore it; returns false if stdin is not a terminal.
  static func prepare() -> Bool {
    var mode = termios()
    guard isatty(0) == 1, tcgetattr(0, &mode) == 0 else { return false }
    original.publish([mode])
    atexit { TerminalMode.restore() }
    installHandlers()
    return true
  }

  /// Switches to the mode for reading keys, if the program runs in the foreground.
  static func readKeys() {
    guard isOurs, !isChanged.load(ordering: .acquiring), let original = original.values else { return }
    var mode = original.pointee
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
    withUnsafeMutableBytes(of: &mode.c_cc) { bytes in
      bytes[Int(VMIN)] = 1
      bytes[Int(VTIME)] = 0
    }
    isChanged.store(true, ordering: .releasing)
    tcsetattr(0, TCSANOW, &mode)
  }

  /// Restores the original mode. May be called from any thread and from a signal handler; a second call has no effect.
  static func restore() {
    guard isChanged.exchange(false, ordering: .acquiringAndReleasing), isOurs else { return }
    if let mode = original.values { tcsetattr(0, TCSANOW, mode) }
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

/// Values that don't change after they are published. A signal handler, which must not lock, can read them.
private struct Published<Value>: ~Copyable, Sendable {
  /// The address of the values, in memory that is never freed; 0 before they are published.
  private let address = Atomic<UInt>(0)

  func publish(_ values: [Value]) {
    let memory = UnsafeMutableBufferPointer<Value>.allocate(capacity: values.count)
    _ = memory.initialize(from: values)
    address.store(UInt(bitPattern: memory.baseAddress), ordering: .releasing)
  }

  /// A pointer to the first value; nil before they are published.
  var values: UnsafePointer<Value>? { UnsafePointer(bitPattern: address.load(ordering: .acquiring)) }
}

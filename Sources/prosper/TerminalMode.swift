import Glibc
import Synchronization

/// The mode of the terminal on stdin: while keys are read each is handed over at once and none is shown. Whatever ends
/// or stops the program, the terminal is left as it was found.
enum TerminalMode {
  /// The mode that `restore` sets.
  private static let found = Published<termios>()
  /// What each signal did before, by its number.
  private static let handlers = Published<sigaction>()
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
    var mode = termios()
    guard isatty(0) == 1, tcgetattr(0, &mode) == 0 else { return false }
    found.publish([mode])
    atexit { TerminalMode.restore() }
    installHandlers()
    return true
  }

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

  /// From anywhere, also from a signal handler and more than once.
  static func restore() {
    guard isChanged.exchange(false, ordering: .acquiringAndReleasing), isOurs else { return }
    if let mode = found.values { tcsetattr(0, TCSANOW, mode) }
  }

  /// Restores the terminal before a signal that ends the program has its former effect.
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

import Engine
import Files
import Glibc
import Sounds
import Synchronization

/// Runs an engine: the text on its stdin, the sound from its stdout.
enum EngineProcess {
  /// What a process may take.
  struct Limits: Sendable {
    /// Seconds until it has ended.
    var seconds: Double
    /// Bytes that it may write.
    var bytes: Int
  }

  private struct State {
    /// The processes that run, each with its group.
    var running = Set<pid_t>()
    /// Whether the program ends. No process is started any more.
    var isOver = false
  }

  private static let state = Mutex(State())

  /// Ends all engines, because the program ends; one that hangs would run on. Also called by signal handlers.
  static func endAll() {
    withState { state in
      state.isOver = true
      for pid in state.running { kill(-pid, SIGKILL) }
    }
  }

  /// Locks the state. A signal handler may wait for the lock, because the thread that has it receives no signals.
  private static func withState<Result>(_ body: (inout sending State) -> sending Result) -> sending Result {
    var (all, old) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &old)
    defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
    return state.withLock(body)
  }

  /// Between the creation of a pipe and its flag, another thread must not start a process that inherits it.
  private static let spawning = Mutex(())

  /// Runs a program and waits for its end.
  ///
  /// - Parameters:
  ///   - program: the absolute path.
  ///   - input: at most 4,096 bytes, which fit into the smallest pipe.
  /// - Returns: what it has written to stdout.
  static func run(
    _ program: String, _ arguments: [String], input: [UInt8] = [], limits: Limits
  ) throws(SpeechFailure.Fault) -> [UInt8] {
    let child = try start(program, arguments, input)
    defer { withState { _ = $0.running.remove(child.pid) } }
    let end = monotonicSeconds() + limits.seconds
    var (output, message) = ([UInt8](), [UInt8]())
    let isOver = collect(child, until: end, limits.bytes, &output, &message)
    for descriptor in [child.output, child.errors] { close(descriptor) }
    let status = isOver ? awaitEnd(of: child.pid, until: end) : nil
    guard let status else {
      kill(-child.pid, SIGKILL)
      _ = reap(child.pid, 0)
      if limits.bytes < output.count { throw .tooLong(bytes: limits.bytes) }
      throw .timedOut(seconds: limits.seconds)
    }
    if status & 0x7f != 0 { throw .crashed(signal: Int(status & 0x7f)) }
    let code = Int(status >> 8 & 0xff)
    if code != 0 { throw .exited(code: code, message: lastLine(of: message)) }
    return output
  }

  private struct Child {
    let pid: pid_t
    let output: Int32
    let errors: Int32
  }

  private static func start(
    _ program: String, _ arguments: [String], _ input: [UInt8]
  ) throws(SpeechFailure.Fault) -> Child {
    let result: Result<Child, SpeechFailure.Fault> = spawning.withLock { _ in
      var ends: [Int32] = []
      for _ in 0..<3 {
        var pair: [Int32] = [-1, -1]
        guard pipe(&pair) == 0 else { break }
        for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        ends += pair
      }
      defer { for end in ends { close(end) } }
      guard ends.count == 6 else { return .failure(.notStarted(cause: ErrorNumber(code: errno).message)) }
      _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
      guard write(ends[1], input, input.count) == input.count else {
        return .failure(.notStarted(cause: "the sentence does not fit into a pipe"))
      }
      guard let pid = spawn(program, arguments, input: ends[0], output: ends[3], errors: ends[5]) else {
        return .failure(.notStarted(cause: ErrorNumber(code: errno).message))
      }
      let child = Child(pid: pid, output: ends[2], errors: ends[4])
      ends = [ends[0], ends[1], ends[3], ends[5]]
      return .success(child)
    }
    return try result.get()
  }

  private static func spawn(
    _ program: String, _ arguments: [String], input: Int32, output: Int32, errors: Int32
  ) -> pid_t? {
    var process = ChildProcess(program, arguments)
    (process.input, process.output, process.errors) = (input, output, errors)
    // Its own children end with it.
    process.group = .own
    // Python's own default depends on the locale.
    process.variables = ["PYTHONUTF8": "1"]
    let start = process
    return withState { state in
      if state.isOver {
        errno = ECANCELED
        return nil
      }
      let pid = start.start()
      if let pid { state.running.insert(pid) }
      return pid
    }
  }

  /// Reads both outputs to their ends.
  ///
  /// - Returns: false if the time is over or the output is too long.
  private static func collect(
    _ child: Child, until end: Double, _ most: Int, _ output: inout [UInt8], _ message: inout [UInt8]
  ) -> Bool {
    var open = [child.output, child.errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var block = [UInt8](repeating: 0, count: 65_536)
    while open.contains(where: { 0 <= $0.fd }) {
      let left = end - monotonicSeconds()
      guard 0 < left else { return false }
      let count = poll(&open, 2, Int32(min(left * 1_000, 1e6).rounded(.up)))
      if count < 0, errno != EINTR { return false }
      guard 0 < count else { continue }
      for index in open.indices where open[index].revents != 0 {
        let read = read(open[index].fd, &block, block.count)
        if read < 0, errno == EINTR { continue }
        if read <= 0 {
          open[index].fd = -1
        } else if index == 0 {
          output += block[..<read]
          if most < output.count { return false }
        } else {
          message = (message + block[..<read]).suffix(4_096)
        }
      }
    }
    return true
  }

  /// The status of a process that has closed its outputs; nil if it does not end in time.
  private static func awaitEnd(of pid: pid_t, until end: Double) -> Int32? {
    while true {
      if let status = reap(pid, WNOHANG) { return status }
      if end <= monotonicSeconds() { return nil }
      // It has nothing left to do but to end.
      poll(nil, 0, 2)
    }
  }

  private static func reap(_ pid: pid_t, _ options: Int32) -> Int32? {
    var status: Int32 = 0
    while true {
      let result = waitpid(pid, &status, options)
      if result < 0, errno == EINTR { continue }
      return result == pid ? status : nil
    }
  }

  /// The last line of a message, for the middle of a sentence.
  private static func lastLine(of message: [UInt8]) -> String {
    let lines = String(decoding: message, as: UTF8.self).split(whereSeparator: \.isNewline)
    let line = lines.last { !$0.allSatisfy(\.isWhitespace) } ?? ""
    let shown = line.unicodeScalars.filter { 0x20 <= $0.value && $0.value != 0x7F }.prefix(160)
    return String(String.UnicodeScalarView(shown)).replacing("; ", with: ", ").trimmed
  }

  private static func monotonicSeconds() -> Double { Double(monotonicNanoseconds()) / 1e9 }
}

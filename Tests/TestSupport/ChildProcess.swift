internal import Foundation
package import Glibc
internal import Synchronization

/// Held while a process is started. Otherwise a process could inherit the pipe of another one before the pipe is marked
/// as close-on-exec.
private let startLock = Mutex(())

/// Another program that a test starts. It is killed together with this object.
package final class ChildProcess: Sendable {
  package let pid: pid_t
  /// The end of the pipe with its output; nil if nobody reads it.
  package let output: Int32?

  /// - Parameter environment: The whole environment. Only `PATH` is inherited.
  package init(_ program: String, _ arguments: [String], environment: [String: String], readsOutput: Bool) throws {
    (pid, output) = try startLock.withLock { _ in
      try spawn(program, arguments, environment: environment, readsOutput: readsOutput)
    }
  }

  package func send(_ signal: Int32) { kill(pid, signal) }

  /// Kills the program.
  package func end() { send(SIGKILL) }

  /// Whether the program is still running.
  package var isAlive: Bool {
    var info = siginfo_t()
    return waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info._sifields._sigchld.si_pid == 0
  }

  /// Waits for the end of the program. Call it on a thread that may block.
  fileprivate func waitForStatus() -> Int32 {
    var info = siginfo_t()
    waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT)
    return info._sifields._sigchld.si_status
  }

  /// Passes the output of the program to `take` until the program ends. Call it on a thread that may block.
  func readOutput(_ take: (String) -> Void) {
    guard let output else { return }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(output, &bytes, bytes.count), count > 0 {
      take(String(decoding: bytes[..<count], as: UTF8.self))
    }
  }

  deinit {
    kill(pid, SIGKILL)
    kill(pid, SIGCONT)
    waitpid(pid, nil, 0)
    if let output { close(output) }
  }
}

/// Runs another program to its end, and returns its output.
///
/// - Parameter mustSucceed: Whether to throw if the program ends with another status than 0.
package func output(
  of program: String, _ arguments: [String], environment: [String: String], mustSucceed: Bool = false
) throws -> String {
  var text = ""
  let child = try ChildProcess(program, arguments, environment: environment, readsOutput: true)
  child.readOutput { text += $0 }
  let status = child.waitForStatus()
  guard status == 0 || !mustSucceed else { throw ChildFailure(program: program, code: status) }
  return text
}

/// Runs a program to its end, with these descriptors as its stdin, stdout and stderr.
///
/// Foundation's `Process` is not used: it reads past the end of a list of open files, and crashes if many are open.
///
/// - Parameters:
///   - environment: The whole environment.
///   - whileRunning: Called with the process ID on a thread of its own, on which it may block.
/// - Returns: The exit status, or the negative number of the signal that ended the program.
package func exitStatus(
  of words: [String], environment: [String: String], descriptors: [Int32],
  whileRunning: @escaping @Sendable (pid_t) -> Void
) async throws -> Int32 {
  try await onOwnThread {
    let pid = try startLock.withLock { _ in try spawn(words, environment: environment, descriptors: descriptors) }
    Thread.detachNewThread { whileRunning(pid) }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0 ? status >> 8 & 0xff : -signal
  }
}

private func spawn(_ words: [String], environment: [String: String], descriptors: [Int32]) throws -> pid_t {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for (index, descriptor) in descriptors.enumerated() {
    posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(index))
  }
  // The threads of the tests block signals; the program must receive them.
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var none = sigset_t()
  sigemptyset(&none)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
  var pid: pid_t = 0
  let code = withCStrings(words) { argv in
    withCStrings(environment.map { "\($0)=\($1)" }) { posix_spawn(&pid, words[0], &actions, &attributes, argv, $0) }
  }
  guard code == 0 else { throw ChildFailure(program: words[0], code: code) }
  return pid
}

private func spawn(
  _ program: String, _ arguments: [String], environment: [String: String], readsOutput: Bool
) throws -> (pid_t, Int32?) {
  var ends: [Int32] = [-1, -1]
  if readsOutput {
    guard pipe(&ends) == 0 else { throw ChildFailure(program: program, code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  if readsOutput { posix_spawn_file_actions_adddup2(&actions, ends[1], 1) }
  for descriptor in (readsOutput ? [2] : [1, 2]) as [Int32] {
    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
  }
  let variables = environment.map { "\($0)=\($1)" } + ["PATH=\(getenv("PATH").map { String(cString: $0) } ?? "")"]
  var pid: pid_t = 0
  let code = withCStrings([program] + arguments) { argv in
    withCStrings(variables) { posix_spawnp(&pid, program, &actions, nil, argv, $0) }
  }
  if readsOutput { close(ends[1]) }
  guard code == 0 else { throw ChildFailure(program: program, code: code) }
  return (pid, readsOutput ? ends[0] : nil)
}

package struct ChildFailure: Error {
  package var program: String
  package var code: Int32

  package init(program: String, code: Int32) {
    self.program = program
    self.code = code
  }
}

/// Calls `body` with a null-terminated array of C strings.
private func withCStrings<Result>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let copies = strings.map { strdup($0) } + [nil]
  defer { for copy in copies { free(copy) } }
  return body(copies)
}

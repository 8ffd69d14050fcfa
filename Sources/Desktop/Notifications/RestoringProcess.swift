import Glibc

/// A shell that runs a command when this process ends, even if it crashes or is killed.
///
/// The shell waits at the reading end of a pipe whose writing end only this process has. If this process ends, the
/// shell reads the end of the file, and runs the command; a line in the pipe cancels it.
final class RestoringProcess {
  private let pipeEnd: Int32

  /// Returns nil if the shell can't be started.
  ///
  /// - Parameter command: a command for `sh`.
  init?(_ command: String) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    // The shell ignores the signals with which a terminal or systemd ends a whole group of processes, because then
    // prosper ends, too, and the command may be needed.
    let script = "trap '' HUP INT QUIT TERM; read -r line || \(command)"
    guard Self.start(script, reading: ends[0]) else {
      close(ends[1])
      return nil
    }
    pipeEnd = ends[1]
  }

  /// Whether a folder of `PATH` contains a program.
  static func finds(_ program: String) -> Bool {
    let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    return folders.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
  }

  /// Ends the shell without running the command.
  func cancel() { _ = write(pipeEnd, "\n", 1) }

  deinit { close(pipeEnd) }

  /// `POSIX_SPAWN_SETSID` of glibc, which Swift can't import.
  private static let newSession: Int16 = 0x80

  /// Starts a shell with `descriptor` as its input and without output, in a session of its own.
  private static func start(_ script: String, reading descriptor: Int32) -> Bool {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_adddup2(&actions, descriptor, 0)
    for output in [1, 2] as [Int32] { posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0) }
    posix_spawnattr_setflags(&attributes, newSession)
    let words: [UnsafeMutablePointer<CChar>?] = ["sh", "-c", script].map { (word: String) in strdup(word) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    return posix_spawn(&process, "/bin/sh", &actions, &attributes, words, environ) == 0
  }
}

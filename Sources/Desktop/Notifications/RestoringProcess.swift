import Files
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
    var shell = ChildProcess("/bin/sh", ["-c", script])
    (shell.input, shell.group) = (ends[0], .ownSession)
    guard shell.start() != nil else {
      close(ends[1])
      return nil
    }
    pipeEnd = ends[1]
  }

  /// Ends the shell without running the command.
  func cancel() { _ = write(pipeEnd, "\n", 1) }

  deinit { close(pipeEnd) }
}

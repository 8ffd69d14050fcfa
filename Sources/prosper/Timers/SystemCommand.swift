import Glibc
import ProsperKit

/// Runs another program, such as `systemctl`, and waits until it has ended.
enum SystemCommand {
  /// The exit status (-1 after a signal), and all output of the program, from stdout and stderr.
  struct Result {
    var status: Int32
    var output: String
  }

  /// - Parameter program: a name that is searched in `PATH`.
  /// - Returns: nil if the program does not exist or can't be started.
  static func run(_ program: String, _ arguments: [String]) -> Result? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    var process = ChildProcess(program, arguments)
    (process.output, process.errors) = (ends[1], ends[1])
    let pid = process.start()
    close(ends[1])
    guard let pid else { return nil }
    let output = text(of: ends[0])
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return Result(status: status & 0x7f == 0 ? status >> 8 & 0xff : -1, output: output)
  }

  private static func text(of descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(descriptor, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard 0 < count else { return String(decoding: bytes, as: UTF8.self) }
      bytes += block[..<count]
    }
  }
}

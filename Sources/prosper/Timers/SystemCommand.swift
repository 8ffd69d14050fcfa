import Glibc

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
    let pid = spawn(program, arguments, output: ends[1])
    close(ends[1])
    guard let pid else { return nil }
    let output = text(of: ends[0])
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return Result(status: status & 0x7f == 0 ? status >> 8 & 0xff : -1, output: output)
  }

  private static func spawn(_ program: String, _ arguments: [String], output: Int32) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for descriptor: Int32 in [1, 2] { posix_spawn_file_actions_adddup2(&actions, output, descriptor) }
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var pid: pid_t = 0
    return posix_spawnp(&pid, program, &actions, nil, words, environ) == 0 ? pid : nil
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

package import Glibc

/// A program with its arguments, and how it is started. Any thread may start it.
package struct ChildProcess {
  /// Which signals reach it besides those that are sent to itself.
  package enum Group {
    /// Those of this process's group, such as Ctrl-C at the terminal.
    case shared
    /// Those of a group of its own, which ends with its own children.
    case own
    /// Those of a group in a session of its own, without the terminal.
    case ownSession
  }

  /// A path, or a name that is searched in the folders of `PATH`.
  package var program: String
  package var arguments: [String]
  /// Environment variables, which are added to those of this process.
  package var variables: [String: String] = [:]
  package var group = Group.shared
  /// What stdin, stdout and stderr are; `/dev/null` for nil. Descriptors above 2.
  package var input: Int32?
  package var output: Int32?
  package var errors: Int32?

  package init(_ program: String, _ arguments: [String]) { (self.program, self.arguments) = (program, arguments) }

  /// `POSIX_SPAWN_SETSID`, an extension of glibc, which Swift can't import.
  private static let newSession: Int16 = 0x80
  private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
  /// An extension of glibc, whose header hides it from Swift. Nil in versions before 2.34.
  private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
    unsafeBitCast($0, to: CloseFrom.self)
  }

  /// Starts the program. It inherits no other descriptors, and no signals that this process ignores or handles.
  ///
  /// - Returns: its process ID; nil, with the cause in `errno`, if it can't be started.
  package func start() -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in zip([0, 1, 2] as [Int32], [input, output, errors]) {
      if let descriptor {
        posix_spawn_file_actions_adddup2(&actions, descriptor, number)
      } else {
        posix_spawn_file_actions_addopen(&actions, number, "/dev/null", number == 0 ? O_RDONLY : O_WRONLY, 0)
      }
    }
    _ = Self.closeFrom?(&actions, 3)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK) | groupFlag)
    let words = ([program] + arguments).map { strdup($0.forSystem) } + [nil]
    let environment = ProcessInput.environment.merging(variables) { $1 }
    let values = environment.map { strdup("\($0)=\($1)".forSystem) } + [nil]
    defer { for text in words + values { free(text) } }
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, program.forSystem, &actions, &attributes, words, values)
    if code == 0 { return pid }
    errno = code
    return nil
  }

  private var groupFlag: Int16 {
    switch group {
    case .shared: 0
    case .own: Int16(POSIX_SPAWN_SETPGROUP)
    case .ownSession: Self.newSession
    }
  }
}

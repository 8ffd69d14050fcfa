import Dispatch
import Glibc
import ProsperKit
import Synchronization

/// Runs the hooks of a session, each as a process of its own that nothing waits for.
///
/// A hook gets the event in its environment. It has no input and no output of prosper, and goes on when prosper ends.
/// While sixteen hooks run, further ones are left out, which is said once.
final class HookRunner: Sendable {
  private static let mostRunning = 16
  /// `POSIX_SPAWN_SETSID`, an extension of GNU.
  private static let newSession: Int16 = 0x80

  private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
  /// An extension of glibc, whose header hides it from Swift. Nil in versions before 2.34.
  private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
    unsafeBitCast($0, to: CloseFrom.self)
  }

  private let hooks: [PlayerEvent.Name: [String]]
  private let title: String
  /// Starting a process takes longer than the player's thread has time for.
  private let queue = DispatchQueue(label: "hooks")
  /// Waits for the ends of the hooks, each on a thread.
  private let ends = DispatchQueue(label: "hooks.ends", attributes: .concurrent)
  private let running = DispatchGroup()
  private let state = Mutex(State())

  private struct State {
    /// The number of the last event, as in the events that are printed.
    var number = 0
    var running = 0
    /// The problems that have been said.
    var said: Set<String> = []
  }

  /// Nil without hooks.
  init?(_ hooks: [Hook], title: String) {
    if hooks.isEmpty { return nil }
    self.hooks = Dictionary(grouping: hooks, by: \.event).mapValues { $0.map(\.command) }
    self.title = title
  }

  /// Receives every event of the session, in order.
  func note(_ event: StampedEvent) {
    let number = state.withLock { state in
      state.number += 1
      return state.number
    }
    guard let name = PlayerEvent.Name(rawValue: event.event.name), let commands = hooks[name] else { return }
    queue.async { [self] in
      let variables = [
        "PROSPER_EVENT": event.json(sequence: number), "PROSPER_TITLE": title, "PROSPER_STAGE": event.stage ?? "",
      ]
      for command in commands { start(command, variables) }
    }
  }

  /// Waits until the hooks of all events so far have been started, not until they have ended: only a moment, in which
  /// one shows that its command can't be run.
  func close() {
    queue.sync {}
    _ = running.wait(timeout: .now() + .milliseconds(200))
  }

  /// Releases a hook when it has ended, and says if its command could not be run.
  private func awaitEnd(of pid: pid_t, _ command: String) {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    state.withLock { $0.running -= 1 }
    // The shell's exit codes for a command that it can't run or can't find; no signal has ended it.
    switch status {
    case 126 << 8: sayOnce("the hook '\(command)' has a command that can't be run; is it executable?")
    case 127 << 8: sayOnce("the hook '\(command)' has a command that was not found")
    default: break
    }
  }

  private func start(_ command: String, _ variables: [String: String]) {
    if state.withLock({ Self.mostRunning <= $0.running }) {
      return sayOnce("\(Self.mostRunning) hooks are still running; further ones are left out")
    }
    guard let pid = Self.spawn(command, variables) else {
      return sayOnce("the hook '\(command)' can't be started: \(String(cString: strerror(errno)))")
    }
    state.withLock { $0.running += 1 }
    ends.async(group: running) { [self] in awaitEnd(of: pid, command) }
  }

  private func sayOnce(_ problem: String) {
    let isFirst = state.withLock { $0.said.insert(problem).inserted }
    if isFirst { StandardError.say(problem) }
  }

  /// Starts a command in a session of its own, so that Ctrl-C at the terminal of prosper does not reach it.
  private static func spawn(_ command: String, _ variables: [String: String]) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor: Int32 in 0...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY, 0)
    }
    // The sockets of the HTTP server are open in a new process otherwise: its clients would wait for the hook's end.
    _ = closeFrom?(&actions, 3)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // prosper ignores some signals and handles others, which its children must not.
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, newSession | Int16(POSIX_SPAWN_SETSIGDEF))
    let environment = ProcessInput.environment.merging(variables) { $1 }.map { "\($0)=\($1)" }
    let words = (["/bin/sh", "-c", command] as [String]).map { strdup($0) } + [nil]
    let values = environment.map { strdup($0) } + [nil]
    defer { for text in words + values { free(text) } }
    var pid: pid_t = 0
    let code = posix_spawn(&pid, "/bin/sh", &actions, &attributes, words, values)
    if code == 0 { return pid }
    errno = code
    return nil
  }
}

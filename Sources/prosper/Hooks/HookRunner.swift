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
    // Its streams and the sockets of the HTTP server are not passed on: their readers would wait for the hook's end.
    var process = ChildProcess("/bin/sh", ["-c", command])
    // Ctrl-C at the terminal of prosper does not reach it.
    (process.variables, process.group) = (variables, .ownSession)
    guard let pid = process.start() else {
      return sayOnce("the hook '\(command)' can't be started: \(String(cString: strerror(errno)))")
    }
    state.withLock { $0.running += 1 }
    ends.async(group: running) { [self] in awaitEnd(of: pid, command) }
  }

  private func sayOnce(_ problem: String) {
    let isFirst = state.withLock { $0.said.insert(problem).inserted }
    if isFirst { StandardError.say(problem) }
  }
}

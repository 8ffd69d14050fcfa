import Glibc
internal import Synchronization

/// A private PulseAudio server with a null sink, in a folder of its own. It is killed together with this object.
package final class PulseServer: SoundServer {
  /// The address for the program under test.
  package let address: String
  package let sink: String
  /// The environment for other programs. They connect through a private socket, which opens before the public one.
  package let environment: [String: String]
  private let folder: String
  private let arguments: [String]
  private let process: Mutex<ChildProcess?>

  /// - Parameters:
  ///   - rewinds: Whether the sink can rewind what it has mixed, as sound cards can.
  ///   - more: The names of additional null sinks.
  ///   - modules: Additional modules to load.
  ///   - sharesMemory: Whether the server shares memory with clients, which does not work through a proxy.
  package init(
    rate: Int = 48_000, sink: String = "null", rewinds: Bool = false, more: [String] = [], modules: [String] = [],
    sharesMemory: Bool = true
  ) throws {
    var template = Array("/tmp/pulse-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ChildFailure(program: "mkdtemp", code: errno) }
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    mkdir(folder + "/run", 0o700)
    environment = ["HOME": folder, "XDG_RUNTIME_DIR": folder + "/run", "PULSE_SERVER": "unix:\(folder)/own"]
    let format = "rate=\(rate) format=float32le channels=2\(rewinds ? "" : " norewinds=1")"
    let sinks = ([sink] + more).map { "module-null-sink sink_name=\($0) \(format)" }
    let loaded = sinks + modules + ["module-native-protocol-unix auth-anonymous=1 socket=\(folder)/own"]
    // The server ends by itself a minute after a test that crashed.
    let options = [
      "-n", "--daemonize=no", "--exit-idle-time=60", "--use-pid-file=no", "--disable-shm=\(!sharesMemory)",
    ]
    arguments = options + loaded.flatMap { ["-L", $0] }
    let process = try ChildProcess("pulseaudio", arguments, environment: environment, readsOutput: false)
    self.process = Mutex(process)
    self.folder = folder
    self.sink = sink
    address = "unix:\(folder)/native"
    try waitUntilItAnswers(process)
    try open()
  }

  deinit {
    kill()
    for name in [
      "/native", "/own", "/orders", "/run/pulse", "/run", "/.config/pulse/cookie", "/.config/pulse", "/.config", "",
    ] {
      remove(folder + name)
    }
  }

  /// Kills the server, as a crash would. It has exited when this returns.
  package func kill() { process.withLock { $0 = nil } }

  /// Starts the server again after `kill`.
  ///
  /// - Parameter prepare: Runs before a client can connect through the public socket.
  package func restart<Prepared>(_ prepare: () throws -> Prepared) throws -> Prepared {
    let process = try ChildProcess("pulseaudio", arguments, environment: environment, readsOutput: false)
    self.process.withLock { $0 = process }
    try waitUntilItAnswers(process)
    let prepared = try prepare()
    try open()
    return prepared
  }

  /// Stops the server's process, so that it does not respond, as on an overloaded machine.
  package func stall() { process.withLock { $0?.send(SIGSTOP) } }

  package func resume() { process.withLock { $0?.send(SIGCONT) } }

  /// Opens the public socket.
  private func open() throws {
    try pactl("load-module", "module-native-protocol-unix", "auth-anonymous=1", "socket=\(folder)/native")
  }

  /// Executes a command of the server's command-line interface, which has commands that `pactl` lacks.
  package func execute(_ command: String) throws {
    try pactl("load-module", "module-cli-protocol-unix", "socket=\(folder)/orders")
    guard let line = connection(to: folder + "/orders") else { throw ChildFailure(program: "pulseaudio", code: errno) }
    defer { close(line) }
    let words = Array((command + "\n").utf8)
    guard write(line, words, words.count) == words.count else { throw ChildFailure(program: command, code: errno) }
    // The server closes the connection when it is done.
    shutdown(line, Int32(SHUT_WR))
    var ask = pollfd(fd: line, events: Int16(POLLIN), revents: 0)
    var answer = [UInt8](repeating: 0, count: 4_096)
    while poll(&ask, 1, 1_000) > 0, read(line, &answer, answer.count) > 0 {}
  }

  /// Waits until the server answers. There is no other time limit than its exit, because a machine may be slow.
  private func waitUntilItAnswers(_ process: ChildProcess) throws {
    let path = folder + "/own"
    let isThere = eventually { isServed(path) || !process.isAlive }
    guard isThere, isServed(path) else { throw ChildFailure(program: "pulseaudio", code: ETIMEDOUT) }
  }
}

import Glibc
internal import Synchronization

/// A private PulseAudio with a null sink, in a folder of its own; it is gone when this is.
package final class PulseServer: Sendable {
  /// What a client is given to reach it.
  package let address: String
  package let sink: String
  /// Of programs that reach it by its own door, which opens before the public one.
  let environment: [String: String]
  private let folder: String
  private let arguments: [String]
  private let process: Mutex<ChildProcess?>

  /// - Parameters:
  ///   - rewinds: whether the sink takes back what it has mixed, as sound cards do.
  ///   - more: names of further null sinks.
  ///   - modules: what else it loads.
  ///   - sharesMemory: whether it hands clients memory, which nobody can pass on.
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
    // It ends by itself a minute after a test that crashed.
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
    die()
    for name in [
      "/native", "/own", "/orders", "/run/pulse", "/run", "/.config/pulse/cookie", "/.config/pulse", "/.config", "",
    ] {
      remove(folder + name)
    }
  }

  /// As in a crash; behind this it is gone.
  package func die() { process.withLock { $0 = nil } }

  /// Comes back after its death.
  ///
  /// - Parameter prepare: runs before anybody comes in by the public door.
  package func restart<Prepared>(_ prepare: () throws -> Prepared) throws -> Prepared {
    let process = try ChildProcess("pulseaudio", arguments, environment: environment, readsOutput: false)
    self.process.withLock { $0 = process }
    try waitUntilItAnswers(process)
    let prepared = try prepare()
    try open()
    return prepared
  }

  /// As an overloaded machine does.
  package func stall() { process.withLock { $0?.send(SIGSTOP) } }

  package func goOn() { process.withLock { $0?.send(SIGCONT) } }

  /// What the server's remote control prints; throws where the server refuses the command.
  @discardableResult
  package func pactl(_ words: String...) throws -> String {
    try output(of: "pactl", words, environment: environment, mustSucceed: true)
  }

  /// Has one of its null sinks go away.
  package func unplug(_ sink: String) throws {
    let modules = try pactl("list", "short", "modules").split(separator: "\n")
    for module in modules where module.contains("sink_name=\(sink) ") {
      try pactl("unload-module", String(module.prefix { $0 != "\t" }))
    }
  }

  /// Has one come, or come back.
  package func plugIn(_ sink: String) throws {
    try pactl("load-module", "module-null-sink", "sink_name=\(sink)", "rate=48000", "format=float32le", "norewinds=1")
  }

  /// Another program that plays silence in a role, such as `phone`, until it is let go.
  package func player(role: String) throws -> ChildProcess {
    try ChildProcess(
      "pacat", ["--raw", "--property=media.role=\(role)", "/dev/zero"], environment: environment, readsOutput: false)
  }

  /// Lets the public in.
  private func open() throws {
    try pactl("load-module", "module-native-protocol-unix", "auth-anonymous=1", "socket=\(folder)/native")
  }

  /// Has the server carry out a command of its own language: it knows some that its remote control does not.
  package func order(_ command: String) throws {
    try pactl("load-module", "module-cli-protocol-unix", "socket=\(folder)/orders")
    guard let line = door("orders") else { throw ChildFailure(program: "pulseaudio", code: errno) }
    defer { close(line) }
    let words = Array((command + "\n").utf8)
    guard write(line, words, words.count) == words.count else { throw ChildFailure(program: command, code: errno) }
    // It hangs up when it is done.
    shutdown(line, Int32(SHUT_WR))
    var ask = pollfd(fd: line, events: Int16(POLLIN), revents: 0)
    var answer = [UInt8](repeating: 0, count: 4_096)
    while poll(&ask, 1, 1_000) > 0, read(line, &answer, answer.count) > 0 {}
  }

  /// Waits as long as the server lives, however slow the machine is.
  private func waitUntilItAnswers(_ process: ChildProcess) throws {
    let isThere = eventually { accepts() || !process.isAlive }
    guard isThere, accepts() else { throw ChildFailure(program: "pulseaudio", code: ETIMEDOUT) }
  }

  private func accepts() -> Bool {
    guard let descriptor = door("own") else { return false }
    close(descriptor)
    return true
  }

  /// A connection to one of its sockets; nil when nobody listens there.
  private func door(_ name: String) -> Int32? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array((folder + "/" + name).utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isOpen = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) == 0 }
    }
    if isOpen { return descriptor }
    close(descriptor)
    return nil
  }
}

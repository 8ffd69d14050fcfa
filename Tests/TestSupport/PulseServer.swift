import Glibc

/// A private PulseAudio with a null sink, in a folder of its own; it is gone when this is.
package final class PulseServer: Sendable {
  /// What a client is given to reach it.
  package let address: String
  package let sink: String
  let environment: [String: String]
  private let folder: String
  private let process: ChildProcess

  /// - Parameters:
  ///   - rewinds: whether the sink takes back what it has mixed, as sound cards do.
  ///   - more: names of further null sinks.
  package init(rate: Int = 48_000, sink: String = "null", rewinds: Bool = false, more: [String] = []) throws {
    var template = Array("/tmp/pulse-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ChildFailure(program: "mkdtemp", code: errno) }
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    mkdir(folder + "/run", 0o700)
    let environment = ["HOME": folder, "XDG_RUNTIME_DIR": folder + "/run", "PULSE_SERVER": "unix:\(folder)/native"]
    let format = "rate=\(rate) format=float32le channels=2\(rewinds ? "" : " norewinds=1")"
    let sinks = ([sink] + more).flatMap { ["-L", "module-null-sink sink_name=\($0) \(format)"] }
    process = try ChildProcess(
      "pulseaudio",
      // It ends by itself a minute after a test that crashed.
      [
        "-n", "--daemonize=no", "--exit-idle-time=60", "--use-pid-file=no", "-L",
        "module-native-protocol-unix auth-anonymous=1 socket=\(folder)/native",
      ] + sinks, environment: environment, readsOutput: false)
    self.folder = folder
    self.sink = sink
    self.environment = environment
    address = "unix:\(folder)/native"
    try waitUntilItAnswers()
  }

  deinit {
    process.send(SIGKILL)
    for name in ["/native", "/run/pulse", "/run", "/.config/pulse/cookie", "/.config/pulse", "/.config", ""] {
      remove(folder + name)
    }
  }

  /// As a crash does.
  package func die() { process.send(SIGKILL) }

  /// As an overloaded machine does.
  package func stall() { process.send(SIGSTOP) }

  package func goOn() { process.send(SIGCONT) }

  private func waitUntilItAnswers() throws {
    // Each question is a connection, and a busy server refuses those that it has not come to accept.
    guard eventually(within: 60, accepts) else { throw ChildFailure(program: "pulseaudio", code: ETIMEDOUT) }
  }

  private func accepts() -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array((folder + "/native").utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) == 0 }
    }
  }
}

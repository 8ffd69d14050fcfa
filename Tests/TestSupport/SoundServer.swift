import Glibc

/// A private sound server with PulseAudio's protocol. It is killed together with this object.
package protocol SoundServer: Sendable {
  /// The address for the program under test.
  var address: String { get }
  /// The default sink.
  var sink: String { get }
  /// The environment for captures, `pactl` and other clients. They connect through a socket that opens before
  /// `address`.
  var environment: [String: String] { get }

  /// Kills the process that serves `address`, as a crash would.
  func kill()

  /// Starts the process that `kill` has killed.
  ///
  /// - Parameter prepare: Runs before a client can connect to `address`.
  func restart<Prepared>(_ prepare: () throws -> Prepared) throws -> Prepared
}

extension SoundServer {
  /// Runs `pactl` and returns its output. Throws if the server refuses the command.
  @discardableResult
  package func pactl(_ words: String...) throws -> String {
    try output(of: "pactl", words, environment: environment, mustSucceed: true)
  }

  /// Removes a null sink that was loaded as a module.
  package func unplug(_ sink: String) throws {
    let modules = try pactl("list", "short", "modules").split(separator: "\n")
    for module in modules where module.contains("sink_name=\(sink) ") {
      try pactl("unload-module", String(module.prefix { $0 != "\t" }))
    }
  }

  /// Adds a null sink.
  package func plugIn(_ sink: String) throws {
    try pactl("load-module", "module-null-sink", "sink_name=\(sink)", "rate=48000", "format=float32le", "norewinds=1")
  }

  /// Starts another program that plays silence with a media role, such as `phone`, until the returned object is
  /// released.
  package func player(role: String) throws -> ChildProcess {
    try ChildProcess(
      "pacat", ["--raw", "--property=media.role=\(role)", "/dev/zero"], environment: environment, readsOutput: false)
  }

  /// Starts `paplay` with a sound file. It connects to `address`, like the program under test.
  ///
  /// - Parameter sink: Nil for the default sink, which `paplay` follows.
  package func paplay(_ path: String, on sink: String? = nil) throws -> ChildProcess {
    try ChildProcess(
      "paplay", (sink.map { ["--device=\($0)"] } ?? []) + [path],
      environment: environment.merging(["PULSE_SERVER": address]) { $1 },
      readsOutput: false)
  }
}

/// Connects to a Unix socket; nil if nobody listens there.
func connection(to path: String) -> Int32? {
  let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
  let size = socklen_t(MemoryLayout<sockaddr_un>.size)
  let isOpen = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) == 0 }
  }
  if isOpen { return descriptor }
  close(descriptor)
  return nil
}

/// Whether something listens on a Unix socket.
func isServed(_ path: String) -> Bool {
  guard let descriptor = connection(to: path) else { return false }
  close(descriptor)
  return true
}

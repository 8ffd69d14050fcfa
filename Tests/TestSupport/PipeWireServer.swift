import FoundationEssentials
import Glibc
internal import Synchronization

/// A private PipeWire server with null sinks, WirePlumber, a session bus and `pipewire-pulse`, in a folder of its own.
///
/// The sinks are created by PipeWire's configuration, so they exist while `pipewire-pulse` does not run. Captures and
/// `pactl` use a second `pipewire-pulse`, which `kill` does not end.
package final class PipeWireServer: SoundServer {
  package let address: String
  package let sink: String
  package let environment: [String: String]
  private let sinks: [String]
  private let folder: String
  private let bus: ChildProcess
  private let processes = Mutex(Processes())

  private struct Processes {
    var pipewire: ChildProcess?
    var wireplumber: ChildProcess?
    /// The `pipewire-pulse` that serves captures and `pactl`.
    var own: ChildProcess?
    /// The `pipewire-pulse` that serves the program under test.
    var open: ChildProcess?
  }

  /// - Parameters:
  ///   - more: The names of additional null sinks.
  ///   - silencesMusicForCalls: Whether WirePlumber's role policy is on, which Debian ships disabled.
  package init(sink: String = "null", more: [String] = [], silencesMusicForCalls: Bool = false) throws {
    var template = Array("/tmp/pipewire-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ChildFailure(program: "mkdtemp", code: errno) }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    self.sink = sink
    sinks = [sink] + more
    address = "unix:\(folder)/run/pulse/native"
    environment = [
      "HOME": folder, "XDG_RUNTIME_DIR": folder + "/run", "PULSE_SERVER": "unix:\(folder)/own/native",
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/bus", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere",
    ]
    try Self.configure(folder, sinks: sinks, roles: silencesMusicForCalls)
    bus = try ChildProcess(
      "dbus-daemon", ["--nofork", "--nopidfile", "--config-file=\(folder)/bus.conf"], environment: [:],
      readsOutput: false)
    try wait(for: "dbus-daemon") { isServed(folder + "/bus") }
    try restart {}
  }

  deinit {
    killAll()
    bus.end()
    try? FileManager.default.removeItem(atPath: folder)
  }

  package func kill() { processes.withLock { $0.open = nil } }

  /// Kills PipeWire and all its clients.
  package func killAll() { processes.withLock { $0 = Processes() } }

  /// Kills PipeWire alone. WirePlumber then exits by itself; `pipewire-pulse` continues, and loses the streams of its
  /// clients.
  package func killPipeWire() {
    processes.withLock {
      $0.pipewire = nil
      $0.wireplumber = nil
    }
  }

  /// Starts the processes that were killed. If the `pipewire-pulse` of the program under test was not killed, clients
  /// can connect to `address` even before `prepare` has returned.
  package func restart<Prepared>(_ prepare: () throws -> Prepared) throws -> Prepared {
    try processes.withLock {
      if $0.pipewire == nil { $0.pipewire = try start("pipewire") }
      try wait(for: "pipewire") { isServed(folder + "/run/pipewire-0") }
      if $0.wireplumber == nil { $0.wireplumber = try start("wireplumber") }
      let own = ["PULSE_RUNTIME_PATH": folder + "/own", "XDG_CONFIG_HOME": folder + "/own"]
      if $0.own == nil { $0.own = try start("pipewire-pulse", own) }
    }
    try waitUntilItIsReady()
    let prepared = try prepare()
    try processes.withLock { if $0.open == nil { $0.open = try start("pipewire-pulse") } }
    try wait(for: "pipewire-pulse") { isServed(folder + "/run/pulse/native") }
    return prepared
  }

  private func start(_ program: String, _ more: [String: String] = [:]) throws -> ChildProcess {
    try ChildProcess(program, [], environment: environment.merging(more) { $1 }, readsOutput: false)
  }

  /// Connects the monitor of a sink to a capture that WirePlumber's role policy has connected elsewhere.
  package func link(_ sink: String, to capture: String) throws {
    for side in ["FL", "FR"] {
      _ = try output(
        of: "pw-link", ["\(sink):monitor_\(side)", "\(capture):input_\(side)"], environment: environment)
    }
  }

  /// The latency in frames that each program requests from PipeWire, by the program's name.
  package func periods() throws -> [String: Int] {
    var program = ""
    var periods: [String: Int] = [:]
    for line in try pactl("list", "sink-inputs").split(separator: "\n") {
      let words = line.split(separator: "\"")
      guard words.count == 2 else { continue }
      if line.contains("node.latency = ") { periods[program] = Int(words[1].prefix { $0 != "/" }) }
      if line.contains("application.name = ") { program = String(words[1]) }
    }
    return periods
  }

  /// Waits until `pactl` lists all sinks and WirePlumber has chosen the default one.
  private func waitUntilItIsReady() throws {
    var printed = ""
    let isReady = try eventually {
      // `pactl` is refused until the server is ready.
      printed = try ["list short sinks", "info"].map { words in
        try output(of: "pactl", words.split(separator: " ").map(String.init), environment: environment)
      }.joined()
      let lines = printed.split(separator: "\n")
      return sinks.allSatisfy { sink in lines.contains { $0.contains("\t\(sink)\t") } }
        && lines.contains { $0.hasPrefix("Default Sink: ") && !$0.contains("@") }
    }
    guard isReady else { throw NotReady(printed: printed) }
  }

  /// The last output of `pactl`.
  package struct NotReady: Error {
    package var printed: String
  }

  private func wait(for program: String, _ condition: () throws -> Bool) throws {
    guard try eventually(condition) else { throw ChildFailure(program: program, code: ETIMEDOUT) }
  }
}

extension PipeWireServer {
  fileprivate static func configure(_ folder: String, sinks: [String], roles: Bool) throws {
    var files = [
      "bus.conf": bus(folder),
      ".config/pipewire/pipewire.conf.d/sinks.conf": "context.objects = [\n\(sinks.map(sink).joined())]\n",
      "own/pipewire/pipewire-pulse.conf": own,
    ]
    if roles { files[".config/wireplumber/policy.lua.d/51-roles.lua"] = Self.roles }
    for (name, text) in files {
      let path = folder + "/" + name
      let parent = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
      try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
      try text.write(toFile: path, atomically: false, encoding: .utf8)
    }
    mkdir(folder + "/run", 0o700)
  }

  private static func sink(_ name: String) -> String {
    """
      { factory = adapter
        args = {
          factory.name = support.null-audio-sink
          node.name = "\(name)"
          node.description = "\(name)"
          media.class = Audio/Sink
          audio.rate = 48000
          audio.position = [ FL FR ]
        }
      }

    """
  }

  private static func bus(_ folder: String) -> String {
    """
    <busconfig>
      <type>session</type>
      <listen>unix:path=\(folder)/bus</listen>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
      </policy>
    </busconfig>
    """
  }

  /// Debian's configuration, without the module that adds a sink when there is none.
  private static let own = """
    context.spa-libs = {
      audio.convert.* = audioconvert/libspa-audioconvert
      support.* = support/libspa-support
    }
    context.modules = [
      { name = libpipewire-module-rt args = { nice.level = -11 } flags = [ ifexists nofail ] }
      { name = libpipewire-module-protocol-native }
      { name = libpipewire-module-client-node }
      { name = libpipewire-module-adapter }
      { name = libpipewire-module-metadata }
      { name = libpipewire-module-protocol-pulse }
    ]
    pulse.properties = { server.address = [ "unix:native" ] }
    """

  /// Three of the roles that WirePlumber's configuration proposes.
  private static let roles = """
    default_policy.policy.roles = {
      ["Capture"] = { ["priority"] = 20, ["action.default"] = "mix", ["media.class"] = "Audio/Source" },
      ["Multimedia"] = { ["alias"] = { "Movie", "Music", "Game" }, ["priority"] = 25, ["action.default"] = "cork" },
      ["Communication"] = { ["priority"] = 75, ["action.default"] = "cork", ["action.Communication"] = "mix" },
    }
    default_policy.endpoints = {
      ["endpoint.capture"] = { ["media.class"] = "Audio/Source", ["role"] = "Capture" },
      ["endpoint.multimedia"] = { ["media.class"] = "Audio/Sink", ["role"] = "Multimedia" },
      ["endpoint.communication"] = { ["media.class"] = "Audio/Sink", ["role"] = "Communication" },
    }
    """
}

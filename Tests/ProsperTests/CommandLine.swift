import Foundation
import Signal
import TestSupport

/// The program under test, found in the folder of the test bundle, and run as a user runs it.
struct Prosper {
  var status: Int32
  var out: String
  var err: String
  var endedAt: ContinuousClock.Instant

  /// The lines of stdout.
  var lines: [Substring] { out.split(separator: "\n") }

  static var executable: URL {
    #if DEBUG
      let configuration = "debug"
    #else
      let configuration = "release"
    #endif
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let beside = bundle.appendingPathComponent("prosper")
    if FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
    return root.appendingPathComponent(".build/\(configuration)/prosper")
  }

  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The variables that scripts/sanitize sets for every process it checks.
  private static let sanitizing = ProcessInfo.processInfo.environment.filter {
    ["LD_PRELOAD", "ASAN_OPTIONS", "TSAN_OPTIONS"].contains($0.key)
  }

  /// Addresses at which no bus and no sound server are found by accident.
  private static let nowhere = ["PULSE_SERVER": "unix:/nowhere", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"]

  /// The environment that preloads a library of this package.
  static func preloading(_ library: PreloadedLibrary) throws -> [String: String] {
    let all = [ProcessInfo.processInfo.environment["LD_PRELOAD"], try library.path()].compactMap { $0 }
    return ["LD_PRELOAD": all.joined(separator: " ")]
  }

  /// Runs the program to its end. It inherits no environment variables, and its control socket is in the folder.
  static func run(
    _ arguments: [String], environment: [String: String] = [:], in folder: Scratch? = nil,
    program: [String]? = nil, on terminal: Terminal? = nil, takesKeys: Bool = false,
    whileRunning: @escaping @Sendable (Running) -> Void = { _ in }
  ) async throws -> Prosper {
    let scratch = try folder ?? Scratch()
    let (out, err) = (scratch.path("stdout-\(UUID())"), scratch.path("stderr-\(UUID())"))
    let environment = ["PATH": "/usr/bin:/bin", "HOME": scratch.path(""), "XDG_RUNTIME_DIR": scratch.path("")]
      .merging(nowhere) { $1 }.merging(sanitizing) { $1 }.merging(environment) { $1 }
    let files = [try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/null")), try create(out), try create(err)]
    defer { for file in files { try? file.close() } }
    let outputs = terminal.map { [$0.line, $0.line] } ?? Array(files[1...])
    let status = try await exitStatus(
      of: (program ?? [executable.path]) + arguments, environment: environment,
      descriptors: ([takesKeys ? terminal?.line ?? files[0] : files[0]] + outputs).map(\.fileDescriptor)
    ) { pid in
      whileRunning(
        Running(
          pid: pid, said: { terminal?.text ?? ((try? text(of: out)) ?? "") },
          saidOnError: { (try? text(of: err)) ?? "" }
        ))
    }
    let endedAt = ContinuousClock.now
    return Prosper(status: status, out: try text(of: out), err: try text(of: err), endedAt: endedAt)
  }

  private static func create(_ path: String) throws -> FileHandle {
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  }

  private static func text(of path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
  }

  /// The output without what `session.started` says of where the session comes from and goes to.
  var played: String { Self.played(in: out) }

  static func played(in text: String) -> String { text.replacing(/,"version":"[^}]*/, with: "") }

  /// The events on stdout, each as a dictionary.
  func events() throws -> [[String: Any]] {
    try lines.map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }
  }

  /// The outcome of each command.
  func outcomes() throws -> [[String: Any]] {
    try events().filter { $0["event"] as? String == "command" && $0["outcome"] as? String != "accepted" }
  }
}

/// The program while it runs.
struct Running: Sendable {
  var pid: Int32
  /// What it has printed so far.
  var said: @Sendable () -> String
  /// What it has printed on stderr so far.
  var saidOnError: @Sendable () -> String

  /// Waits until the program has printed `text` or has ended. Call it on a thread that may block.
  func waitUntilItSays(_ text: String) {
    _ = eventually { said().contains(text) || !isThere }
  }

  /// The same for stderr.
  func waitUntilItSaysOnError(_ text: String) {
    _ = eventually { saidOnError().contains(text) || !isThere }
  }

  var isThere: Bool { kill(pid, 0) == 0 }

  func send(_ signal: Int32) { kill(pid, signal) }
}

/// A temporary folder that is removed with its last reference.
final class Scratch: Sendable {
  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("prosper-test-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { name.isEmpty ? url.path : url.appendingPathComponent(name).path }

  /// Writes a text file and returns its path.
  func write(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }

  /// Whether an unfinished render has written at least this many bytes, here or in a subfolder.
  func holdsUnfinished(of bytes: Int, in folder: String = "") -> Bool {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: path(folder))) ?? []
    return all.filter { $0.hasSuffix(".part") }.contains { name in
      let size = try? FileManager.default.attributesOfItem(atPath: path(folder) + "/" + name)[.size] as? Int
      return bytes <= size ?? 0
    }
  }

  func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
}

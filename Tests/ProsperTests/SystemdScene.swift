import Foundation
import TestSupport

/// A home folder, and replacements for systemctl and loginctl.
struct SystemdScene {
  let folder: Scratch
  /// A path with all characters that have a special meaning in unit files.
  let session: String

  init(systemctl: String = "exit 0", loginctl: String = "echo no") throws {
    folder = try Scratch()
    let odd = folder.path("a $HOME 100%n \"q\" \\ 'é")
    try FileManager.default.createDirectory(atPath: odd, withIntermediateDirectories: true)
    session = try folder.write(
      "a $HOME 100%n \"q\" \\ 'é/Morning sit.yaml",
      "{prosper: 1, title: 'Sit 5% \\', stages: [{name: One, duration: 1m, tracks: ['generate:rain']}]}")
    try program("systemctl", "echo \"$*\" >> '\(folder.path("calls"))'\n\(systemctl)")
    try program("loginctl", loginctl)
  }

  private func program(_ name: String, _ text: String) throws {
    try FileManager.default.createDirectory(atPath: folder.path("bin"), withIntermediateDirectories: true)
    let text = try folder.write("\(name).sh", "#!/bin/sh\n\(text)\n")
    // Written by another process: a child that a parallel test starts meanwhile can't hold it open for writing, which
    // would prevent its execution.
    _ = try output(
      of: "install", ["-m", "755", text, folder.path("bin/\(name)")], environment: [:], mustSucceed: true)
  }

  /// Runs the program in the home folder.
  func run(_ words: [String], path: String? = nil) async throws -> Prosper {
    try await Prosper.run(
      words, environment: ["PATH": path ?? "\(folder.path("bin")):/usr/bin:/bin"], in: folder,
      program: ["/usr/bin/env", "-C", folder.path(""), Prosper.executable.path])
  }

  /// The arguments of all calls of systemctl.
  var calls: [Substring] {
    get throws {
      try String(contentsOfFile: folder.path("calls"), encoding: .utf8).split(separator: "\n")
        .map { $0.trimmingPrefix("--user --no-ask-password --no-pager ") }
    }
  }

  func unit(_ name: String) throws -> String {
    try String(contentsOfFile: folder.path(".config/systemd/user/prosper-\(name)"), encoding: .utf8)
  }

  var units: [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path(".config/systemd/user"))
    return (names ?? []).sorted()
  }
}

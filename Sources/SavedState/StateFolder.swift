import Foundation

/// The folder for files that outlive a run: `$XDG_STATE_HOME/prosper`, or `~/.local/state/prosper`.
package struct StateFolder: Sendable, Hashable {
  package var path: String

  package init(path: String) { self.path = path }

  /// The folder for an environment. A relative `XDG_STATE_HOME` is ignored; nil if there is no absolute `HOME` either.
  package init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      path = state + "/prosper"
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      path = home + "/.local/state/prosper"
    } else {
      return nil
    }
  }

  /// The path of a file in the folder.
  package func file(_ name: String) -> String { path + "/" + name }

  /// Writes a file atomically: readers see either the old content or the new one. Creates the folder if necessary, with
  /// access for its owner only.
  package func write(_ text: String, to name: String) throws {
    let manager = FileManager.default
    try manager.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)), options: .atomic)
  }

  /// The content of a file; nil if there is no such file.
  package func read(_ name: String) throws -> String? {
    guard FileManager.default.fileExists(atPath: file(name)) else { return nil }
    return String(decoding: try Data(contentsOf: URL(fileURLWithPath: file(name))), as: UTF8.self)
  }
}

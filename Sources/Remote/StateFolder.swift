import Foundation

/// Where prosper keeps what outlives a run: `$XDG_STATE_HOME/prosper`, or `~/.local/state/prosper`.
package struct StateFolder: Sendable, Hashable {
  package var path: String

  package init(path: String) { self.path = path }

  /// As the environment says; a relative `XDG_STATE_HOME` counts as none. Nil when there is no home either.
  package init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      path = state + "/prosper"
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      path = home + "/.local/state/prosper"
    } else {
      return nil
    }
  }

  package func file(_ name: String) -> String { path + "/" + name }

  /// Replaces a file as a whole: whoever reads it sees the old content or the new one. Makes the folder where it is
  /// missing, for its owner alone.
  package func write(_ text: String, to name: String) throws {
    let manager = FileManager.default
    try manager.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)), options: .atomic)
  }

  /// Nil when there is no such file.
  package func read(_ name: String) throws -> String? {
    guard FileManager.default.fileExists(atPath: file(name)) else { return nil }
    return String(decoding: try Data(contentsOf: URL(fileURLWithPath: file(name))), as: UTF8.self)
  }
}

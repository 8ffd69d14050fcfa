import Files
import Glibc

/// The folder for files that outlive a run: `$XDG_STATE_HOME/prosper`, or `~/.local/state/prosper`.
package struct StateFolder: Sendable, Hashable {
  package var path: String

  package init(path: String) { self.path = path }

  /// The folder for an environment. A relative `XDG_STATE_HOME` is ignored; nil if there is no absolute `HOME` either.
  package init?(environment: [String: String] = ProcessInput.environment) {
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
    FilePath.createPrivateFolder(path)
    try UnfinishedFile.write(text.utf8, to: file(name), isPrivate: true)
  }

  /// The content of a file; nil if there is no such file.
  package func read(_ name: String) throws -> String? {
    guard FilePath.exists(file(name)) else { return nil }
    guard let content = FilePath.contents(of: file(name)) else { throw ErrorNumber(code: EIO) }
    return String(decoding: content, as: UTF8.self)
  }
}

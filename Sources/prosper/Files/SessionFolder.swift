import Glibc
import ProsperKit

/// The session files in a folder and the folders in it, but not in hidden ones or behind symbolic links.
enum SessionFolder {
  /// The paths of the sessions in alphabetical order, beginning with `path`; nil if it is no folder.
  static func sessions(in path: String) -> [String]? {
    var facts = stat()
    guard stat(path.forSystem, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else { return nil }
    let folder = path.hasSuffix("/") && path != "/" ? String(path.dropLast()) : path
    return FilePath.names(in: path).filter { !$0.hasPrefix(".") }.sorted().flatMap { name -> [String] in
      let entry = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
      guard lstat(entry.forSystem, &facts) == 0 else { return [] }
      if facts.st_mode & S_IFMT == S_IFDIR { return sessions(in: entry) ?? [] }
      return SessionLibrary.isSession(entry) && SessionFile.isSession(entry) ? [entry] : []
    }
  }
}

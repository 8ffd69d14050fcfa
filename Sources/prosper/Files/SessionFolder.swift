import Glibc
import ProsperKit

/// The session files in a folder and the folders in it, but not in hidden ones or behind symbolic links. Files that are
/// only parts of others are left out.
enum SessionFolder {
  /// The paths of the sessions in alphabetical order, beginning with `path`; nil if it is no folder.
  static func sessions(in path: String) -> [String]? { files(in: path).map(withoutParts) }

  private static func files(in path: String) -> [String]? {
    var facts = stat()
    guard stat(path.forSystem, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else { return nil }
    let folder = path.hasSuffix("/") && path != "/" ? String(path.dropLast()) : path
    return FilePath.names(in: path).filter { !$0.hasPrefix(".") }.sorted().flatMap { name -> [String] in
      let entry = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
      guard lstat(entry.forSystem, &facts) == 0 else { return [] }
      if facts.st_mode & S_IFMT == S_IFDIR { return files(in: entry) ?? [] }
      return SessionLibrary.isSession(entry) && SessionFile.isSession(entry) ? [entry] : []
    }
  }

  /// The sessions without files that are no sessions by themselves: those that another one includes, and those with
  /// nothing but sounds and parameters.
  static func withoutParts(_ paths: [String]) -> [String] {
    let reader = SessionFiles.SessionReader(catalogue: GeneratorDescription.builtIn)
    let readings = paths.map { try? reader.read(path: $0) }
    let included = Set(readings.flatMap { $0?.includedFiles ?? [] }.compactMap { FilePath.resolved($0) })
    return zip(paths, readings).filter { path, reading in
      guard let reading, reading.isPart, let file = FilePath.resolved(path) else { return true }
      return !included.contains(file) && !reading.diagnostics.contains { $0.code == .notASession }
    }.map(\.0)
  }
}

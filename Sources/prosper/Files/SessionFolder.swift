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
    let included = Set(
      zip(paths, readings).flatMap { path, reading in reading.map { includes(of: path, $0, reader) } ?? [] }
        .compactMap { FilePath.resolved($0) })
    return zip(paths, readings).filter { path, reading in
      guard let reading, reading.isPart, let file = FilePath.resolved(path) else { return true }
      return !included.contains(file) && !reading.diagnostics.contains { $0.code == .notASession }
    }.map(\.0)
  }

  /// The files that a session includes, with each value that a parameter can have: the path of an include may contain it.
  private static func includes(
    of path: String, _ reading: SessionFiles.SessionReader.Reading, _ reader: SessionFiles.SessionReader
  ) -> [String] {
    let choices = reading.parameters.flatMap { parameter in parameter.choices.map { (parameter.name, $0) } }
    return choices.prefix(mostChoices).reduce(into: reading.includedFiles) { files, choice in
      files += (try? reader.read(path: path, settings: [choice.0: choice.1]))?.includedFiles ?? []
    }
  }

  /// How often a session is read at most.
  private static let mostChoices = 64
}

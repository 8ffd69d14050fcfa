import Engine
import Glibc

extension Session {
  /// The sound files that are not there or are no files, each told once, where the session first names it.
  ///
  /// - Parameter problem: What is wrong with a path, as in "no such file"; nil for a file that can be opened.
  package func missingSounds(_ problem: (String) -> String? = Session.fileProblem) -> [Diagnostic] {
    var seen: Set<String> = []
    return sounds.sorted { $0.place < $1.place }.compactMap { sound in
      guard case .file(let file) = sound.source.origin, seen.insert(file).inserted, let what = problem(file) else {
        return nil
      }
      return Diagnostic(
        .error, path, sound.place, "the sound '\(shown(file, upTo: 4096))': \(what)",
        mend: "check the path; a relative path starts at the session file's folder")
    }
  }

  /// Every use of a sound.
  package var sounds: [Sound] {
    stages.flatMap { $0.tracks + $0.overlays.map(\.sound) + $0.gongs.map(\.sound) } + overlays.map(\.sound)
      + gongs.map(\.sound)
  }

  /// What keeps a path from being read as a sound file; nil when nothing does.
  package static func fileProblem(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return errno == ENOENT || errno == ENOTDIR ? "no such file" : String(cString: strerror(errno))
    }
    if let kind = SessionFile.kind(of: status.st_mode) { return "is a \(kind), not a sound file" }
    return access(path, R_OK) == 0 ? nil : String(cString: strerror(errno))
  }
}

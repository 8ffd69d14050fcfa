import Engine
import Glibc

extension Session {
  /// Errors for the sound files that can't be opened, one for each file, at its first use in the session.
  ///
  /// Checks the file system, so it may wait for a slow disk. Addresses and generated sounds are not checked.
  ///
  /// - Parameter problem: returns what is wrong with a path, as in "no such file", or nil if the file can be opened.
  ///   Tests replace it.
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

  /// Every use of a sound, in no particular order; a sound that is used twice appears twice.
  package var sounds: [Sound] {
    stages.flatMap { $0.tracks + $0.overlays.map(\.sound) + $0.gongs.map(\.sound) } + overlays.map(\.sound)
      + gongs.map(\.sound)
  }

  /// What keeps a path from being read as a sound file; nil if nothing does. The content is not checked.
  package static func fileProblem(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return errno == ENOENT || errno == ENOTDIR ? "no such file" : String(cString: strerror(errno))
    }
    if let kind = SessionFile.kind(of: status.st_mode) { return "is a \(kind), not a sound file" }
    return access(path, R_OK) == 0 ? nil : String(cString: strerror(errno))
  }
}

import Files
import Glibc
import Sounds

extension Session {
  /// Every use of a sound, in no particular order; a sound that is used twice appears twice.
  package var sounds: [Sound] {
    stages.flatMap { $0.tracks + $0.overlays.map(\.sound) + $0.gongs.map(\.sound) } + overlays.map(\.sound)
      + gongs.map(\.sound)
  }

  /// The paths of all sound files that the session names.
  package var files: [String] {
    (sounds + named.values).compactMap(\.source.origin.path)
  }

  /// Why the file at a path can't be read as a sound file; nil if it can. The content is not checked.
  package static func fileProblem(_ path: String) -> String? {
    var status = stat()
    guard stat(path.forSystem, &status) == 0 else {
      return errno == ENOENT || errno == ENOTDIR ? "no such file" : String(cString: strerror(errno))
    }
    if let kind = SessionFile.kind(of: status.st_mode) { return "is a \(kind), not a sound file" }
    return access(path.forSystem, R_OK) == 0 ? nil : String(cString: strerror(errno))
  }
}

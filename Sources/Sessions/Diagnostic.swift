package import Sounds

/// One problem of a session or script file: its position, what is wrong, and how to fix it.
package struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
  /// A file with an error can't be played; one with only warnings can.
  package enum Severity: String, Sendable, Hashable {
    case error, warning
  }

  package var severity: Severity
  /// The file as the user named it; for a single command, a word such as "command".
  package var path: String
  package var location: SourceLocation
  /// What is wrong, as a phrase that can follow a colon. It contains no line breaks.
  package var problem: String
  /// What to write instead.
  package var fix: String
  /// The number of problems that are not listed, if it only states that number; 0 for a problem.
  var unlisted = 0

  package init(_ severity: Severity, _ path: String, _ location: SourceLocation, _ problem: String, fix: String) {
    self.severity = severity
    self.path = path
    self.location = location
    self.problem = problem
    self.fix = fix
  }

  /// A problem of a sound, at the position where a session or script names it.
  ///
  /// The error's text is split at its first "; ", which separates the problem from the way to fix it. A missing file in
  /// the folder of `path` may be named by a relative path, so the fix says where such a path starts.
  package init(_ error: SourceError, in path: String, at location: SourceLocation) {
    // An address may contain a semicolon, but no space.
    let parts = String(describing: error).split(separator: "; ", maxSplits: 1)
    var fix = parts.count == 2 ? String(parts[1]) : "replace it, or remove it from the session"
    if case .missing(let file) = error, file.hasPrefix(SessionFile.folder(of: path) + "/") {
      fix += "; a relative path starts at the session file's folder"
    }
    self.init(.error, path, location, String(parts[0]), fix: fix)
  }

  /// `FILE:LINE:COLUMN: error: problem; fix`, on one line.
  package var description: String {
    "\(path):\(location.line):\(location.column): \(severity.rawValue): \(problem); \(fix)"
  }
}

package import Engine

/// One problem of a session or script file: where it is, what it is, and the mend.
package struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
  package enum Severity: String, Sendable, Hashable {
    case error, warning
  }

  package var severity: Severity
  package var path: String
  package var place: Place
  package var problem: String
  package var mend: String

  package init(_ severity: Severity, _ path: String, _ place: Place, _ problem: String, mend: String) {
    self.severity = severity
    self.path = path
    self.place = place
    self.problem = problem
    self.mend = mend
  }

  /// What is wrong with a sound, at the place where a session names it.
  package init(_ error: SourceError, in path: String, at place: Place) {
    // An address may hold a semicolon, but no space.
    let parts = String(describing: error).split(separator: "; ", maxSplits: 1)
    let mend = parts.count == 2 ? String(parts[1]) : "replace it, or take it out of the session"
    self.init(.error, path, place, String(parts[0]), mend: mend)
  }

  /// `FILE:LINE:COLUMN: error: what; the mend`, on one line.
  package var description: String {
    "\(path):\(place.line):\(place.column): \(severity.rawValue): \(problem); \(mend)"
  }
}

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

  /// `FILE:LINE:COLUMN: error: what; the mend`, on one line.
  package var description: String {
    "\(path):\(place.line):\(place.column): \(severity.rawValue): \(problem); \(mend)"
  }
}

/// One problem of a session or script file: its position, what is wrong, and how to fix it.
package struct Diagnostic: Error, Sendable, Hashable, CustomStringConvertible {
  /// A file with an error can't be played; one with only warnings can.
  package enum Severity: String, Sendable, Hashable {
    case error, warning
  }

  package var severity: Severity
  package var location: SourceLocation
  /// What is wrong, as a phrase that can follow a colon. It contains no line breaks.
  package var problem: String
  /// What to write instead.
  package var fix: String
  /// The number of problems that are not listed, if it only states that number; 0 for a problem.
  package var unlisted = 0

  package init(_ severity: Severity, _ location: SourceLocation, _ problem: String, fix: String) {
    (self.severity, self.location, self.problem, self.fix) = (severity, location, problem, fix)
  }

  /// An error.
  package init(_ location: SourceLocation, _ problem: String, fix: String) {
    self.init(.error, location, problem, fix: fix)
  }

  /// `FILE:LINE:COLUMN: error: problem; fix`, on one line.
  package var description: String { "\(location): \(severity.rawValue): \(problem); \(fix)" }
}

/// One problem of a session or script file: its position, what is wrong, and how to fix it.
public struct Diagnostic: Error, Sendable, Hashable, CustomStringConvertible {
  /// How severe a problem is.
  public enum Severity: String, Sendable, Hashable {
    /// The file can't be played, or only without some of its sounds.
    case error
    /// The file can be played.
    case warning
  }

  /// The severity of the problem.
  public var severity: Severity
  /// Where the problem is.
  public var location: SourceLocation
  /// What is wrong, as a phrase that can follow a colon, without a line break.
  public var problem: String
  /// What to write instead, without a line break.
  public var fix: String
  /// The number of problems that are not listed, if it only states that number; 0 for a problem.
  package var unlisted = 0

  package init(_ severity: Severity, _ location: SourceLocation, _ problem: String, fix: String) {
    (self.severity, self.location, self.problem, self.fix) = (severity, location, problem, fix)
  }

  /// An error.
  package init(_ location: SourceLocation, _ problem: String, fix: String) {
    self.init(.error, location, problem, fix: fix)
  }

  /// `FILE:LINE:COLUMN: error|warning: PROBLEM; FIX`, on one line.
  public var description: String { "\(location): \(severity.rawValue): \(problem); \(fix)" }
}

import Sessions

/// One problem of a session file: where it is, what is wrong, and how to fix it.
public struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
  /// How serious a problem is.
  public enum Severity: String, Sendable, Hashable {
    /// The session is not played, or not completely.
    case error
    /// The session is played.
    case warning
  }

  /// How serious the problem is.
  public let severity: Severity
  /// The path of the file, as it was given to the reader.
  public let path: String
  /// The line in the file, from 1.
  public let line: Int
  /// The column in the line, from 1, in Unicode scalars.
  public let column: Int
  /// What is wrong, without a line break.
  public let problem: String
  /// What to write instead, without a line break.
  public let fix: String

  /// `FILE:LINE:COLUMN: error|warning: PROBLEM; FIX`, on one line.
  public var description: String { "\(path):\(line):\(column): \(severity.rawValue): \(problem); \(fix)" }

  init(_ diagnostic: Sessions.Diagnostic) {
    severity = diagnostic.severity == .error ? .error : .warning
    path = diagnostic.path
    (line, column) = (diagnostic.location.line, diagnostic.location.column)
    (problem, fix) = (diagnostic.problem, diagnostic.fix)
  }
}

/// A session file that can't be opened. Mistakes in its content are a ``Diagnostic`` each.
public struct SessionFileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One sentence that names the file, the problem and how to fix it.
  public let description: String

  init(_ error: Sessions.SessionFileError) { description = error.description }
}

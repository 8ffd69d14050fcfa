import Markup
import SessionFiles

/// One problem of a session file: its position, what is wrong, and how to fix it.
public struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
  /// The severity of a problem.
  public enum Severity: String, Sendable, Hashable {
    /// The session can't be played, or only without some of its sounds.
    case error
    /// The session can be played.
    case warning
  }

  /// The severity of the problem.
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

  init(_ diagnostic: Markup.Diagnostic) {
    severity = diagnostic.severity == .error ? .error : .warning
    path = diagnostic.location.file
    (line, column) = (diagnostic.location.line, diagnostic.location.column)
    (problem, fix) = (diagnostic.problem, diagnostic.fix)
  }
}

/// The error for a session file that can't be opened. Mistakes in its content are reported as ``Diagnostic`` values.
public struct SessionFileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One sentence that names the file, the problem and how to fix it.
  public let description: String

  init(_ error: SessionFiles.SessionFileError) { description = error.description }
}

public import Sounds

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
  /// The kind of problem, which programs can rely on.
  public var code: Code
  /// Where the problem is.
  public var location: SourceLocation
  /// What is wrong, as a phrase that can follow a colon, without a line break.
  public var problem: String
  /// What to write instead, without a line break.
  public var fix: String
  /// The sound that the problem is about; nil if it is about none.
  public var sound: SoundSource?
  /// The number of problems that are not listed, if it only states that number; 0 for a problem.
  package var unlisted = 0

  package init(
    _ severity: Severity, _ code: Code, _ location: SourceLocation, _ problem: String, of sound: SoundSource? = nil,
    fix: String
  ) {
    (self.severity, self.code, self.location) = (severity, code, location)
    (self.problem, self.fix, self.sound) = (problem, fix, sound)
  }

  /// An error.
  package init(
    _ code: Code, _ location: SourceLocation, _ problem: String, of sound: SoundSource? = nil, fix: String
  ) {
    self.init(.error, code, location, problem, of: sound, fix: fix)
  }

  /// `FILE:LINE:COLUMN: error|warning: PROBLEM; FIX`, on one line. If the file was included, ` (included from
  /// FILE:LINE:COLUMN)` follows, with the place of each include.
  public var description: String { "\(location): \(severity.rawValue): \(advice)" }

  /// The places of the includes through which the file was read, the innermost first; none for a file that was read by
  /// itself.
  public var includedFrom: [SourceLocation] { location.includedFrom }

  /// The problem, its fix, and from where the file was included.
  package var advice: String {
    let words = location.includedFromWords
    return "\(problem); \(fix)" + (words.isEmpty ? "" : " (\(words.joined(separator: ", ")))")
  }

  /// With one of these begins what follows the fix of a problem in an included file.
  package static let trailBegins = [" (included from ", " (used in "]
}

import Markup
import Sounds

/// Collects errors and warnings while a timeline is laid out.
struct TimelineNotes {
  var problems: [TimelineFailure.Problem] = []
  var warnings: [Diagnostic] = []

  /// - Parameter cause: why a source can't be played; nil if the session file itself is wrong.
  mutating func error(_ location: SourceLocation, _ problem: String, fix: String, cause: SourceError? = nil) {
    let diagnostic = Diagnostic(location, problem, fix: fix)
    problems.append(TimelineFailure.Problem(diagnostic: diagnostic, cause: cause))
  }

  mutating func warn(_ location: SourceLocation, _ problem: String, fix: String) {
    warnings.append(Diagnostic(.warning, location, problem, fix: fix))
  }

  /// Throws all errors so far, if there are any.
  func check() throws(TimelineFailure) { if !problems.isEmpty { throw failure } }

  var failure: TimelineFailure {
    TimelineFailure(problems: problems.sorted { $0.diagnostic.location < $1.diagnostic.location })
  }
}

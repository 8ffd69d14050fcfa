import Markup
import Sounds

/// Collects errors and warnings while a timeline is laid out. The checks share it.
final class TimelineNotes {
  private(set) var problems: [TimelineFailure.Problem] = []
  private(set) var warnings: [Diagnostic] = []

  /// - Parameter cause: why a source can't be played; nil if the session file itself is wrong.
  func error(_ diagnostic: Diagnostic, cause: SourceError? = nil) {
    problems.append(TimelineFailure.Problem(diagnostic: diagnostic, cause: cause))
  }

  func error(
    _ code: Diagnostic.Code, _ location: SourceLocation, _ problem: String, of sound: SoundSource? = nil, fix: String
  ) {
    error(Diagnostic(code, location, problem, of: sound, fix: fix))
  }

  func warn(
    _ code: Diagnostic.Code, _ location: SourceLocation, _ problem: String, of sound: SoundSource? = nil, fix: String
  ) {
    warnings.append(Diagnostic(.warning, code, location, problem, of: sound, fix: fix))
  }

  /// Throws all errors so far, if there are any.
  func check() throws(TimelineFailure) {
    if problems.isEmpty { return }
    throw TimelineFailure(problems: problems.sorted { $0.diagnostic.location < $1.diagnostic.location })
  }
}

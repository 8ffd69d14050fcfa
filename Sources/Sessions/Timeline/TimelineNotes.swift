import Engine

/// Problems and warnings, gathered while a timeline is laid out.
struct TimelineNotes {
  let path: String
  var problems: [TimelineFailure.Problem] = []
  var warnings: [Diagnostic] = []

  mutating func error(_ place: Place, _ problem: String, mend: String, cause: SourceError? = nil) {
    let diagnostic = Diagnostic(.error, path, place, problem, mend: mend)
    problems.append(TimelineFailure.Problem(diagnostic: diagnostic, cause: cause))
  }

  mutating func warn(_ place: Place, _ problem: String, mend: String) {
    warnings.append(Diagnostic(.warning, path, place, problem, mend: mend))
  }

  func check() throws(TimelineFailure) { if !problems.isEmpty { throw failure } }

  var failure: TimelineFailure {
    TimelineFailure(problems: problems.sorted { $0.diagnostic.place < $1.diagnostic.place })
  }
}

import ProsperKit

/// The output of `check --json` for one file: a line for each problem, then a line with the verdict.
struct CheckReport {
  let jsonLines: String

  /// - Parameter status: the exit status for this file.
  init(_ plan: SessionPlan, _ status: ExitStatus) {
    var lines = (plan.fileProblem.map { [$0] } ?? plan.diagnostics).map { Self.line($0) }
    lines.append(Self.verdict(plan, status))
    jsonLines = lines.map { $0.description + "\n" }.joined()
  }

  private static func line(_ diagnostic: Markup.Diagnostic) -> JSONLine {
    [
      "v": 1, "file": diagnostic.location.file, "line": diagnostic.location.line, "column": diagnostic.location.column,
      "severity": diagnostic.severity.rawValue, "problem": diagnostic.problem, "fix": diagnostic.fix,
    ]
  }

  private static func verdict(_ plan: SessionPlan, _ status: ExitStatus) -> JSONLine {
    let errors = plan.diagnostics.count { $0.severity == .error } + (plan.failure == nil ? 0 : 1)
    var line: JSONLine = [
      "v": 1, "file": plan.path, "verdict": word(status), "exit": Int(status.rawValue), "errors": errors,
      "warnings": plan.diagnostics.count { $0.severity == .warning },
    ]
    if let timeline = plan.timeline {
      line.add("title", timeline.title)
      // Null for a session with an open stage.
      line.add("duration", seconds: timeline.end.map { timeline.rate.seconds($0) })
    }
    return line
  }

  private static func word(_ status: ExitStatus) -> String {
    if status == .finished { return "playable" }
    return status == .missingInput ? "inputMissing" : "invalid"
  }
}

import ArgumentParser
import Sessions

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Tells every problem of session files; plays nothing.",
    discussion: """
      One line a problem: FILE:LINE:COLUMN: error or warning: what; the mend. The sounds of a
      session without mistakes are decoded, too.
      Exit codes: 0 all can be played · 65 a file is invalid or a sound damaged · 66 a session or sound is missing or can't be played.
      """)

  @Argument(help: "Session files, JSON or YAML.")
  var sessions: [String]

  func validate() throws {
    if sessions.isEmpty { throw ValidationError("name at least one session file") }
  }

  func run() throws {
    var worst = ExitStatus.finished
    let out = LineWriter(descriptor: 1, endsWithReader: true)
    for path in sessions {
      var plan = SessionPlan(path: path)
      plan.noteDamage()
      if let failure = plan.failure { out.write(failure.description.withoutControls + "\n") }
      for diagnostic in plan.diagnostics { out.write(diagnostic.description.withoutControls + "\n") }
      out.flush()
      if worst == .finished || plan.status == .invalidData { worst = plan.status }
    }
    try out.finish()
    throw worst.code
  }
}

import ArgumentParser
import ProsperKit
import Sessions

/// `prosper check`: reports every problem of session files, one per line on stdout.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Reports every problem of session files without playing them.",
    discussion: """
      Prints one line per problem: FILE:LINE:COLUMN: error|warning: what is wrong; how to fix it. If the file itself \
      has no errors, every sound is decoded, too, to find damaged ones.

      Exit codes: 0 everything can be played · 65 a file is invalid or a sound is damaged · \
      66 a session or sound is missing or can't be played.
      """)

  @Argument(
    help: "Session files, JSON or YAML, or names of 'prosper sessions'; - for stdin.", completion: .session,
    transform: SessionLibrary.file)
  var sessions: [String]

  func validate() throws {
    if sessions.isEmpty { throw ValidationError("name at least one session file") }
  }

  func run() throws {
    var worst = ExitStatus.finished
    let out = LineWriter(descriptor: 1, endsWithReader: true)
    for path in sessions {
      var plan = SessionPlan.read(path)
      plan.noteDamage()
      if let failure = plan.failure { out.write(SessionPlan.text(of: failure).withoutControls + "\n") }
      for diagnostic in plan.diagnostics { out.write(diagnostic.description.withoutControls + "\n") }
      out.flush()
      // An invalid file matters more than a missing one, whatever their order.
      if worst == .finished || plan.status == .invalidData { worst = plan.status }
    }
    try out.finish()
    throw worst.code
  }
}

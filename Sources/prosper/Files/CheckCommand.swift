import ArgumentParser
import Glibc
import ProsperKit

/// `prosper check`: reports every problem of session files, one per line on stdout.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Reports every problem of session files without playing them.",
    usage: """
      prosper check SESSION...
      prosper check --strict morning.yaml evening.yaml
      """,
    discussion: """
      Prints one line per problem: FILE:LINE:COLUMN: error|warning: what is wrong; how to fix it. If the file itself \
      has no errors, every sound is decoded, too, to find damaged and silent ones.

      Exit codes: 0 everything can be played · 65 a file is invalid or a sound is damaged, or with --strict there is \
      a warning · 66 a session or sound is missing or can't be played.
      """)

  @Argument(
    help: "Session files, JSON or YAML, or names of 'prosper sessions'; - for stdin.", completion: .session,
    transform: SessionLibrary.file)
  var sessions: [String]

  @Flag(help: "Prints JSON Lines: an object for each problem, and after each file an object with the verdict.")
  var json = false

  @Flag(help: "Exits with 65 also if there are only warnings.")
  var strict = false

  func validate() throws {
    if sessions.isEmpty { throw ValidationError("name at least one session file") }
  }

  func run() throws {
    var worst = ExitStatus.finished
    let out = LineWriter(descriptor: 1, endsWithReader: true)
    for path in sessions {
      var plan = SessionPlan.read(path, measures: .all) { warning in
        if json { return }
        out.write(Self.line(of: warning))
        out.flush()
      }
      plan.examineSounds()
      plan.printMissingLevels()
      let status = strict && !plan.diagnostics.isEmpty && plan.status == .finished ? .invalidData : plan.status
      out.write(json ? CheckReport(plan, status).jsonLines : Self.text(of: plan))
      out.flush()
      // An invalid file matters more than a missing one, whatever their order.
      if worst == .finished || status == .invalidData { worst = status }
    }
    try out.finish()
    throw worst.code
  }

  private static func text(of plan: SessionPlan) -> String {
    let printed = Set(plan.localAddresses)
    let all = plan.fileProblem.map { [$0] } ?? plan.diagnostics
    let lines = all.filter { !printed.contains($0) }.map(line)
    // Programs expect nothing if there is no problem; a person wants to know that the file was checked.
    if all.isEmpty, isatty(1) == 1 { return "\(plan.path.withoutControls): no problems\n" }
    return lines.joined()
  }

  private static func line(of problem: Markup.Diagnostic) -> String {
    Hint.added(to: problem.description).withoutControls + "\n"
  }
}

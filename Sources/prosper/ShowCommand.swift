import ArgumentParser
import Glibc
import Sessions

struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Prints what a session will do, with exact times, before a note is played.",
    usage: """
      prosper show SESSION
      prosper show SESSION --json
      prosper show SESSION --svg timeline.svg
      """)

  @Argument(help: "The session file, JSON or YAML.")
  var session: String

  @Flag(help: "One JSON object with all stages, tracks, fades and cues, in seconds and frames.")
  var json = false

  @Flag(
    help:
      "What the player is told to do and when, one JSON object a line: to compare two plans, not to be played as a script."
  )
  var commands = false

  @Option(help: ArgumentHelp("Draws the timeline into this file.", valueName: "file"))
  var svg: String?

  func validate() throws {
    if json, commands { throw ValidationError("--json and --commands exclude each other; give one") }
  }

  func run() throws {
    let plan = SessionPlan(path: session)
    plan.complain()
    guard let timeline = plan.timeline else { throw plan.status.code }
    let report = TimelineReport(timeline)
    if let svg { try draw(report, into: svg) } else { try print(report) }
    if plan.status != .finished { throw plan.status.code }
  }

  private func print(_ report: TimelineReport) throws {
    let out = LineWriter(descriptor: 1)
    if json {
      report.json(out.write)
    } else if commands {
      report.commands(out.write)
    } else {
      report.text(out.write)
    }
    try out.finish()
  }

  private func draw(_ report: TimelineReport, into path: String) throws {
    guard FileIdentity(path) == nil || FileIdentity(path) != FileIdentity(session) else {
      Complaint.say("--svg \(path) is the session itself; choose another name")
      throw ExitStatus.usage.code
    }
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard 0 <= file else {
      Complaint.say("\(path): can't be created: \(String(cString: strerror(errno)).lowercased()); choose another place")
      throw ExitStatus.cannotCreate.code
    }
    let out = LineWriter(descriptor: file)
    report.svg(out.write)
    guard out.flush(), close(file) == 0 else {
      Complaint.say("\(path): can't be written: \(String(cString: strerror(errno)).lowercased()); make room")
      throw ExitStatus.cannotWrite.code
    }
  }
}

import ArgumentParser
import Glibc
import ProsperKit

/// `prosper show`: prints or draws the timeline of a session.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Prints the timeline of a session with exact times, without playing it.",
    usage: """
      prosper show SESSION
      prosper show SESSION --json
      prosper show SESSION --duration 12m
      prosper show SESSION --svg timeline.svg
      """)

  @Argument(
    help: "The session: a file, JSON or YAML, a name of 'prosper sessions', or - for stdin.", completion: .session,
    transform: SessionLibrary.file)
  var session: String

  @Flag(help: "Prints one JSON object with all stages, tracks, fades and cues, in seconds and frames.")
  var json = false

  @Flag(
    help:
      "Prints the session as commands with times, one JSON object per line: to compare sessions, not to use as a script."
  )
  var commands = false

  @Option(
    help: ArgumentHelp("Draws the timeline as an SVG picture into this file; - is stdout.", valueName: "file"),
    completion: .file())
  var svg: String?

  @Option(
    help: ArgumentHelp(
      "Stretches or shortens the session to this length, as 'prosper play --duration' does.", valueName: "duration"))
  var duration: String?

  func validate() throws {
    if json, commands { throw ValidationError("--json and --commands can't be combined; give only one") }
    if svg != nil, json || commands {
      throw ValidationError("--svg can't be combined with --json or --commands; give only one")
    }
  }

  func run() throws {
    var plan = SessionPlan.read(session, measures: commands || svg != nil ? .levelled : .all)
    do throws(Refusal) { try plan.fit(to: try FittedLength.seconds(duration)) } catch {
      StandardError.say(error.reason)
      throw ExitStatus.usage.code
    }
    plan.printProblems()
    guard let timeline = plan.timeline else { throw plan.status.code }
    if let svg {
      try draw(timeline, into: svg, sparing: plan.inputs)
    } else {
      try print(timeline, as: json ? .json : commands ? .commands : .text)
    }
    // The timeline is printed without the sounds that can't be played, and the exit code reports them.
    if plan.status != .finished { throw plan.status.code }
  }

  private func print(_ timeline: Timelines.Timeline, as format: TimelineReport, endsWithReader: Bool = false) throws {
    let out = LineWriter(descriptor: 1, endsWithReader: endsWithReader)
    format.write(timeline, out.write)
    try out.finish()
  }

  private func draw(_ timeline: Timelines.Timeline, into path: String, sparing inputs: [String]) throws {
    if path == "-" { return try print(timeline, as: .svg, endsWithReader: true) }
    try TextFile.write(to: path, .replace, sparing: inputs) { TimelineReport.svg.write(timeline, $0.write) }
  }
}

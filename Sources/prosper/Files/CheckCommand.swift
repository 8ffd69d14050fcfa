import ArgumentParser
import Glibc
import ProsperKit

/// `prosper check`: reports every problem of session files and scripts, one per line on stdout.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Reports every problem of session files and scripts without playing them.",
    usage: """
      prosper check SESSION|FOLDER...
      prosper check --strict morning.yaml evening.yaml
      prosper check session.yaml --script script.jsonl
      prosper check sessions --junit check.xml
      """,
    discussion: """
      Prints one line per problem: FILE:LINE:COLUMN: error|warning: what is wrong; how to fix it. If the file itself \
      has no errors, every sound is decoded, too, to find damaged and silent ones. Of a folder, all sessions in it and \
      in its folders are checked: JSON and YAML files with the key 'prosper'.

      Exit codes: 0 everything can be played · 65 a file is invalid or a sound is damaged, or with --strict there is \
      a warning · 66 a session, script or sound is missing or can't be played · 73 or 74 the file of --junit can't be \
      written.
      """)

  @Argument(
    help: "Session files, JSON or YAML, or names of 'prosper sessions', or folders; - for stdin.",
    completion: .session, transform: SessionLibrary.file)
  var sessions: [String]

  @Option(
    help: ArgumentHelp(
      "Also checks a script for the session, which must be the only one. Can be given several times.",
      valueName: "file"),
    completion: .file(extensions: ["jsonl", "json", "yaml", "yml"]))
  var script: [String] = []

  @OptionGroup var parameters: SettingOptions

  @Flag(help: "Prints JSON Lines: an object for each problem, and after each file an object with the verdict.")
  var json = false

  @Flag(help: "Prints annotations for GitHub's workflows, which shows each problem at its line.")
  var github = false

  @Option(
    help: ArgumentHelp("Also writes a JUnit XML file with a test case for each file.", valueName: "file"),
    completion: .file(extensions: ["xml"]))
  var junit: String?

  @Flag(help: "Exits with 65 also if there are only warnings.")
  var strict = false

  func validate() throws {
    if sessions.isEmpty { throw ValidationError("name at least one session file or folder") }
    if json, github { throw ValidationError("--json and --github can't be combined; give only one") }
    if !script.isEmpty, sessions.count != 1 || SessionFolder.sessions(in: sessions[0]) != nil {
      throw ValidationError("a script belongs to one session; give only its session file")
    }
  }

  func run() throws {
    let out = LineWriter(descriptor: 1, endsWithReader: true)
    var checked: [CheckedFile] = []
    var (inputs, known) = (script, [SessionParameter]())
    let isSeveral = sessions.count != 1 || SessionFolder.sessions(in: sessions[0]) != nil
    try TextFile.check([junit].compactMap(\.self), sparing: script + sessions)
    let report = { (file: CheckedFile) in
      checked.append(file)
      out.write(text(of: file))
      out.flush()
    }
    for argument in sessions {
      let files = SessionFolder.sessions(in: argument)
      if let files, files.isEmpty { report(CheckedFile(emptyFolder: argument)) }
      for path in files ?? [argument] {
        let plan = examined(path, isSeveral ? parameters.settingsForSeveral : parameters.repeatableSettings, out)
        inputs += plan.inputs
        known += plan.parameters
        report(CheckedFile(plan, isStrict: strict))
        // What its commands may name is known only from a session without errors.
        for path in script where plan.scope != nil {
          let file = CheckedFile(script: path, of: plan, isStrict: strict)
          inputs += file.inputs
          report(file)
        }
      }
    }
    if let junit {
      try JUnitReport(name: "prosper check", cases: checked.map(\.testCase)).write(to: junit, sparing: inputs)
    }
    try out.finish()
    if isSeveral { try parameters.check(known) }
    // An invalid file matters more than a missing one, whatever their order.
    let statuses = checked.map(\.status)
    throw (statuses.first { $0 == .invalidData } ?? statuses.first { $0 != .finished } ?? .finished).code
  }

  private func examined(_ path: String, _ settings: SessionSettings, _ out: LineWriter) -> SessionPlan {
    var plan = SessionPlan.read(path, settings: settings, measures: .all) { warning in
      if json || github { return }
      out.write(CheckedFile.line(of: warning))
      out.flush()
    }
    let progress = ProgressLine("decoding the sounds of \(FilePath.parts(of: path).last ?? "")")
    plan.examineSounds { progress.show(Double($0) / Double(max(1, $1)), "\($0) of \($1)") }
    progress.end()
    return plan
  }

  private func text(of file: CheckedFile) -> String {
    if json { return file.jsonLines }
    if github { return file.annotations }
    // Programs expect nothing if there is no problem; a person wants to know that the file was checked.
    if file.problems.isEmpty, isatty(1) == 1 { return "\(file.path.withoutControls): no problems\n" }
    return file.text
  }
}

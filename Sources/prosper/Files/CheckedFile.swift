import ProsperKit

/// What `prosper check` found in one session or script.
struct CheckedFile {
  /// As the user gave it.
  var path: String
  /// Every problem in the order of the file; of a great number only the first ones.
  var problems: [Markup.Diagnostic]
  /// The exit status for this file.
  var status: ExitStatus
  /// Title and length in seconds of a session; nil for a script, and for a session that can't be played. The length of
  /// a session with an open stage is nil.
  var session: (title: String, duration: Double?)?
  /// Problems that have been printed as text already.
  var printed: Set<Markup.Diagnostic> = []
  /// The sound files that a script adds.
  private(set) var inputs: [String] = []

  /// - Parameter isStrict: whether a warning makes the file invalid.
  init(_ plan: SessionPlan, isStrict: Bool) {
    self.init(path: plan.path, plan.fileProblem.map { [$0] } ?? plan.diagnostics, plan.status, isStrict: isStrict)
    session = plan.layout.map { layout in (layout.programme.title, layout.end.map { layout.rate.seconds($0) }) }
    printed = Set(plan.localAddresses)
  }

  init(script path: String, of plan: SessionPlan, isStrict: Bool) {
    do throws(SessionFileError) {
      let reading = try plan.script(at: path)
      let missing = reading?.script?.missing ?? []
      let problems = (reading?.diagnostics ?? []) + missing
      let isInvalid = reading.map { $0.script == nil } ?? false
      self.init(
        path: path, problems, isInvalid ? .invalidData : missing.isEmpty ? .finished : .missingInput,
        isStrict: isStrict)
      inputs = (reading?.script?.sources ?? []).compactMap(\.origin.path)
    } catch {
      let problem = Diagnostic(error.code, SourceLocation(file: path), error.problem, fix: error.fix)
      self.init(path: path, [problem], .missingInput, isStrict: isStrict)
    }
  }

  /// A folder without a session.
  init(emptyFolder path: String) {
    let problem = Diagnostic(
      .empty, SourceLocation(file: path), "this folder has no session", fix: "give a folder with JSON or YAML sessions")
    self.init(path: path, [problem], .missingInput, isStrict: false)
  }

  private init(path: String, _ problems: [Markup.Diagnostic], _ status: ExitStatus, isStrict: Bool) {
    self.path = path
    self.problems = problems
    self.status = isStrict && status == .finished && !problems.isEmpty ? .invalidData : status
  }
}

extension CheckedFile {
  /// One line for each problem that has not been printed.
  var text: String { problems.filter { !printed.contains($0) }.map(Self.line).joined() }

  /// A problem as a line for a person.
  static func line(of problem: Markup.Diagnostic) -> String {
    Hint.added(to: problem.description).withoutControls + "\n"
  }

  /// An annotation of GitHub's workflows for each problem.
  var annotations: String {
    problems.map { problem in
      let location = problem.location
      let place = "file=\(Self.property(location.file)),line=\(location.line),col=\(location.column)"
      let message = Self.escaped(problem.advice.withoutControls)
      return "::\(problem.severity.rawValue) \(place),title=\(problem.code.rawValue)::\(message)\n"
    }.joined()
  }

  /// Percent signs and line breaks begin an escape sequence in a workflow command.
  private static func escaped(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }

  private static func property(_ text: String) -> String {
    escaped(text.withoutControls).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }

  /// A line for each problem, then a line with the verdict.
  var jsonLines: String { (problems.map(Self.json) + [verdict]).map { "\($0)\n" }.joined() }

  private static func json(_ problem: Markup.Diagnostic) -> JSONLine {
    [
      "v": 1, "file": problem.location.file, "line": problem.location.line, "column": problem.location.column,
      "severity": problem.severity.rawValue, "code": problem.code.rawValue, "problem": problem.problem,
      "fix": problem.fix, "sound": IfAny(problem.sound?.address),
      "includedFrom": IfAny(problem.includedFrom.isEmpty ? nil : problem.includedFrom.map(place)),
    ]
  }

  private static func place(_ location: SourceLocation) -> JSONLine {
    ["file": location.file, "line": location.line, "column": location.column]
  }

  private var verdict: JSONLine {
    var line: JSONLine = [
      "v": 1, "file": path, "verdict": word, "exit": Int(status.rawValue),
      "errors": problems.count { $0.severity == .error }, "warnings": problems.count { $0.severity == .warning },
    ]
    if let session {
      line.add("title", session.title)
      line.add("duration", seconds: session.duration)
    }
    return line
  }

  private var word: String {
    switch status {
    case .finished: "playable"
    case .missingInput: "inputMissing"
    default: "invalid"
    }
  }
}

extension CheckedFile {
  /// The test case of a file, which fails if its status is not that of a file that can be played.
  var testCase: JUnitReport.Case {
    let failures = problems.filter { $0.severity == .error || status != .finished }
    let lines = problems.map { $0.description.withoutControls }
    let result: JUnitReport.Result =
      switch status {
      case .finished: .passed
      case .missingInput: .error(Self.message(failures), type: Self.type(failures))
      default: .failed(Self.message(failures), type: Self.type(failures))
      }
    let place = failures.first?.location
    return JUnitReport.Case(
      name: path, file: path, line: (place?.includedFrom.last ?? place)?.line, result: result, output: lines)
  }

  private static func message(_ problems: [Markup.Diagnostic]) -> String {
    guard let first = problems.first else { return "" }
    let place = first.includedFrom.isEmpty ? "" : first.location.file + ":"
    return "\(place)\(first.location.line):\(first.location.column): \(first.advice)".withoutControls
  }

  private static func type(_ problems: [Markup.Diagnostic]) -> String { problems.first?.code.rawValue ?? "" }
}

import ProsperKit

/// A session in a list: its name, its title, its length and its stages.
struct ListedSession {
  let entry: SessionLibrary.Entry
  let title: String
  let length: Length
  /// The names of the stages, and their lengths in seconds; nil for an open one.
  let stages: [(name: String, seconds: Double?)]
  /// Why it can't be played; nil if it can, or if only a download can tell.
  let problem: String?
  /// The parameters with their values; those without a default must be given before it is played.
  let parameters: [SessionParameter]
  /// Whether its file has no mistakes.
  let isReadable: Bool
  /// Whether it can't be played only because a parameter has no value.
  private let needsValues: Bool
  /// The time in seconds at which it was interrupted; nil if it was not.
  let interruption: Double?

  enum Length { case seconds(Double), open, unknown }

  /// Sends no request: a session with a sound that has not been downloaded has no known length.
  init(_ entry: SessionLibrary.Entry) {
    let reader = SessionFiles.SessionReader(catalogue: GeneratorDescription.builtIn)
    let reading = try? reader.read(path: entry.path)
    self.entry = entry
    parameters = reading?.parameters ?? []
    let missing = parameters.filter { $0.standard == nil }.map(\.name)
    if reading?.session == nil, !missing.isEmpty {
      (title, isReadable, length, stages, interruption) = (reading?.title ?? entry.name, true, .unknown, [], nil)
      problem = "it needs a value for \(missing.joined(separator: " and "))"
      needsValues = true
      return
    }
    needsValues = false
    guard let session = reading?.session else {
      let mistake = reading?.diagnostics.first { $0.severity == .error }
      (title, isReadable, length, stages, interruption) = (entry.name, false, .unknown, [], nil)
      problem = mistake.map { "line \($0.location.line): \($0.problem)" } ?? "it can't be read"
      return
    }
    (title, isReadable) = (session.title, true)
    let timeline: Timelines.Timeline?
    do throws(TimelineFailure) {
      timeline = try Timelines.Timeline.compile(session, library: Sounds.cached).timeline
      problem = nil
    } catch {
      timeline = nil
      problem = error.problems.first(where: \.isFatal)?.diagnostic.problem
    }
    length = timeline.map { line in line.end.map { .seconds(line.rate.seconds($0)) } ?? .open } ?? .unknown
    stages = (timeline?.stages ?? []).map { stage in
      (stage.name, stage.end.flatMap { end in timeline?.rate.seconds(end - stage.begin) })
    }
    interruption = timeline.flatMap { ResumePoint.time(of: entry.path, in: $0.programme) }
  }

  func text(width: Int) -> String {
    let gap = { (text: String, width: Int) in String(repeating: " ", count: max(0, width - text.count)) }
    let line = "\(entry.name)\(gap(entry.name, width))  \(gap(time, 7))\(time)  \(title)".withoutControls
    let indent = String(repeating: " ", count: width + 11)
    return ([line] + parameters.map { (indent + $0.line).withoutControls }).joined(separator: "\n")
  }

  private var time: String {
    switch length {
    case .seconds(let seconds): clockText(seconds)
    case .open: "open"
    case .unknown: "?"
    }
  }

  var json: String { (["v": 1] as JSONLine + members).description }

  /// The same for the page, with what draws it. The page asks for values that are missing.
  func page(isPlaying: Bool) -> JSONLine {
    let stages = stages.map { stage -> JSONLine in ["name": stage.name, "seconds": Rounded(stage.seconds)] }
    return members
      + [
        "stages": stages, "problem": IfAny(needsValues ? nil : problem),
        "resume": Rounded(isPlaying ? nil : interruption),
        "playing": isPlaying,
      ]
  }

  private var members: JSONLine {
    var line = JSONLine()
    line.add("name", entry.name)
    line.add("title", title)
    if case .seconds(let seconds) = length {
      line.add("seconds", seconds: seconds)
    } else {
      line.add("seconds", seconds: nil)
    }
    line.add("path", entry.path)
    line.add("parameters", IfAny(parameters.isEmpty ? nil : parameters.map(\.json)))
    return line
  }
}

extension TimelineFailure.Problem {
  /// Whether the session can't be played because of it. Sounds that can't be decoded are left out, and others may only
  /// not be downloaded yet.
  fileprivate var isFatal: Bool {
    switch cause {
    case .none: true
    case .remote, .speech(.notRendered): false
    case .some(let cause): cause.isMissing
    }
  }
}

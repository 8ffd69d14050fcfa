import Files
package import Markup
import Player
import Schedule
package import SessionFiles
package import Sounds

/// Reads scripts: a JSON array, JSON Lines, or a YAML list, which may contain comments.
///
/// It reads files and may wait for the network (`remoteProblem`), so call it on a thread that may block.
package struct ScriptReader: Sendable {
  /// The generators that `"generate:NAME"` may name.
  package var catalogue: [GeneratorDescription]
  /// The stages and sounds of the session to which the commands may refer.
  package var scope: CommandScope
  /// The absolute path that replaces the `~` of `~/`; nil leaves such a path unexpanded.
  package var home: String?
  /// Why the sound at an address can't be played; nil if it can. May download the sound to find out.
  package var remoteProblem: @Sendable (_ address: String) -> SourceError? = { _ in nil }
  /// Why a text can't be spoken; nil if it can. Waits until it has been spoken.
  package var speechProblem: @Sendable (_ text: Spoken) -> SourceError? = { _ in nil }

  package init(
    scope: CommandScope, catalogue: [GeneratorDescription], home: String? = ProcessInput.variable("HOME")
  ) {
    (self.scope, self.catalogue, self.home) = (scope, catalogue, home)
  }

  /// The result of reading one script.
  package struct Reading: Sendable {
    /// Nil exactly when a diagnostic is an error.
    package var script: Script?
    /// Every problem that was found, in order of position.
    package var diagnostics: [Diagnostic]
  }

  /// Reads a script file.
  ///
  /// - Throws: if the file can't be read. Mistakes in its content are diagnostics.
  package func read(path: String) throws(SessionFileError) -> Reading {
    let bytes = try SessionFile.bytes(path)
    do throws(Diagnostic) {
      return read(text: try TextBytes.text(bytes, file: path), path: path, folder: SessionFile.folder(of: path))
    } catch {
      return Reading(script: nil, diagnostics: [error])
    }
  }

  /// - Parameter folder: absolute. Relative sound paths start here, or at the session's folder if there is no such file
  ///   here.
  package func read(text: String, path: String, folder: String) -> Reading {
    do throws(Diagnostic) {
      let (nodes, errors) = try Self.lines(of: text, path: path)
      return reading(of: nodes, errors, folder)
    } catch {
      return Reading(script: nil, diagnostics: [error])
    }
  }

  /// Reads each line, continues after errors, and collects the missing sounds.
  private func reading(of nodes: [Node], _ errors: [Diagnostic], _ folder: String) -> Reading {
    let problems = Problems()
    for error in errors { problems.report(error.code, error.location, error.problem, fix: error.fix) }
    let parser = ScriptLineParser(
      CommandParser(catalogue: catalogue, folder: folder, home: home, scope: scope, problems))
    var script = Script(lines: [])
    var seen: Set<String> = []
    for node in nodes {
      if SoundLineParser.isAboutSound(node) {
        if let facts = SoundLineParser(problems).facts(node) { script.sound.append(facts) }
        continue
      }
      guard let line = parser.line(node, after: script.lines.last) else { continue }
      script.lines.append(line)
      script.missing += missing(line, &seen)
    }
    warnOfTitles(in: script, problems)
    return Reading(script: problems.hasErrors ? nil : script, diagnostics: problems.sorted)
  }

  /// Warns of expected titles that no sound of the session or the script has: they never come.
  private func warnOfTitles(in script: Script, _ problems: Problems) {
    let commanded = script.lines.flatMap { line -> [Cue] in
      if case .command(let command) = line.act { command.cues } else { [] }
    }
    let known = scope.titles.union(commanded.map(\.title))
    for line in script.lines {
      for title in line.expectedTitles where !known.contains(title) {
        problems.warn(
          .unknownName, line.location, "no sound of the session or the script has the title '\(shown(title))'",
          fix: Suggestion.fix(for: title, among: known.sorted()))
      }
    }
  }

  /// The lines, and the errors of those that can't be read. A malformed JSON array or YAML file has no lines, because
  /// it is one document. In JSON Lines, a malformed line does not affect the others.
  private static func lines(
    of text: String, path: String
  ) throws(Diagnostic) -> (values: [Node], errors: [Diagnostic]) {
    let isYAML = [".yaml", ".yml"].contains { path.lowercased().hasSuffix($0) }
    let first = text.first { !$0.isWhitespace }
    guard first != nil else {
      throw Diagnostic(
        .empty, SourceLocation(file: path), "the script is empty",
        fix: "write a line such as {\"at\": \"10s\", \"do\": \"next\"}")
    }
    guard isYAML || first == "[" else { return JSONReader.lines(text, file: path) }
    let root = isYAML ? try YAMLReader.read(text, file: path) : try JSONReader.read(text, file: path)
    guard case .list(let lines) = root.content else {
      throw Diagnostic(.invalidValue, root.location, "the script is \(root.kind)", fix: "write a list of script lines")
    }
    return (lines, [])
  }

  /// Errors for the sounds of a line that can't be opened; each sound is reported once per script.
  private func missing(_ line: Script.Line, _ seen: inout Set<String>) -> [Diagnostic] {
    guard case .command(let command) = line.act else { return [] }
    return command.cues.compactMap { cue in
      switch cue.source.origin {
      case .file(let file): seen.insert(file).inserted ? Self.missing(file, cue.source, at: line.location) : nil
      case .remote(let address):
        seen.insert(address).inserted
          ? remoteProblem(address).map { Diagnostic($0, of: cue.source, at: line.location) } : nil
      case .spoken(let spoken):
        seen.insert(cue.source.address).inserted
          ? speechProblem(spoken).map { Diagnostic($0, of: cue.source, at: line.location) } : nil
      case .generated: nil
      }
    }
  }

  private static func missing(_ file: String, _ sound: SoundSource, at location: SourceLocation) -> Diagnostic? {
    Session.fileProblem(file).map { what in
      Diagnostic(
        .fileNotFound, location, "the sound '\(shown(file, upTo: 4096))': \(what)", of: sound,
        fix: "check the path; a relative path starts at the script's folder, or else at the session's")
    }
  }
}

extension ScriptReader.Reading {
  /// Warns of spans of the sound that begin after the session, unless a command of the script may make it longer.
  ///
  /// - Parameter end: the second at which the last sound of the session ends.
  package mutating func warnOfSpans(beyond end: Double) {
    guard let script, !script.lines.contains(where: \.mayLengthenSession) else { return }
    for span in script.sound where end <= span.from ?? 0 {
      diagnostics.append(
        Diagnostic(
          .warning, .neverReached, span.location,
          "the span begins after the session, which ends at \(JSONLine.seconds(end)) s",
          fix: "choose an earlier 'from'"))
    }
    diagnostics = diagnostics.inOrder
  }
}

extension Script.Line {
  /// Whether it is a command after which the session may be longer than planned.
  fileprivate var mayLengthenSession: Bool {
    guard case .command(let command) = act else { return false }
    switch command {
    case .play, .pause, .resume, .toggle, .stop, .finish, .volume, .metrics, .nextStage: return false
    default: return true
    }
  }

  /// The titles of sounds that an expectation or a condition waits for.
  fileprivate var expectedTitles: [String] {
    var all: [Facts] = []
    if case .expect(let facts, _) = act { all.append(facts) }
    if case .when(let facts) = time { all.append(facts) }
    return all.flatMap { facts -> [String] in
      // That something never plays can be expected of any title.
      let event = facts.event.flatMap { $0.count == 0...0 || $0.name == "session.started" ? nil : $0.title }
      return (facts.overlays ?? []) + [facts.track, event].compactMap(\.self)
    }
  }
}

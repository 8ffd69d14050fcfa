package import Engine
package import Player

/// Reads commands while a session is played, one JSON object at a time.
package struct CommandReader: Sendable {
  package var catalogue: [GeneratorDescription]
  /// Nil away from the session: whatever depends on its stages and sounds then passes.
  package var scope: CommandScope?
  /// What `~/` stands for.
  package var home: String?

  package init(scope: CommandScope?, catalogue: [GeneratorDescription], home: String? = nil) {
    self.scope = scope
    self.catalogue = catalogue
    self.home = home
  }

  package struct Reading: Sendable {
    /// Nil exactly when there are diagnostics.
    package var command: Command?
    package var diagnostics: [Diagnostic]
  }

  /// - Parameter path: what diagnostics begin with.
  package func command(_ text: String, path: String = "command") -> Reading {
    do throws(TextError) {
      var parser = parser(path: path)
      let command = parser.fields(try JSONReader.read(text)).flatMap { parser.command($0) }
      return Reading(command: command, diagnostics: parser.problems.sorted)
    } catch {
      return Reading(diagnostics: [Diagnostic(.error, path, error.place, error.problem, mend: error.mend)])
    }
  }

  /// A line of a remote control: a command, or what only a remote control asks for; with an `id` that is repeated.
  package func request(_ line: String) -> ControlRequest {
    do throws(TextError) {
      return request(try JSONReader.read(line))
    } catch {
      return ControlRequest(.refused("column \(error.place.column): \(error.problem); \(error.mend)"))
    }
  }

  private func request(_ markup: Markup) -> ControlRequest {
    var parser = parser(path: "command")
    guard let fields = parser.anyFields(markup, "a command") else { return refusal(of: nil, parser.problems) }
    let id = fields["id"]?.scalarText
    if fields["id"] != nil, id == nil {
      parser.report(fields.place(of: "id"), "'id' is no plain value", mend: "write a number or text")
    }
    guard parser.hasVerb(fields) else { return refusal(of: id, parser.problems) }
    if let request = ownRequest(id, fields, &parser) { return request }
    guard !parser.problems.hasErrors, let command = parser.command(fields, besides: ["id"]),
      !parser.problems.hasErrors
    else {
      return refusal(of: id, parser.problems)
    }
    return ControlRequest(id: id, .command(command))
  }

  /// `status` and `events`, which no script knows.
  private func ownRequest(_ id: String?, _ fields: Fields, _ parser: inout SessionParser) -> ControlRequest? {
    guard let verb = fields["do"]?.string, let keys = Self.own[verb] else { return nil }
    for entry in fields.entries.values where !(["do", "id"] + keys).contains(entry.key) {
      parser.reportUnknown(entry, in: "'\(verb)'", keys: keys + ["id"])
    }
    let wantsFigures = parser.flag(fields["metrics"], "metrics") ?? false
    let schema = parser.wholeNumber(fields["schema"], "schema", in: 1...2).flatMap(StateSchema.init)
    if parser.problems.hasErrors { return nil }
    let ask: ControlRequest.Ask = verb == "events" ? .events : wantsFigures ? .figures : .status
    return ControlRequest(id: id, ask, schema: schema ?? .full)
  }

  /// The verbs, each with its keys.
  private static let own = ["status": ["metrics", "schema"], "events": ["schema"]]

  private func refusal(of id: String?, _ problems: Problems) -> ControlRequest {
    let words = problems.sorted.map { "\($0.problem); \($0.mend)" }
    return ControlRequest(id: id, .refused(words.joined(separator: ". ")))
  }

  private func parser(path: String) -> SessionParser {
    var parser = SessionParser(
      catalogue: catalogue, folder: scope?.folder ?? "/", home: home, problems: Problems(path: path),
      sounds: scope?.sounds.mapValues(Optional.some) ?? [:], scope: scope)
    parser.knowsNames = scope != nil
    return parser
  }
}

extension SessionParser {
  /// The keys of a command, whichever they are, with a `do` among them.
  fileprivate mutating func fields(_ node: Markup) -> Fields? {
    guard let fields = anyFields(node, "a command"), hasVerb(fields) else { return nil }
    return fields
  }

  /// Whether they can be read as a command.
  fileprivate mutating func hasVerb(_ fields: Fields) -> Bool {
    if fields["do"] == nil { report(fields.place, "a command has no 'do'", mend: "add it, as in {\"do\":\"next\"}") }
    return !problems.hasErrors
  }
}

extension Markup {
  /// A plain value as JSON text; nil for groups and lists.
  fileprivate var scalarText: String? {
    switch content {
    case .text(let text): JSONLine.quoted(text)
    case .word(let word): word
    default: nil
    }
  }
}

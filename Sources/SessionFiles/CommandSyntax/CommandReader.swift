import Files
import Glibc
package import Markup
package import Player
package import Sounds

/// Reads single commands, one JSON object per call: from `prosper ctl` and other clients of the control socket.
///
/// It is a value without state between calls, so it may be copied and used on any thread.
package struct CommandReader: Sendable {
  /// The generators that `"generate:NAME"` may name.
  package var catalogue: [GeneratorDescription]
  /// What commands may refer to; nil without a session. The names of stages and sounds are then not checked.
  package var scope: CommandScope?
  /// The absolute path that replaces the `~` of `~/`; nil leaves such a path unexpanded.
  package var home: String?

  package init(
    scope: CommandScope?, catalogue: [GeneratorDescription], home: String? = ProcessInput.variable("HOME")
  ) {
    self.scope = scope
    self.catalogue = catalogue
    self.home = home
  }

  /// The result of reading one command.
  package struct Reading: Sendable {
    /// Nil exactly when there are diagnostics.
    package var command: Command?
    /// Every problem that was found, in order of position.
    package var diagnostics: [Diagnostic]
  }

  /// Reads one command from a JSON object.
  ///
  /// - Parameter path: the name at the start of each diagnostic; commands have no file, so it is usually not a path.
  package func command(_ text: String, path: String = "command") -> Reading {
    do throws(TextError) {
      var parser = parser(path: path)
      let command = parser.fields(try JSONReader.read(text)).flatMap { parser.command($0) }
      return Reading(command: command, diagnostics: parser.problems.sorted)
    } catch {
      return Reading(diagnostics: [Diagnostic(.error, path, error.location, error.problem, fix: error.fix)])
    }
  }

  /// Reads one line from a remote control: a command, or one of the requests that only remote controls make (`status`,
  /// `events`).
  ///
  /// The line may carry an `id`, any plain JSON value, which the reply repeats. A malformed line yields a `.refused`
  /// request, so that the connection can report it and stay open.
  package func request(_ line: String) -> ControlRequest {
    do throws(TextError) {
      return request(try JSONReader.read(line))
    } catch {
      return ControlRequest(.refused("column \(error.location.column): \(error.problem); \(error.fix)"))
    }
  }

  private func request(_ markup: Node) -> ControlRequest {
    var parser = parser(path: "command")
    parser.scope?.stages = nil
    guard let fields = parser.anyFields(markup, "a command") else { return refusal(of: nil, parser.problems) }
    let id = fields["id"]?.scalarText
    if fields["id"] != nil, id == nil {
      parser.report(fields.location(of: "id"), "'id' is not a plain value", fix: "write a number or text")
    }
    guard parser.hasVerb(fields) else { return refusal(of: id, parser.problems) }
    if let request = remoteRequest(id, fields, &parser) { return request }
    guard !parser.problems.hasErrors, let command = parser.command(fields, besides: ["id"]),
      !parser.problems.hasErrors
    else {
      return refusal(of: id, parser.problems)
    }
    return ControlRequest(id: id, .command(command))
  }

  /// Reads `status` and `events`, the two requests that scripts can't make; nil for any other verb, or after an error.
  private func remoteRequest(_ id: String?, _ fields: Fields, _ parser: inout SessionParser) -> ControlRequest? {
    guard let verb = fields["do"]?.string, let keys = Self.remoteVerbs[verb] else { return nil }
    for entry in fields.entries.values where !(["do", "id"] + keys).contains(entry.key) {
      parser.reportUnknown(entry, in: "'\(verb)'", keys: keys + ["id"])
    }
    let withMetrics = parser.flag(fields["metrics"], "metrics") ?? false
    let schema = parser.wholeNumber(fields["schema"], "schema", in: 1...2).flatMap(StateSchema.init)
    if parser.problems.hasErrors { return nil }
    let kind: ControlRequest.Kind = verb == "events" ? .events : withMetrics ? .statusWithMetrics : .status
    return ControlRequest(id: id, kind, schema: schema ?? .full)
  }

  /// The verbs that only remote controls use, each with the keys that it accepts.
  private static let remoteVerbs = ["status": ["metrics", "schema"], "events": ["schema"]]

  /// A refusal with all problems as one text, because a reply has a single error text.
  private func refusal(of id: String?, _ problems: Problems) -> ControlRequest {
    let words = problems.sorted.map { "\($0.problem); \($0.fix)" }
    return ControlRequest(id: id, .refused(words.joined(separator: ". ")))
  }

  /// A parser that resolves names against `scope`, or accepts every name where there is no scope.
  private func parser(path: String) -> SessionParser {
    var parser = SessionParser(
      catalogue: catalogue, folder: scope?.folder ?? "/", home: home, problems: Problems(path: path),
      scope: scope)
    parser.knowsNames = scope != nil
    return parser
  }
}

extension SessionParser {
  /// The keys of a command, which are not checked yet; nil, with an error reported, if the value is not a group or has
  /// no `do`.
  fileprivate mutating func fields(_ node: Node) -> Fields? {
    guard let fields = anyFields(node, "a command"), hasVerb(fields) else { return nil }
    return fields
  }

  /// Reports a missing `do`.
  ///
  /// - Returns: false if any error has been reported so far.
  fileprivate mutating func hasVerb(_ fields: Fields) -> Bool {
    if fields["do"] == nil { report(fields.location, "a command has no 'do'", fix: "add it, as in {\"do\":\"next\"}") }
    return !problems.hasErrors
  }
}

extension Node {
  /// A plain value as JSON text; nil for groups and lists.
  fileprivate var scalarText: String? {
    switch content {
    case .text(let text): JSONLine.quoted(text)
    case .word(let word): word
    default: nil
    }
  }
}

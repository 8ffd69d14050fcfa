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
    (self.scope, self.catalogue, self.home) = (scope, catalogue, home)
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
    do throws(Diagnostic) {
      let parser = parser(scope)
      let fields = Fields(try JSONReader.read(text, file: path), "a command", parser.problems)
      let command = fields.flatMap { parser.hasVerb($0) ? parser.command($0) : nil }
      return Reading(command: command, diagnostics: parser.problems.sorted)
    } catch {
      return Reading(diagnostics: [error])
    }
  }

  /// Reads one line from a remote control: a command, or one of the requests that only remote controls make (`status`,
  /// `events`).
  ///
  /// The line may carry an `id`, any plain JSON value, which the reply repeats. A malformed line yields a `.refused`
  /// request, so that the connection can report it and stay open.
  package func request(_ line: String) -> ControlRequest {
    do throws(Diagnostic) {
      return request(try JSONReader.read(line, file: "command"))
    } catch {
      return ControlRequest(.refused("column \(error.location.column): \(error.problem); \(error.fix)"))
    }
  }

  private func request(_ markup: Node) -> ControlRequest {
    var scope = scope
    scope?.stages = nil
    let parser = parser(scope)
    guard let fields = Fields(markup, "a command", parser.problems) else { return refusal(of: nil, parser.problems) }
    let id = fields["id"]?.node.scalarText
    if fields["id"] != nil, id == nil {
      parser.problems.report(
        .invalidValue, fields.location(of: "id"), "'id' is not a plain value", fix: "write a number or text")
    }
    if parser.hasVerb(fields) {
      if let request = remoteRequest(id, fields) { return request }
      if !parser.problems.hasErrors, let command = parser.command(fields, besides: ["id"]) {
        return ControlRequest(id: id, .command(command))
      }
    }
    return refusal(of: id, parser.problems)
  }

  /// Reads `status` and `events`, the two requests that scripts can't make; nil for any other verb, or after an error.
  private func remoteRequest(_ id: String?, _ fields: Fields) -> ControlRequest? {
    guard let verb = fields["do"]?.node.string, let keys = Self.remoteVerbs[verb] else { return nil }
    for entry in fields.others(than: ["do", "id"] + keys) {
      fields.reportUnknown(entry, in: "'\(verb)'", keys: keys + ["id"])
    }
    let withMetrics = fields["metrics"]?.flag ?? false
    let schema = fields["schema"]?.wholeNumber(in: 1...2).flatMap(StateSchema.init)
    if fields.problems.hasErrors { return nil }
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

  private func parser(_ scope: CommandScope?) -> CommandParser {
    CommandParser(catalogue: catalogue, folder: scope?.folder ?? "/", home: home, scope: scope, Problems())
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

import Engine
import Markup

/// The parameters of a file with stages and of the files that it includes at the top, and their values.
struct ParameterList {
  private let resolving: Resolving
  private var declarations: [(ParameterDeclaration, prefix: String)] = []
  /// The places in `declarations` by name.
  private var indices: [String: Int] = [:]
  private(set) var scope = ParameterScope()
  private(set) var parameters: [SessionParameter] = []

  init(_ resolving: Resolving) { self.resolving = resolving }

  /// Adds the parameters that a file declares.
  mutating func add(_ part: SessionPart) {
    guard let entry = part.entry("parameters"),
      let fields = Fields(entry.value, "'parameters'", resolving.problems)
    else { return }
    for entry in fields.others(than: []) {
      let declaration = ParameterDeclaration(entry, resolving.problems)
      guard let index = indices[declaration.name] else {
        indices[declaration.name] = declarations.count
        declarations.append((declaration, part.prefix))
        continue
      }
      let known = declarations[index].0
      if declaration.isSame(as: known) { continue }
      resolving.problems.report(
        .duplicateName, declaration.location,
        "the parameter '\(shown(declaration.name))' is another one in \(known.location)", fix: "rename one of them")
    }
  }

  /// Gives each parameter its value.
  ///
  /// - Parameter given: the value that is given for a parameter: nil if its default applies, and nil within an optional if
  ///   the given value has an error that was reported.
  mutating func fill(_ given: (String) -> ParameterScope.Filled??) throws(Diagnostic) {
    scope.later = Set(declarations.map(\.0.name))
    for (declaration, prefix) in declarations {
      var standard: ParameterScope.Filled?
      if let node = declaration.standard {
        standard = try Self.filled(node, in: scope, prefix: prefix, resolving)
        standard = standard.flatMap { checked($0, for: declaration) }
      }
      let value: ParameterScope.Filled?
      if let given = given(declaration.name) {
        value = given.flatMap { checked($0, for: declaration) }
      } else {
        value = standard
        if declaration.standard == nil { reportMissing(declaration) }
      }
      scope.define(declaration.name, as: value)
      parameters.append(
        SessionParameter(
          name: declaration.name, summary: declaration.summary, standard: standard.map { $0.node.written },
          choices: declaration.choices.map(\.written), value: value.map { $0.node.written },
          location: declaration.location))
    }
  }

  /// A value with the parameters of a scope filled in; nil, with an error reported, if that is not possible.
  static func filled(
    _ node: Node, in scope: ParameterScope, prefix: String, _ resolving: Resolving
  ) throws(Diagnostic) -> ParameterScope.Filled? {
    if case .map = node.content {
      resolving.problems.report(
        .invalidValue, node.location, "the value of a parameter is \(node.kind)",
        fix: "write text, a number or a list")
      return nil
    }
    var filling = ValueFilling(scope: scope, resolving: resolving)
    let filled = try filling.filled(node, at: [])
    if filling.hasFailed { return nil }
    // The value of another parameter keeps the folder of the file that wrote it.
    return ParameterScope.Filled(node: filled, prefix: filling.others[[]] ?? prefix, others: filling.others)
  }

  /// A value that the parameter can have; nil, with an error reported, for another one.
  private func checked(_ value: ParameterScope.Filled, for declaration: ParameterDeclaration) -> ParameterScope.Filled?
  {
    if let text = value.node.plainText,
      text.unicodeScalars.contains(where: { $0.isControl && !["\n", "\r", "\t"].contains($0) })
    {
      resolving.problems.report(
        .encoding, value.node.location,
        "the value of the parameter '\(shown(declaration.name))' has a control character",
        fix: "remove it")
      return nil
    }
    if let choice = declaration.choice(for: value.node) {
      var value = value
      value.node = choice
      return value
    }
    let names = declaration.choices.compactMap(\.plainText)
    resolving.problems.report(
      .invalidValue, value.node.location,
      "the parameter '\(shown(declaration.name))' can't be \(value.node.plainText.map { "'\(shown($0))'" } ?? value.node.kind)",
      fix: Self.fix(for: value.node.plainText ?? "", among: names))
    return nil
  }

  /// The most similar choice, or all of them. Between two letters, similarity says nothing.
  private static func fix(for text: String, among names: [String]) -> String {
    if 2 < text.count { return Suggestion.fix(for: text, among: names) }
    return "use one of \(names.prefix(50).map { "'\(shown($0))'" }.joined(separator: ", "))"
  }

  private func reportMissing(_ declaration: ParameterDeclaration) {
    let isIncluded = !declaration.location.includedFrom.isEmpty
    resolving.problems.report(
      .missingKey, declaration.location, "the parameter '\(shown(declaration.name))' has no value",
      fix: isIncluded ? "add it to 'set' of the include, or give it a default" : "give it a default, or set it")
  }
}

extension Node {
  /// The value as text: a single one as it is written, a list in JSON.
  var written: String { plainText ?? JSONText.line(of: self) }
}

import Yams

extension TextError {
  /// Adds a position and a way to fix it to an error of Yams.
  init(_ error: YamlError) {
    switch error {
    case .scanner(let context?, "found unexpected end of stream", _, _) where context.text.contains("quoted scalar"):
      let location = SourceLocation(line: context.mark.line, column: context.mark.column)
      self.init(location, "not valid YAML: the quotes that open here are never closed", fix: "close them")
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      let location = SourceLocation(line: mark.line, column: mark.column)
      // libyaml's text continues a sentence that Yams does not keep.
      let isSecond = problem.contains("another document")
      self.init(
        location, isSecond ? "a second document begins here" : "not valid YAML: \(shown(problem))",
        fix: Self.fix(for: problem))
    // Only for keys that `RepeatedKeys` could not replace.
    case .duplicatedKeysInMapping(let keys, let context):
      let location = SourceLocation(line: max(1, context.mark.line), column: max(1, context.mark.column))
      self.init(
        location, "the key '\(shown(keys.first ?? ""))' appears twice in one group of keys, first here",
        fix: "keep one of them")
    default:
      self.init(
        SourceLocation(line: 1, column: 1), "not valid YAML: \(shown("\(error)", upTo: 120))", fix: "check the syntax")
    }
  }

  /// How to fix the errors of libyaml that occur most often, recognized by their English text.
  private static func fix(for problem: String) -> String {
    if problem.contains("cannot start any token") {
      return "indent with spaces, and put text with special characters in quotes"
    }
    if problem.contains("another document") { return "write one session per file" }
    if problem.contains("mapping values are not allowed") {
      return "check the indentation, and quote text that contains ': '"
    }
    if problem.contains("undefined alias") { return "put text that begins with '*' in quotes" }
    return "check indentation, brackets and quotes"
  }
}

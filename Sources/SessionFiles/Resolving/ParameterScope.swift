import Markup

/// The parameters that a part of a session can use, with their values.
struct ParameterScope {
  /// A value, and what stands before each relative path in it: paths start at the folder of the file that writes them.
  struct Filled {
    var node: Node
    var prefix: String
    /// The same for those parts of a list that other files have written, by their indices from the outermost list on.
    var others: [[Int]: String] = [:]
  }

  /// What a text with parameters becomes.
  enum Filling {
    /// The text has no parameter.
    case unchanged
    /// Text in which parameters were replaced.
    case text(String)
    /// The value of the one parameter of which the text consists.
    case whole(Filled)
    /// It can't be filled in. The error has been reported.
    case failed
  }

  /// By name; nil for a parameter without a valid value, which has been reported.
  private(set) var values: [String: Filled?] = [:]
  /// Those that are declared but come later.
  var later: Set<String> = []

  mutating func define(_ name: String, as value: Filled?) {
    values.updateValue(value, forKey: name)
    later.remove(name)
  }

  /// Fills in the parameters of a text.
  func filling(of text: String, at location: SourceLocation, _ problems: Problems) -> Filling {
    guard text.utf8.contains(UInt8(ascii: "$")) else { return .unchanged }
    var (result, rest, isChanged, hasFailed) = ("", text[...], false, false)
    while let dollar = rest.firstIndex(of: "$") {
      result += rest[..<dollar]
      rest = rest[dollar...]
      if rest.hasPrefix("$${") {
        (rest, isChanged) = (rest.dropFirst(3), true)
        result += "${"
      } else if rest.hasPrefix("${") {
        guard let end = rest.firstIndex(of: "}") else { return unclosed(location, problems) }
        let name = String(rest[rest.index(dollar, offsetBy: 2)..<end])
        rest = rest[rest.index(after: end)...]
        guard let value = value(of: name, at: location, problems) else {
          (isChanged, hasFailed) = (true, true)
          continue
        }
        if result.isEmpty, rest.isEmpty, !isChanged { return .whole(value) }
        isChanged = true
        guard let word = value.node.plainText else {
          return refuse(
            location, problems, "the parameter '\(shown(name))' is a list, which can't be a part of a text",
            fix: "write \"${\(shown(name))}\" alone")
        }
        result += word
      } else {
        result += "$"
        rest = rest.dropFirst()
      }
    }
    if hasFailed { return .failed }
    return isChanged ? .text(result + rest) : .unchanged
  }

  private func unclosed(_ location: SourceLocation, _ problems: Problems) -> Filling {
    refuse(location, problems, "'${' without '}'", fix: "write ${NAME}, or $${ for the characters themselves")
  }

  private func refuse(_ location: SourceLocation, _ problems: Problems, _ problem: String, fix: String) -> Filling {
    problems.report(.invalidValue, location, problem, fix: fix)
    return .failed
  }

  /// The value of a parameter; nil, with an error reported, if it has none.
  private func value(of name: String, at location: SourceLocation, _ problems: Problems) -> Filled? {
    if let value = values[name] { return value }
    let isLater = later.contains(name)
    problems.report(
      .unknownName, location,
      isLater ? "the parameter '\(shown(name))' is defined further below" : "there is no parameter '\(shown(name))'",
      fix: isLater ? "define it before this one" : fix(for: name))
    return nil
  }

  private func fix(for name: String) -> String {
    let names = values.keys.sorted()
    let literal = "write $${ for the characters themselves"
    if names.isEmpty { return "define it in 'parameters', or \(literal)" }
    let fix = Suggestion.fix(for: name, among: names)
    return Suggestion.nearest(to: name, among: names) == nil ? "\(fix), or \(literal)" : fix
  }
}

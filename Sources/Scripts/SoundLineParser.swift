import Markup
import Schedule
import SessionFiles

/// Reads the lines of a script that expect facts about the sound: those with `from` and `to`, and those at the end.
struct SoundLineParser {
  private let problems: Problems

  private static let measures = ExpectedSound.Measure.allCases.map(\.rawValue)
  private static let keys = ["at", "from", "to", "layer", "expect"]

  init(_ problems: Problems) { self.problems = problems }

  /// Whether a line is about the sound.
  static func isAboutSound(_ node: Node) -> Bool {
    guard case .map(let entries) = node.content, let expected = entries.first(where: { $0.key == "expect" }) else {
      return false
    }
    if entries.contains(where: { ["from", "to", "layer"].contains($0.key) }) { return true }
    guard case .map(let facts) = expected.value.content else { return false }
    // With an event, they are members of it.
    return facts.contains { measures.contains($0.key) } && !facts.contains { $0.key == "event" }
  }

  /// Reads a line; nil, with an error reported, if it is not valid.
  func facts(_ node: Node) -> ExpectedSound? {
    guard let fields = Fields(node, "a script line", keys: Self.keys, required: ["expect"], problems) else {
      return nil
    }
    var facts = ExpectedSound(at: node.location)
    guard readSpan(of: &facts, fields),
      let expected = fields["expect"]?.group("'expect'", keys: Self.measures + ["layer", "within"])
    else { return nil }
    facts.layer = layer(fields["layer"]) ?? layer(expected["layer"])
    let within = expected["within"].flatMap { $0.number() }
    for measure in ExpectedSound.Measure.allCases {
      guard let value = expected[measure.rawValue] else { continue }
      facts.bounds[measure] = bounds(value, measure, within)
    }
    if facts.bounds.isEmpty, !problems.hasErrors {
      problems.report(
        .missingKey, fields.location(of: "expect"), "'expect' has no condition",
        fix: "add one of \(Self.measures.map { "'\($0)'" }.joined(separator: ", "))")
    }
    checkLength(of: facts, expected)
    return facts
  }

  /// Reads `from` and `to`, or `"at": "end"`.
  private func readSpan(of facts: inout ExpectedSound, _ fields: Fields) -> Bool {
    if let at = fields["at"] {
      guard at.node.string == "end", fields["from"] == nil, fields["to"] == nil else {
        problems.report(
          .conflict, at.location, "the sound is measured over a span",
          fix: "write 'from' and 'to', or only \"at\": \"end\"")
        return false
      }
      return true
    }
    guard let from = fields["from"] else {
      problems.report(
        .missingKey, fields.location, "a line about the sound has no span",
        fix: "add 'from' and 'to', or \"at\": \"end\" for the whole output")
      return false
    }
    guard let begin = from.duration else { return false }
    facts.from = begin
    guard let to = fields["to"], to.node.string != "end" else { return true }
    guard let end = to.interval else { return false }
    if end <= begin {
      problems.report(.invalidValue, to.location, "'to' is not after 'from'", fix: "choose a later 'to'")
      return false
    }
    facts.to = end
    return true
  }

  private func layer(_ value: Value?) -> Layer? {
    guard let name = value?.word(among: Session.layerKeys.map(\.key)) else { return nil }
    return Session.layerKeys.first { $0.key == name }?.layer
  }

  /// A number that is meant itself, or a group with `min` and `max`.
  private func bounds(_ value: Value, _ measure: ExpectedSound.Measure, _ within: Double?) -> ClosedRange<Double>? {
    guard case .map = value.node.content else {
      let tolerance = abs(within ?? measure.tolerance)
      return number(value, measure, "a number, or a group with 'min' and 'max'").map {
        $0 - tolerance...$0 + tolerance
      }
    }
    guard let limits = value.group("'\(measure.rawValue)'", keys: ["min", "max"]) else { return nil }
    let (least, most) = (
      limits["min"].map { number($0, measure) }, limits["max"].map { number($0, measure) }
    )
    if least == nil, most == nil {
      problems.report(
        .missingKey, value.location, "'\(measure.rawValue)' has neither 'min' nor 'max'", fix: "add one of them")
      return nil
    }
    guard let low = least ?? -.infinity, let high = most ?? .infinity else { return nil }
    if low <= high { return low...high }
    problems.report(.invalidValue, value.location, "'min' is above 'max'", fix: "exchange them")
    return nil
  }

  /// A value of a measure: a count is a whole number.
  private func number(_ value: Value, _ measure: ExpectedSound.Measure, _ what: String = "a number") -> Double? {
    measure == .clipped ? value.wholeNumber(in: 0...Int(Int32.max)).map { Double($0) } : value.number(what)
  }

  /// Reports a length of a span or a layer, which is known before.
  private func checkLength(of facts: ExpectedSound, _ expected: Fields) {
    guard expected["length"] != nil, facts.from != nil || facts.layer != nil else { return }
    problems.report(
      .conflict, expected.location(of: "length"), "'length' is that of the whole output",
      fix: "write it on a line with \"at\": \"end\" and without 'layer'")
  }
}

package import Markup
package import Player

extension Script {
  /// An expectation, for reports of results.
  package struct Expectation: Sendable {
    package var location: SourceLocation
    /// When it is checked, and the names of the facts.
    package var summary: String

    /// What was found instead, of all failures of a run; nil if it holds.
    package func failure(among failures: [ScriptFailure]) -> String? {
      let own = failures.filter { $0.place == "\(location)" }.map(\.message)
      return own.isEmpty ? nil : own.joined(separator: "; ")
    }
  }

  /// All expectations in the order of the file.
  package var expectations: [Expectation] {
    let facts = lines.compactMap { line -> Expectation? in
      guard case .expect(let facts, _) = line.act else { return nil }
      return Expectation(location: line.location, summary: "\(line.time): \(facts.names.joined(separator: ", "))")
    }
    let levels = sound.map { sound in
      let measures = ExpectedSound.Measure.allCases.filter { sound.bounds[$0] != nil }.map(\.rawValue)
      return Expectation(location: sound.location, summary: "\(sound.place): \(measures.joined(separator: ", "))")
    }
    return (facts + levels).sorted { $0.location < $1.location }
  }
}

extension Script.Time: CustomStringConvertible {
  package var description: String {
    switch self {
    case .at(let time): "at \(JSONLine.seconds(time)) s"
    case .end: "at the end"
    case .after(let seconds): "\(JSONLine.seconds(seconds)) s after the line before"
    case .when(let facts): "when \(facts.names.joined(separator: ", "))"
    }
  }
}

extension Facts {
  /// The facts that are checked.
  fileprivate var names: [String] {
    let facts: [(String, Bool)] = [
      (state ?? "", state != nil), ("progress", progress != nil), ("stage", stage != nil),
      ("track", track != nil || isWithoutTrack), ("index", index != nil), ("session", session != nil),
      ("position", position != nil), ("volume", volume != nil), (event?.name ?? "", event != nil),
      ("overlays", overlays != nil), ("outcome", outcome != nil),
    ]
    return facts.filter(\.1).map(\.0)
  }
}

package import Markup

/// What is given when a session is read: values for its parameters, as text, and the seed of the run.
package struct SessionSettings: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// A value as it was given.
  private struct Setting: Sendable, Hashable {
    var text: String
    /// Where it was given, for messages.
    var location: SourceLocation
  }

  private var settings: [String: Setting] = [:]
  /// Whether names that the session does not have are ignored, because the values are for several sessions.
  package var isForSeveral = false
  /// The seed of the run, for the random moments of gongs; nil to choose one.
  package var seed: UInt64?

  /// No values.
  package init() {}

  /// Values that a program gives.
  package init(_ values: [String: String]) {
    for (number, value) in values.sorted(by: { $0.key < $1.key }).enumerated() {
      set(value.key, to: value.value, at: SourceLocation(file: "parameters", line: number + 1))
    }
  }

  package init(dictionaryLiteral elements: (String, String)...) {
    self.init(Dictionary(elements) { _, last in last })
  }

  /// Sets a value; the last one for a name counts.
  ///
  /// - Parameter location: where it is given, for messages.
  package mutating func set(_ name: String, to text: String, at location: SourceLocation) {
    settings[name] = Setting(text: text, location: location)
  }

  /// The values by the names of the parameters.
  package var values: [String: String] { settings.mapValues(\.text) }

  package var isEmpty: Bool { settings.isEmpty }

  /// The names in the order in which they were given, each with its place.
  var names: [(name: String, location: SourceLocation)] {
    settings.map { ($0.key, $0.value.location) }.sorted { $0.1 < $1.1 }
  }

  /// The value for a parameter, which is read like an unquoted word of YAML; nil if none is given.
  func node(of name: String) -> Node? {
    settings[name].map { setting in
      Node(location: setting.location, content: setting.text.isEmpty ? .text("") : .word(setting.text))
    }
  }
}

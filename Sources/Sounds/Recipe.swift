/// A built-in sound with its settings. A recipe gives the same samples on every machine.
package struct Recipe: Hashable, Sendable, Codable {
  /// The generator's name, as in `GeneratorDescription.name`.
  package var generator: String
  /// Selects one of many variants of the same sound.
  package var seed: UInt64
  /// Settings by name. A missing setting has its default value; other values are limited to the setting's range.
  package var settings: [String: Double]

  package init(generator: String, seed: UInt64 = 0, settings: [String: Double] = [:]) {
    self.generator = generator
    self.seed = seed
    self.settings = settings
  }
}

/// The name and settings of a generator, with which a session file can be checked without generating sound.
package struct GeneratorDescription: Hashable, Sendable {
  /// A numeric setting of a generator.
  package struct Setting: Hashable, Sendable {
    package var name: String
    /// The values that it accepts.
    package var range: ClosedRange<Double>
    /// The default.
    package var standard: Double
    /// One line for the user, with the unit.
    package var summary: String

    package init(name: String, range: ClosedRange<Double>, standard: Double, summary: String) {
      self.name = name
      self.range = range
      self.standard = standard
      self.summary = summary
    }
  }

  package var name: String
  /// One line for the listener.
  package var summary: String
  /// Whether the sound plays until it is stopped. Other sounds end by themselves.
  package var isEndless: Bool
  package var settings: [Setting]

  package init(name: String, summary: String, isEndless: Bool, settings: [Setting]) {
    self.name = name
    self.summary = summary
    self.isEndless = isEndless
    self.settings = settings
  }
}

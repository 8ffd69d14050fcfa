/// A built-in sound with its settings. A recipe gives the same samples on every machine.
public struct Recipe: Hashable, Sendable, Codable {
  /// The generator's name, as in `GeneratorDescription.name`.
  public var generator: String
  /// Selects one of many variants of the same sound.
  public var seed: UInt64
  /// Settings by name. A missing setting has its default value; other values are limited to the setting's range.
  public var settings: [String: Double]

  /// A sound of the catalogue, with the given settings.
  public init(generator: String, seed: UInt64 = 0, settings: [String: Double] = [:]) {
    self.generator = generator
    self.seed = seed
    self.settings = settings
  }
}

/// The name and settings of a generator, with which a session file can be checked without generating sound.
public struct GeneratorDescription: Hashable, Sendable {
  /// A numeric setting of a generator.
  public struct Setting: Hashable, Sendable {
    /// The key in `Recipe.settings`.
    public var name: String
    /// The values that it accepts.
    public var range: ClosedRange<Double>
    /// The default.
    public var standard: Double
    /// One line for the user, with the unit.
    public var summary: String

    package init(name: String, range: ClosedRange<Double>, standard: Double, summary: String) {
      self.name = name
      self.range = range
      self.standard = standard
      self.summary = summary
    }
  }

  /// The name, as after `generate:` in session files.
  public var name: String
  /// One line for the listener.
  public var summary: String
  /// Whether the sound plays until it is stopped. Other sounds end by themselves.
  public var isEndless: Bool
  /// What can be set.
  public var settings: [Setting]

  package init(name: String, summary: String, isEndless: Bool, settings: [Setting]) {
    self.name = name
    self.summary = summary
    self.isEndless = isEndless
    self.settings = settings
  }
}

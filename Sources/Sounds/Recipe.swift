/// A built-in sound with its settings. A recipe gives the same samples on every machine.
public struct Recipe: Hashable, Sendable, Codable {
  /// The generator's name, as in `GeneratorDescription.name`.
  public var generator: String
  /// Selects one of many variants of the same sound.
  public var seed: UInt64
  /// Settings by name. A missing setting has its default value; other values are limited to the setting's range.
  public var settings: [String: Double]
  /// How settings change while the sound plays, in the order of their times. Between two points that state a setting, it
  /// changes linearly; before the first of them and after the last one it is constant. Two points at one time are a step.
  public var points: [Point]

  /// Values that settings have at a time.
  public struct Point: Hashable, Sendable, Codable {
    /// Seconds from the beginning of the sound.
    public var at: Double
    /// The values by the name of the setting, see `GeneratorDescription.changing`.
    public var settings: [String: Double]

    /// Values at a time in seconds.
    public init(at: Double, settings: [String: Double]) { (self.at, self.settings) = (at, settings) }
  }

  /// A sound of the catalogue, with the given settings.
  public init(generator: String, seed: UInt64 = 0, settings: [String: Double] = [:], points: [Point] = []) {
    self.generator = generator
    self.seed = seed
    self.settings = settings
    self.points = points
  }
}

extension Recipe {
  private enum CodingKeys: String, CodingKey {
    case generator, seed, settings, points
  }

  /// Reads a recipe. Positions that earlier versions saved have no points.
  public init(from decoder: any Swift.Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      generator: try values.decode(String.self, forKey: .generator),
      seed: try values.decode(UInt64.self, forKey: .seed),
      settings: try values.decode([String: Double].self, forKey: .settings),
      points: try values.decodeIfPresent([Point].self, forKey: .points) ?? [])
  }

  /// Writes a recipe, without points if it has none.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(generator, forKey: .generator)
    try values.encode(seed, forKey: .seed)
    try values.encode(settings, forKey: .settings)
    if !points.isEmpty { try values.encode(points, forKey: .points) }
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
  /// What the points of a recipe can change while the sound plays: the volume, from 0 to 1, and some of the settings.
  public var changing: [Setting]

  package init(
    name: String, summary: String, isEndless: Bool, settings: [Setting], changing: [Setting] = []
  ) {
    self.name = name
    self.summary = summary
    self.isEndless = isEndless
    self.settings = settings
    self.changing = changing
  }
}

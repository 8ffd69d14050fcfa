/// Where a sound comes from, and which part of it is meant.
public struct SoundSource: Hashable, Sendable, Codable {
  public enum Origin: Hashable, Sendable, Codable {
    /// An absolute path.
    case file(path: String)
    /// An `http` or `https` address.
    case remote(address: String)
    case generated(Recipe)
  }

  public var origin: Origin
  /// Seconds of the source that come before the part that is played.
  public var start: Double
  /// Where the part ends, in seconds of the source; nil for the source's own end.
  public var end: Double?

  public init(_ origin: Origin, start: Double = 0, end: Double? = nil) {
    self.origin = origin
    self.start = start
    self.end = end
  }

  /// An address as it may be shown and logged: without the name and the password that can stand before its host.
  package static func withoutCredentials(_ address: String) -> String {
    guard let colon = address.firstIndex(of: ":") else { return address }
    let place = address[colon...].drop { ":/".contains($0) }
    let authority = place.prefix { !"/?#".contains($0) }
    guard let at = authority.lastIndex(of: "@") else { return address }
    return String(address[..<place.startIndex] + address[address.index(after: at)...])
  }

  /// What a listener calls it: the file's name, the address, or the generator's name.
  public var label: String {
    switch origin {
    case .file(let path): String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
    case .remote(let address): Self.withoutCredentials(address)
    case .generated(let recipe): recipe.generator
    }
  }
}

/// A built-in sound with its settings: the same recipe gives the same samples on every machine.
public struct Recipe: Hashable, Sendable, Codable {
  public var generator: String
  public var seed: UInt64
  /// Settings by name; a missing one has the generator's default.
  public var settings: [String: Double]

  public init(generator: String, seed: UInt64 = 0, settings: [String: Double] = [:]) {
    self.generator = generator
    self.seed = seed
    self.settings = settings
  }
}

/// What a generator is called and which settings it takes: enough to check a session file without making sound.
public struct GeneratorDescription: Hashable, Sendable {
  public struct Setting: Hashable, Sendable {
    public var name: String
    public var range: ClosedRange<Double>
    public var standard: Double
    public var summary: String

    public init(name: String, range: ClosedRange<Double>, standard: Double, summary: String) {
      self.name = name
      self.range = range
      self.standard = standard
      self.summary = summary
    }
  }

  public var name: String
  public var summary: String
  /// An endless sound plays until it is ended; the others ring out by themselves.
  public var isEndless: Bool
  public var settings: [Setting]

  public init(name: String, summary: String, isEndless: Bool, settings: [Setting]) {
    self.name = name
    self.summary = summary
    self.isEndless = isEndless
    self.settings = settings
  }
}

import Files

/// A source of sound, and the part of it that is played.
package struct SoundSource: Hashable, Sendable, Codable {
  /// Where the sound comes from.
  package enum Origin: Hashable, Sendable, Codable {
    /// An absolute path.
    case file(path: String)
    /// An `http` or `https` address.
    case remote(address: String)
    /// A built-in sound.
    case generated(Recipe)
  }

  package var origin: Origin
  /// Where the part begins, in seconds of the source.
  package var start: Double
  /// Where the part ends, in seconds of the source; nil for the source's end.
  package var end: Double?

  package init(_ origin: Origin, start: Double = 0, end: Double? = nil) {
    self.origin = origin
    self.start = start
    self.end = end
  }

  /// A text without the user names and the passwords that may precede the hosts of its addresses, for messages and logs.
  package static func withoutCredentials(_ text: String) -> String {
    let parts = text.split(separator: "://", omittingEmptySubsequences: false)
    let shown = parts.dropFirst().map { part in
      let authority = part.prefix { !"/?#\n".contains($0) }
      // In a sentence, other words follow the address.
      let end = authority.prefix { $0 != " " }.lastIndex(of: "@") ?? authority.lastIndex(of: "@")
      return end.map { part[part.index(after: $0)...] } ?? part
    }
    return (parts.prefix(1) + shown).joined(separator: "://")
  }

  /// The name for listeners: the file's name, the address without credentials, or the generator's name.
  package var label: String {
    switch origin {
    case .file(let path): String(FilePath.parts(of: path).last ?? "").readable
    case .remote(let address): Self.withoutCredentials(address)
    case .generated(let recipe): recipe.generator
    }
  }
}

extension SoundSource.Origin {
  /// The path of a file; nil for other sounds.
  package var path: String? { if case .file(let path) = self { path } else { nil } }
}

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

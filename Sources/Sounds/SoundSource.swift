import Files

/// A source of sound, and the part of it that is played.
public struct SoundSource: Hashable, Sendable, Codable {
  /// Where the sound comes from.
  public enum Origin: Hashable, Sendable, Codable {
    /// An absolute path.
    case file(path: String)
    /// An `http` or `https` address.
    case remote(address: String)
    /// A built-in sound.
    case generated(Recipe)
    /// A text that a speech engine of this computer speaks.
    indirect case spoken(Spoken)
  }

  /// Where the sound comes from.
  public var origin: Origin
  /// Where the part begins, in seconds of the source.
  public var start: Double
  /// Where the part ends, in seconds of the source; nil for the source's end.
  public var end: Double?

  /// A part of a sound, or the whole sound.
  public init(_ origin: Origin, start: Double = 0, end: Double? = nil) {
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

  /// The name for listeners: the file's name, the address without credentials, the generator's name, or the
  /// first words of a spoken text.
  public var label: String {
    switch origin {
    case .file(let path): String(FilePath.parts(of: path).last ?? "").readable
    case .remote(let address): Self.withoutCredentials(address)
    case .generated(let recipe): recipe.generator
    case .spoken(let spoken): spoken.label
    }
  }

  /// The path, the address without credentials, `generate:NAME`, or `say:` with the first words of a text.
  package var address: String {
    switch origin {
    case .file(let path): path
    case .remote(let address): Self.withoutCredentials(address)
    case .generated(let recipe): "generate:\(recipe.generator)"
    case .spoken(let spoken): "say:\(spoken.label)"
    }
  }
}

extension SoundSource {
  /// Seconds that opening it may take in any case: a text has to be spoken first, by a program that has a limit of its own.
  package var patience: Double { if case .spoken = origin { 600 } else { 0 } }
}

extension SoundSource.Origin {
  /// The path of a file; nil for other sounds.
  package var path: String? { if case .file(let path) = self { path } else { nil } }
}

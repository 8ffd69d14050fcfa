/// A fingerprint of a session, with which a later run detects that its file or one of its sounds has changed. Sounds
/// that could not be read are left out.
package struct SessionFingerprint: Sendable, Hashable, Codable {
  private var print: String
  /// Fingerprints of the names of the sounds that were missing or incomplete. Changes to these are not detected.
  private var unknown: [String]
  /// Whether all sounds were known.
  var isComplete: Bool { unknown.isEmpty }

  /// - Parameters:
  ///   - text: the fingerprint of the session file's text.
  ///   - sounds: for each sound, by name, a text that changes with its content; nil for a sound that is missing or
  ///     incomplete.
  package init(of text: Fingerprint, sounds: [String: String?]) {
    let unknown = Set(sounds.filter { $0.value == nil }.keys)
    self.unknown = unknown.map { Fingerprint($0.utf8).text }.sorted()
    print = Self.print(of: text, sounds: sounds, without: unknown)
  }

  /// Whether a session is unchanged. Sounds that were unknown when the fingerprint was computed are not compared.
  package func matches(_ text: Fingerprint, sounds: [String: String?]) -> Bool {
    let unknown = Set(unknown)
    return print
      == Self.print(
        of: text, sounds: sounds, without: Set(sounds.keys.filter { unknown.contains(Fingerprint($0.utf8).text) }))
  }

  /// The fingerprint of the known sounds, in alphabetical order of their names.
  private static func print(
    of text: Fingerprint, sounds: [String: String?], without unknown: Set<String>
  ) -> String {
    var print = text
    for (name, content) in sounds.sorted(by: { $0.key < $1.key }) where !unknown.contains(name) {
      print.add("\n\(name) \(content ?? "")".utf8)
    }
    return print.text
  }
}

/// A checksum to compare contents: FNV-1a with 64 bits. It does not protect against intentional collisions.
package struct Fingerprint: Sendable {
  private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

  package init(_ bytes: some Sequence<UInt8>) { add(bytes) }

  package mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0100_0000_01B3 }
  }

  /// The checksum as sixteen hexadecimal digits.
  package var text: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// Tells a session from what it becomes when its file or one of its sounds is changed: a print of all that could be
/// looked at when it was taken.
package struct SessionPrint: Sendable, Hashable, Codable {
  private var print: String
  /// Prints of the names of those sounds that were not there, or not all of them: what becomes of them changes nothing.
  private var unknown: [String]

  /// - Parameters:
  ///   - text: the print of the session file's text.
  ///   - sounds: by name, what is another one when the sound is; nil for one that isn't there, or not all of it.
  package init(of text: Fingerprint, sounds: [String: String?]) {
    let unknown = Set(sounds.filter { $0.value == nil }.keys)
    self.unknown = unknown.map { Fingerprint($0.utf8).text }.sorted()
    print = Self.print(of: text, sounds: sounds, without: unknown)
  }

  /// Whether a session is the same, as far as was known of it.
  package func holds(for text: Fingerprint, sounds: [String: String?]) -> Bool {
    let left = Set(unknown)
    return print
      == Self.print(
        of: text, sounds: sounds, without: Set(sounds.keys.filter { left.contains(Fingerprint($0.utf8).text) }))
  }

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

/// Tells two contents apart: FNV-1a, 64 bits. No protection from somebody who wants two to look alike.
package struct Fingerprint: Sendable {
  private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

  package init(_ bytes: some Sequence<UInt8>) { add(bytes) }

  package mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0100_0000_01B3 }
  }

  /// Sixteen hexadecimal digits.
  package var text: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

import Foundation
package import Player

/// Where a session was left, so that it can go on there: what a run writes down as it goes, and the next one reads.
package struct SavedPlace: Sendable, Hashable, Codable {
  /// Absolute path of the session file.
  package var session: String
  /// Of the session file and its sounds as they were.
  package var fingerprint: String
  package var place: SessionPlace
  /// Seconds since 1970.
  package var savedAt: Double
  /// Counts the writes: of two slots the one with the higher number holds.
  var number = 0

  package init(session: String, fingerprint: String, place: SessionPlace, savedAt: Double) {
    self.session = session
    self.fingerprint = fingerprint
    self.place = place
    self.savedAt = savedAt
  }

  /// Of the session at a path: each has a file of its own, so that several players don't meet in one.
  package static func load(of session: String, from folder: StateFolder) -> SavedPlace? {
    read(folder.file(fileName(of: session))).flatMap { $0.session == session ? $0 : nil }
  }

  /// Whatever was left last.
  package static func latest(in folder: StateFolder) -> SavedPlace? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasPrefix(prefix) }.compactMap { read(folder.file($0)) }.max { $0.savedAt < $1.savedAt }
  }

  static let prefix = "place-"
  /// One page each: a write of one is whole on any disk, or leaves the other one as it was.
  static let slot = 4_096

  static func fileName(of session: String) -> String { prefix + Fingerprint(session.utf8).text }

  private static func read(_ path: String) -> SavedPlace? {
    guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: 2 * slot) else {
      return nil
    }
    // A slot that nothing was written to yet is zeros, if another one follows it.
    return data.split(separator: UInt8(ascii: "\n")).map { $0.drop { $0 == 0 } }
      .compactMap { try? JSONDecoder().decode(SavedPlace.self, from: $0) }.max { $0.number < $1.number }
  }

  /// The content of a slot; nil where it doesn't fit into one.
  func page() -> Data? {
    guard var data = try? JSONEncoder().encode(self), data.count < Self.slot else { return nil }
    data.append(contentsOf: [UInt8](repeating: UInt8(ascii: " "), count: Self.slot - 1 - data.count))
    data.append(UInt8(ascii: "\n"))
    return data
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

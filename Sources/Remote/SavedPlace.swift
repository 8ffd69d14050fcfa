import Foundation
package import Player

/// Where a session was left, so that it can go on there: what a run writes down as it goes, and the next one reads.
package struct SavedPlace: Sendable, Hashable, Codable {
  /// Absolute path of the session file.
  package var session: String
  /// Of the session file and its sounds as they were.
  package var print: SessionPrint
  package var place: SessionPlace
  /// Seconds since 1970.
  package var savedAt: Double
  /// Counts the writes: of two slots the one with the higher number holds.
  var number = 0

  package init(session: String, print: SessionPrint, place: SessionPlace, savedAt: Double) {
    self.session = session
    self.print = print
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

  /// When a session has come to its end last, in seconds since 1970; nil when none has.
  package static func lastEnd(in folder: StateFolder) -> Double? {
    let facts = try? FileManager.default.attributesOfItem(atPath: folder.file(endMark))
    return (facts?[.modificationDate] as? Date)?.timeIntervalSince1970
  }

  static let prefix = "place-"
  /// An empty file, written anew whenever a session has come to its end.
  static let endMark = "ended"
  /// What is written at once; most places fit into one.
  static let page = 4_096
  /// From one slot to the other, and the most that a place may take.
  static let slot = 65_536

  /// More writes than there will be.
  private static let lastNumber = 1 << 50

  static func fileName(of session: String) -> String { prefix + Fingerprint(session.utf8).text }

  private static func read(_ path: String) -> SavedPlace? {
    guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: 2 * slot) else {
      return nil
    }
    let places = [data.prefix(slot), data.dropFirst(slot)].compactMap { SavedPlace(slot: $0) }
    return places.max { $0.number < $1.number }
  }

  /// Nil where nothing was written yet, or was not written to its end.
  private init?(slot: Data) {
    let parts = slot.prefix { $0 != UInt8(ascii: "\n") }.split(separator: UInt8(ascii: " "), maxSplits: 1)
    guard parts.count == 2, Fingerprint(parts[1]).text.utf8.elementsEqual(parts[0]),
      let place = try? JSONDecoder().decode(SavedPlace.self, from: parts[1]), 0..<Self.lastNumber ~= place.number
    else { return nil }
    self = place
  }

  /// The content of a slot, in whole pages; nil where it doesn't fit into one.
  func content() -> Data? {
    guard var data = try? JSONEncoder().encode(self) else { return nil }
    let length = (data.count + 18 + Self.page - 1) / Self.page * Self.page
    data.append(contentsOf: [UInt8](repeating: UInt8(ascii: " "), count: length - 18 - data.count))
    return length <= Self.slot ? Data("\(Fingerprint(data).text) ".utf8) + data + Data("\n".utf8) : nil
  }
}

import Files
import Foundation
package import Player

/// The position at which a session was interrupted, saved so that a later run can resume it.
package struct SavedPosition: Sendable, Hashable, Codable {
  /// The absolute path of the session file.
  package var session: String
  /// The fingerprint of the session file and its sounds when the position was saved.
  package var print: SessionFingerprint
  /// The position, with the listener's changes that led to it.
  package var position: SessionPosition
  /// The time in seconds that the session was fitted to; nil for its own length.
  package var fittedLength: Double?
  /// The values that were given for the session's parameters, by name; nil for none.
  package var settings: [String: String]?
  /// The seed of the run; nil if no random moment depends on it.
  package var seed: UInt64?
  /// When it was saved, in seconds since 1970. A clock can go back, so this only orders positions of equal `order`.
  package var savedAt: Double
  /// `RunOrder.last` when it was saved; nil in the files of earlier versions.
  var order: Int?
  /// The number of the write. Of the two slots of a file, the one with the higher number is valid.
  var number = 0

  private enum CodingKeys: String, CodingKey {
    case session, print, fittedLength, settings, seed, savedAt, order, number
    case position = "place"
  }

  package init(session: String, print: SessionFingerprint, position: SessionPosition, savedAt: Double) {
    self.session = session
    self.print = print
    self.position = position
    self.savedAt = savedAt
  }

  /// The saved position of the session at a path; nil if there is none. Each session has its own file, so that players
  /// of different sessions don't overwrite each other's positions.
  package static func load(of session: String, from folder: StateFolder) -> SavedPosition? {
    read(folder.file(fileName(of: session))).flatMap { $0.session == session ? $0 : nil }
  }

  /// The position that was saved last, of any session.
  package static func latest(in folder: StateFolder) -> SavedPosition? {
    let names = FilePath.names(in: folder.path)
    return names.filter { $0.hasPrefix(prefix) }.compactMap { read(folder.file($0)) }
      .max { ($0.order ?? 0, $0.savedAt) < ($1.order ?? 0, $1.savedAt) }
  }

  /// Whether a session has been played to its end since this position was saved.
  package func isBeforeLastEnd(in folder: StateFolder) -> Bool { (order ?? 0) < RunOrder(in: folder).lastEnd }

  static let prefix = "place-"
  /// The unit of writes in bytes. Most positions fit into one page, which the kernel writes at once.
  static let page = 4_096
  /// The size of a slot in bytes, and so the maximum size of a position.
  static let slot = 65_536

  /// The maximum write number that is accepted from a file, so that adding 1 to it can't overflow.
  static let lastNumber = 1 << 50

  static func fileName(of session: String) -> String { prefix + Fingerprint(session.utf8).text }

  /// The valid one of the two slots of a file.
  private static func read(_ path: String) -> SavedPosition? {
    guard let data = FilePath.contents(of: path, upTo: 2 * slot).map({ Data($0) }) else { return nil }
    let positions = [data.prefix(slot), data.dropFirst(slot)].compactMap { SavedPosition(slot: $0) }
    return positions.max { $0.number < $1.number }
  }

  /// Reads a slot: a checksum, a space, JSON, a line feed. Nil if nothing has been written to it, or if the write was
  /// interrupted.
  private init?(slot: Data) {
    let parts = slot.prefix { $0 != UInt8(ascii: "\n") }.split(separator: UInt8(ascii: " "), maxSplits: 1)
    guard parts.count == 2, Fingerprint(parts[1]).text.utf8.elementsEqual(parts[0]),
      let saved = try? JSONDecoder().decode(SavedPosition.self, from: parts[1]), 0..<Self.lastNumber ~= saved.number
    else { return nil }
    self = saved
  }
}

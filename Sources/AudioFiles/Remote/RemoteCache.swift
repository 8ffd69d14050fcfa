import Engine
import Foundation
import Glibc

/// Sounds that were fetched, in a folder of the user's: `$XDG_CACHE_HOME/prosper/sounds`, or `~/.cache/prosper/sounds`.
///
/// Of each address there is a card, `KEY.json`, that names the file with the sound, `KEY-CONTENT`. A file never changes,
/// and a card is replaced as a whole: whatever several players do at once, each finds a card with the sound that it
/// speaks of, or none.
struct RemoteCache: Sendable {
  /// What is known of a sound that was fetched.
  struct Card: Codable, Hashable, Sendable {
    var address: String
    var validators: Validators
    /// In bytes.
    var length: Int64
    /// The same for the same bytes.
    var content: String
    /// Seconds since 1970.
    var fetchedAt: Double
  }

  let folder: String
  /// Bytes of all sounds together, of which the least recently used ones go first.
  var capacity: Int64 = 2 << 30

  init(folder: String, capacity: Int64 = 2 << 30) { (self.folder, self.capacity) = (folder, capacity) }

  /// As the environment says; a relative `XDG_CACHE_HOME` counts as none. Nil when there is no home either.
  init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
    if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") {
      folder = cache + "/prosper/sounds"
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      folder = home + "/.cache/prosper/sounds"
    } else {
      return nil
    }
  }

  func prepare() throws(FetchFailure) {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .notKept(cause: "\(folder) can't be made; choose another folder by XDG_CACHE_HOME")
    }
  }

  /// Nil where there is none, or not all of it.
  func card(of address: String) -> Card? {
    guard let card = card(at: stem(address) + ".json"), card.address == address else { return nil }
    var facts = stat()
    return stat(path(of: card), &facts) == 0 && Int64(facts.st_size) == card.length ? card : nil
  }

  /// Nil for what nobody has written here.
  func card(at path: String) -> Card? {
    guard let data = FileManager.default.contents(atPath: path),
      let card = try? JSONDecoder().decode(Card.self, from: data),
      !card.content.isEmpty, card.content.allSatisfy(\.isHexDigit)
    else { return nil }
    return card
  }

  func path(of card: Card) -> String { stem(card.address) + "-" + card.content }

  func part(of address: String, limit: Int64) throws(FetchFailure) -> PartFile {
    try PartFile(stem(address), of: address, limit: limit)
  }

  /// What is known of a part that is whole; it isn't in its place yet.
  func card(for part: PartFile, of address: String) throws(FetchFailure) -> Card {
    do throws(SourceError) {
      let file = try RegularFile(path: part.path)
      return Card(
        address: address, validators: part.validators, length: part.count, content: ContentHash(of: file).text,
        fetchedAt: Date().timeIntervalSince1970)
    } catch { throw .notKept(cause: error.description) }
  }

  func keep(_ part: PartFile, as card: Card) throws(FetchFailure) {
    let old = self.card(of: card.address)
    try part.become(path(of: card))
    do {
      try JSONEncoder().encode(card).write(to: URL(fileURLWithPath: stem(card.address) + ".json"), options: .atomic)
    } catch { throw .notKept(cause: "\(folder) can't be written") }
    if let old, old.content != card.content { unlink(path(of: old)) }
  }

  /// It is played now, and so among the last to go. Its own time is that of its content.
  func touch(_ card: Card) { utimes(stem(card.address) + ".json", nil) }

  private func stem(_ address: String) -> String { folder + "/" + ContentHash(address).text }
}

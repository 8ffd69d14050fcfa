import Engine
import Foundation
import Glibc

/// The downloaded sounds, in `$XDG_CACHE_HOME/prosper/sounds` or `~/.cache/prosper/sounds`.
///
/// Each address has a card, `KEY.json`, that names the file with the sound, `KEY-CONTENT`. Sound files never change,
/// and cards are replaced atomically. So several processes can use the cache: each finds either a card with its sound,
/// or none. Any thread may call it.
struct RemoteCache: Sendable {
  /// What is known about a downloaded sound.
  struct CacheEntry: Codable, Hashable, Sendable {
    /// The address as the session has it.
    var address: String
    /// What identifies the content on its server.
    var validators: Validators
    /// In bytes.
    var length: Int64
    /// The hash of the sound's bytes.
    var content: String
    /// In seconds since 1970.
    var fetchedAt: Double
  }

  let folder: String
  /// The most bytes of all sounds together; the least recently used ones are removed first.
  var capacity: Int64 = 2 << 30

  init(folder: String, capacity: Int64 = 2 << 30) { (self.folder, self.capacity) = (folder, capacity) }

  /// Uses the folder that the environment specifies; a relative `XDG_CACHE_HOME` is ignored. Returns nil if there is no
  /// home folder either.
  init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
    if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") {
      folder = cache + "/prosper/sounds"
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      folder = home + "/.cache/prosper/sounds"
    } else {
      return nil
    }
  }

  /// Creates the folder.
  func prepare() throws(FetchFailure) {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .notKept(cause: "\(folder) can't be created; choose another folder with XDG_CACHE_HOME")
    }
  }

  /// The card of an address; nil if there is none, or if its sound is not complete.
  func card(of address: String) -> CacheEntry? {
    guard let card = card(at: stem(address) + ".json"), card.address == address else { return nil }
    var facts = stat()
    return stat(path(of: card), &facts) == 0 && Int64(facts.st_size) == card.length ? card : nil
  }

  /// Reads a card; nil if the file is missing or invalid.
  func card(at path: String) -> CacheEntry? {
    guard let data = FileManager.default.contents(atPath: path),
      let card = try? JSONDecoder().decode(CacheEntry.self, from: data),
      !card.content.isEmpty, card.content.allSatisfy(\.isHexDigit)
    else { return nil }
    return card
  }

  /// The path of the sound that a card names.
  func path(of card: CacheEntry) -> String { stem(card.address) + "-" + card.content }

  /// Opens the file of a download.
  ///
  /// - Parameter limit: the most bytes.
  func part(of address: String, limit: Int64) throws(FetchFailure) -> PartFile {
    try PartFile(stem(address), of: address, limit: limit)
  }

  /// The card for a complete download that is not stored yet. Reads the whole file.
  func card(for part: PartFile, of address: String) throws(FetchFailure) -> CacheEntry {
    do throws(SourceError) {
      let file = try RegularFile(path: part.path)
      return CacheEntry(
        address: address, validators: part.validators, length: part.count, content: ContentHash(of: file).text,
        fetchedAt: Date().timeIntervalSince1970)
    } catch { throw .notKept(cause: error.description) }
  }

  /// Stores a complete download with its card, and removes the older sound of the same address.
  func keep(_ part: PartFile, as card: CacheEntry) throws(FetchFailure) {
    let old = self.card(of: card.address)
    try part.become(path(of: card))
    do {
      try JSONEncoder().encode(card).write(to: URL(fileURLWithPath: stem(card.address) + ".json"), options: .atomic)
    } catch { throw .notKept(cause: "\(folder) can't be written; make room, or set XDG_CACHE_HOME") }
    if let old, old.content != card.content { unlink(path(of: old)) }
  }

  /// Marks a sound as used now. The time of the sound's own file is that of the download.
  func touch(_ card: CacheEntry) { utimes(stem(card.address) + ".json", nil) }

  /// The common beginning of the paths that belong to an address.
  private func stem(_ address: String) -> String { folder + "/" + ContentHash(address).text }
}

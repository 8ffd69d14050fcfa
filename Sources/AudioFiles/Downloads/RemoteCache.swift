import Files
import Foundation
import Glibc
import Sounds

/// The downloaded sounds, in `$XDG_CACHE_HOME/prosper/sounds` or `~/.cache/prosper/sounds`.
///
/// Each address has an entry, `KEY.json`, that names the file with the sound, `KEY-CONTENT`. Sound files never change,
/// and entries are replaced atomically, so several processes can use the cache: each finds either an entry with its
/// sound, or none. Any thread may call it.
struct RemoteCache: Sendable {
  /// What is known about a downloaded sound.
  struct CacheEntry: Codable, Hashable, Sendable {
    /// The address as the session has it.
    var address: String
    /// What identifies the content on its server.
    var validators: Validators
    /// The length of the sound in bytes.
    var length: Int64
    /// The hash of the sound's bytes, which is also a part of its file name.
    var content: String
    /// When the sound was downloaded, in seconds since 1970.
    var fetchedAt: Double
  }

  let folder: String
  /// The maximum size of all sounds together, in bytes. The least recently used ones are removed first.
  var capacity: Int64 = 2 << 30

  init(folder: String, capacity: Int64 = 2 << 30) { (self.folder, self.capacity) = (folder, capacity) }

  /// Uses the folder that the environment specifies. Returns nil if it specifies none.
  init?(environment: [String: String] = ProcessInput.environment) {
    guard let cache = CacheFolder.path(environment: environment) else { return nil }
    folder = cache + "/sounds"
  }

  /// Creates the folder, with access for its owner only.
  func prepare() throws(FetchFailure) {
    if FilePath.createPrivateFolder(folder) != nil {
      throw .notStored(cause: "\(folder) can't be created; choose another folder with XDG_CACHE_HOME")
    }
  }

  /// The entry of an address; nil if there is none, or if its sound is not complete.
  func entry(of address: String) -> CacheEntry? {
    guard let entry = entry(at: stem(address) + ".json"), entry.address == address else { return nil }
    var facts = stat()
    return stat(path(of: entry).forSystem, &facts) == 0 && Int64(facts.st_size) == entry.length ? entry : nil
  }

  /// Reads an entry; nil if the file is missing or invalid.
  func entry(at path: String) -> CacheEntry? {
    guard let data = FilePath.contents(of: path),
      let entry = try? JSONDecoder().decode(CacheEntry.self, from: Data(data)),
      !entry.content.isEmpty, entry.content.allSatisfy(\.isHexDigit)
    else { return nil }
    return entry
  }

  /// The path of the sound that an entry names.
  func path(of entry: CacheEntry) -> String { stem(entry.address) + "-" + entry.content }

  /// Opens the file of a download.
  ///
  /// - Parameter limit: the maximum number of bytes.
  func part(of address: String, limit: Int64) throws(FetchFailure) -> PartFile {
    try PartFile(stem(address), of: address, limit: limit)
  }

  /// The entry for a complete download that is not stored yet. Reads the whole file.
  func entry(for part: PartFile, of address: String) throws(FetchFailure) -> CacheEntry {
    do throws(SourceError) {
      let file = try RegularFile(path: part.path)
      return CacheEntry(
        address: address, validators: part.validators, length: part.count, content: ContentHash(of: file).text,
        fetchedAt: Date().timeIntervalSince1970)
    } catch { throw .notStored(cause: error.description) }
  }

  /// Stores a complete download with its entry, and removes the older sound of the same address.
  func keep(_ part: PartFile, as entry: CacheEntry) throws(FetchFailure) {
    let old = self.entry(of: entry.address)
    try part.publish(as: path(of: entry))
    // The address may contain a password.
    do {
      try UnfinishedFile.write(try JSONEncoder().encode(entry), to: stem(entry.address) + ".json", isPrivate: true)
    } catch { throw .notStored(cause: "\(folder) can't be written; free some space, or set XDG_CACHE_HOME") }
    if let old, old.content != entry.content { unlink(path(of: old).forSystem) }
  }

  /// Marks a sound as used now, by the modification time of its entry.
  func touch(_ entry: CacheEntry) { utimes((stem(entry.address) + ".json").forSystem, nil) }

  /// The common beginning of the paths that belong to an address.
  private func stem(_ address: String) -> String { folder + "/" + ContentHash(address).text }
}

extension RemoteCache {
  /// Removes the least recently used items until the others fit into `capacity`.
  ///
  /// - Parameter used: paths of sounds that are not removed in any case.
  func makeRoom(besides used: Set<String>) {
    items.makeRoom(within: capacity) { item in
      !used.isDisjoint(with: item.paths) || item.paths.contains(where: isBeingWritten)
    }
  }

  /// All sounds with their entries, and all unfinished downloads with their metadata.
  private var items: [CachedItem] {
    FilePath.names(in: folder).filter { !$0.hasSuffix(".json") }.compactMap { name in
      var item = CachedItem(path: folder + "/" + name)
      if let beside = metadataPath(of: name) { item?.add(beside) }
      return item
    }
  }

  /// The path of a download's metadata or of a sound's entry; nil for a sound that its entry no longer names.
  private func metadataPath(of name: String) -> String? {
    if name.hasSuffix(".part") { return "\(folder)/\(name).json" }
    let path = "\(folder)/\(name.prefix { $0 != "-" }).json"
    return entry(at: path).map { self.path(of: $0) } == "\(folder)/\(name)" ? path : nil
  }

  /// Whether a process is downloading to the file: it has locked the file.
  private func isBeingWritten(_ path: String) -> Bool {
    guard path.hasSuffix(".part") else { return false }
    let descriptor = open(path.forSystem, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard 0 <= descriptor else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0
  }
}

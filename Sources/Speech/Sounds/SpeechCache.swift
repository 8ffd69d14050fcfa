import AudioFiles
import Files
import Glibc
import Sounds

/// The sentences that were spoken before, in `$XDG_CACHE_HOME/prosper/speech` or `~/.cache/prosper/speech`, each in a
/// WAV file.
///
/// A file gets its name when it is complete and never changes, so several processes can use the cache. Any thread may
/// call it.
struct SpeechCache: Sendable {
  let folder: String
  /// The maximum size of all files together, in bytes; about three hours at 22,050 Hz. The least recently used ones are
  /// removed first.
  var capacity: Int64 = 512 << 20

  init(folder: String, capacity: Int64 = 512 << 20) { (self.folder, self.capacity) = (folder, capacity) }

  /// Uses the folder that the environment specifies. Returns nil if it specifies none.
  init?(environment: [String: String] = ProcessInput.environment) {
    guard let cache = CacheFolder.path(environment: environment) else { return nil }
    folder = cache + "/speech"
  }

  private func path(of key: String) -> String { "\(folder)/\(ContentHash(key).text).wav" }

  /// A stored sentence; nil if there is none, or if its file is damaged. Marks it as used now.
  func sentence(_ key: String) -> StoredSentence? {
    let path = path(of: key)
    let descriptor = open(path.forSystem, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard 0 <= descriptor else { return nil }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    let count = SentenceFile.headLength(key: key)
    let head = [UInt8](unsafeUninitializedCapacity: count) { $1 = max(0, read(descriptor, $0.baseAddress, count)) }
    let sentence = SentenceFile.sentence(at: path, head: head, size: Int(facts.st_size), key: key)
    if sentence != nil { futimens(descriptor, nil) }
    return sentence
  }

  /// Stores a sentence.
  func keep(_ sound: EngineSound, as key: String) throws(SpeechFailure) -> StoredSentence {
    if let code = FilePath.createPrivateFolder(folder) {
      throw .notStored(cause: "\(folder): \(ErrorNumber(code: code).message); set XDG_CACHE_HOME to another folder")
    }
    let path = path(of: key)
    let bytes = SentenceFile.bytes(of: sound, key: key)
    do throws(ErrorNumber) { try UnfinishedFile.write(bytes, to: path, isPrivate: true) } catch {
      throw .notStored(cause: "\(folder): \(error.message); free some space, or set XDG_CACHE_HOME")
    }
    return StoredSentence(path: path, frames: Int64(sound.samples.count / (2 * sound.channels)), rate: sound.rate)
  }

  /// Removes the least recently used sentences until the others fit into `capacity`.
  ///
  /// - Parameter used: paths of files that are not removed in any case.
  func makeRoom(besides used: Set<String>) {
    let files = FilePath.names(in: folder).filter { $0.hasSuffix(".wav") }
    files.compactMap { CachedItem(path: folder + "/" + $0) }.makeRoom(within: capacity) { item in
      !used.isDisjoint(with: item.paths)
    }
  }
}

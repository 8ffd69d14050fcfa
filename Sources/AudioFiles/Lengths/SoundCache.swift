import Files
import Foundation
import Glibc
package import Sounds
import Synchronization

/// Caches what has been found out about sound files, so that a session whose files have not changed is laid out without
/// opening them.
///
/// A cache is a text file with a line for each part of a sound file. Several processes can use it at the same time,
/// because each only appends whole lines. Any thread may call it. Without a folder, or if the file can't be read or
/// written, the sound files are opened.
package final class SoundCache: Sendable {
  /// The state of a file: path, device, inode, size, and times of the last change.
  package struct FileState: Equatable {
    fileprivate let text: String
    /// When the file or its attributes were changed last, in seconds since 1970.
    fileprivate let changedAt: Int
  }

  /// The file is removed when it is larger, in bytes; this is enough for about 4,000 sounds.
  private static let capacity = 262_144
  /// Changes within this many seconds may not change the times of a file, so a file is cached only if it is older.
  private static let leastAge = 3

  /// The lengths and tags of this user's sound files. The edition is increased whenever a file may have another length or
  /// other tags than an earlier version found.
  package static let lengths = SoundCache("lengths", edition: 4)
  /// The loudness of this user's sound files.
  package static let loudness = SoundCache("loudness", edition: 1)

  private let path: String?
  private let edition: Int
  /// Seconds since 1970.
  private let now: @Sendable () -> Int
  /// The line of each sound, by the hash of its key; nil until the first call. A line is parsed when its sound is
  /// requested.
  private let lines = Mutex<[Substring: Substring]?>(nil)

  /// - Parameters:
  ///   - name: that of the file.
  ///   - edition: lines of another one are not found.
  ///   - folder: nil for no cache.
  package init(
    _ name: String, edition: Int, folder: String? = CacheFolder.path(),
    now: @escaping @Sendable () -> Int = { Int(Date().timeIntervalSince1970) }
  ) {
    (path, self.edition, self.now) = (folder.map { $0 + "/" + name }, edition, now)
  }

  /// The state of a file; nil if this process can't read it.
  package func state(of path: String?) -> FileState? {
    guard let path, self.path != nil else { return nil }
    var facts = stat()
    guard stat(path.forSystem, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, access(path.forSystem, R_OK) == 0 else {
      return nil
    }
    let state: [Int] = [
      Int(facts.st_dev), Int(facts.st_ino), Int(facts.st_size), facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec,
      facts.st_ctim.tv_sec, facts.st_ctim.tv_nsec,
    ]
    return FileState(
      text: "\(edition) \(path)\0\(state)", changedAt: max(facts.st_mtim.tv_sec, facts.st_ctim.tv_sec))
  }

  /// The key of a part of a file in a state.
  private func key(_ part: SoundSource, _ state: FileState) -> String {
    ContentHash("\(state.text) \(part.start) \(part.end.map { "\($0)" } ?? "end")").text
  }

  /// What is known of a part of a file in this state; nil if it is not cached.
  package func line(of part: SoundSource, in state: FileState) -> Substring? {
    lines.withLock { lines in
      if lines == nil { lines = read() }
      return lines?.isEmpty == true ? nil : lines?[Substring(key(part, state))]
    }
  }

  /// Caches lines, without their ends, of parts of a file that was in this state before and after it was opened.
  package func keep(_ sounds: [(part: SoundSource, line: String)], in state: FileState) {
    guard let path, !sounds.isEmpty, state.changedAt + Self.leastAge <= now() else { return }
    let new = sounds.map { (key: key($0.part, state), line: $0.line) }
    lines.withLock { lines in for sound in new { lines?[Substring(sound.key)] = Substring(sound.line) } }
    append(new.map { "\($0.key)\t\($0.line)\n" }.joined(), to: path)
  }

  private func read() -> [Substring: Substring] {
    guard let path, let file = try? RegularFile(path: path) else { return [:] }
    if Self.capacity < file.size { unlink(path.forSystem) }
    var lines: [Substring: Substring] = [:]
    let text = String(decoding: file.bytes(at: 0, count: min(Int(file.size), 2 * Self.capacity)), as: UTF8.self)
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      guard let tab = line.firstIndex(of: UInt8(ascii: "\t")) else { continue }
      lines[Substring(line[..<tab])] = Substring(line[line.index(after: tab)...])
    }
    return lines
  }

  private func append(_ line: String, to path: String) {
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    var descriptor = open(path.forSystem, flags, 0o600)
    if descriptor < 0, errno == ENOENT {
      FilePath.createPrivateFolder(FilePath.folder(of: path))
      descriptor = open(path.forSystem, flags, 0o600)
    }
    guard 0 <= descriptor else { return }
    defer { close(descriptor) }
    // One call, so that the lines of other processes come before or after it, never within it.
    _ = write(descriptor, line, line.utf8.count)
  }
}

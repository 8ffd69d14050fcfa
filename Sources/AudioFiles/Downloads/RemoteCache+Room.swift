import Foundation
import Glibc

extension RemoteCache {
  /// A sound, or an unfinished download.
  private struct Entry {
    /// The sound and its card, or the download and its note.
    var paths: [String]
    /// Bytes of the sound, or of the download.
    var size: Int64
    /// The time of its last use, in seconds since 1970.
    var time: Double
  }

  /// Removes the least recently used sounds until the others fit into `capacity`.
  ///
  /// - Parameter used: paths of sounds that are kept in any case.
  func makeRoom(besides used: Set<String>) {
    let entries = entries()
    var total = entries.reduce(0) { $0 + $1.size }
    for entry in entries.sorted(by: { $0.time < $1.time }) where capacity < total {
      guard used.isDisjoint(with: entry.paths), entry.paths.allSatisfy({ !isBeingWritten($0) }) else { continue }
      for path in entry.paths.reversed() { unlink(path) }
      total -= entry.size
    }
  }

  /// All sounds with their cards, and all unfinished downloads with their notes.
  private func entries() -> [Entry] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { !$0.hasSuffix(".json") }.compactMap { name in
      let path = folder + "/" + name
      var (facts, card) = (stat(), stat())
      guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
      let beside = paper(of: name)
      let time = beside.map { stat($0, &card) == 0 } == true ? max(card.seconds, facts.seconds) : facts.seconds
      return Entry(paths: [path] + (beside.map { [$0] } ?? []), size: Int64(facts.st_size), time: time)
    }
  }

  /// The path of a download's note or of a sound's card; nil for a sound that its card no longer names.
  private func paper(of name: String) -> String? {
    if name.hasSuffix(".part") { return "\(folder)/\(name).json" }
    let path = "\(folder)/\(name.prefix { $0 != "-" }).json"
    return card(at: path).map { self.path(of: $0) } == "\(folder)/\(name)" ? path : nil
  }

  /// Whether a process is downloading to the file.
  private func isBeingWritten(_ path: String) -> Bool {
    guard path.hasSuffix(".part") else { return false }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard 0 <= descriptor else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0
  }
}

extension stat {
  fileprivate var seconds: Double { Double(st_mtim.tv_sec) + Double(st_mtim.tv_nsec) / 1e9 }
}

import Files
import Glibc

extension RemoteCache {
  /// A stored sound, or an unfinished download.
  private struct CachedItem {
    /// The sound and its entry, or the download and its metadata.
    var paths: [String]
    /// Bytes of the sound, or of the download.
    var size: Int64
    /// When it was last used, in seconds since 1970.
    var time: Double
  }

  /// Removes the least recently used items until the others fit into `capacity`.
  ///
  /// - Parameter used: paths of sounds that are not removed in any case.
  func makeRoom(besides used: Set<String>) {
    let items = items()
    var total = items.reduce(0) { $0 + $1.size }
    for item in items.sorted(by: { $0.time < $1.time }) where capacity < total {
      guard used.isDisjoint(with: item.paths), item.paths.allSatisfy({ !isBeingWritten($0) }) else { continue }
      for path in item.paths.reversed() { unlink(path.forSystem) }
      total -= item.size
    }
  }

  /// All sounds with their entries, and all unfinished downloads with their metadata.
  private func items() -> [CachedItem] {
    let names = FilePath.names(in: folder)
    return names.filter { !$0.hasSuffix(".json") }.compactMap { name in
      let path = folder + "/" + name
      var (facts, metadata) = (stat(), stat())
      guard stat(path.forSystem, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
      let beside = metadataPath(of: name)
      let time =
        beside.map { stat($0.forSystem, &metadata) == 0 } == true ? max(metadata.seconds, facts.seconds) : facts.seconds
      return CachedItem(paths: [path] + (beside.map { [$0] } ?? []), size: Int64(facts.st_size), time: time)
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

extension stat {
  fileprivate var seconds: Double { Double(st_mtim.tv_sec) + Double(st_mtim.tv_nsec) / 1e9 }
}

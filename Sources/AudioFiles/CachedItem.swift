import Files
import Glibc

/// Something in a cache: a file, and those that belong to it.
package struct CachedItem {
  /// They are removed together, the last one first.
  package var paths: [String]
  /// The bytes that count.
  package var size: Int64
  /// When it was last used, in seconds since 1970.
  package var time: Double

  /// An item of one file; nil if it is none.
  package init?(path: String) {
    var facts = stat()
    guard lstat(path.forSystem, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    (paths, size, time) = ([path], Int64(facts.st_size), facts.seconds)
  }

  /// Adds a file that belongs to the item. If it was used later, so was the item.
  package mutating func add(_ path: String) {
    paths.append(path)
    var facts = stat()
    if stat(path.forSystem, &facts) == 0 { time = max(time, facts.seconds) }
  }
}

extension [CachedItem] {
  /// Removes the least recently used items until the others fit into a number of bytes.
  ///
  /// - Parameter isKept: whether an item is not removed in any case.
  package func makeRoom(within capacity: Int64, keeping isKept: (CachedItem) -> Bool) {
    var total = reduce(0) { $0 + $1.size }
    for item in sorted(by: { $0.time < $1.time }) where capacity < total && !isKept(item) {
      for path in item.paths.reversed() { unlink(path.forSystem) }
      total -= item.size
    }
  }
}

extension stat {
  fileprivate var seconds: Double { Double(st_mtim.tv_sec) + Double(st_mtim.tv_nsec) / 1e9 }
}

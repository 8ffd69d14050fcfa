import Glibc

/// The file that a render writes into, beside the final name. It is locked for as long as its writer lives, so that what
/// a killed render has left is told from what still grows.
enum UnfinishedFile {
  private static let prefix = ".prosper-"
  private static let suffix = ".part"

  /// Makes one in a folder, under a name that nobody has, and opens it for reading and writing.
  ///
  /// - Throws: the error number.
  static func create(in folder: String) throws(ErrorNumber) -> (path: String, descriptor: Int32) {
    for _ in 0..<16 {
      // In a container every render may have the same process number.
      let path = "\(folder)/\(prefix)\(getpid())-\(UInt32.random(in: 0...UInt32.max))\(suffix)"
      let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
      if descriptor < 0, errno != EEXIST { break }
      if 0 <= descriptor, isOurs(descriptor) { return (path, descriptor) }
      if 0 <= descriptor { close(descriptor) }
    }
    throw ErrorNumber(code: errno)
  }

  /// Removes what killed renders have left in a folder: files of this user, under names of ours, that nobody has locked.
  static func removeLeftovers(in folder: String) {
    guard let listing = opendir(folder) else { return }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasPrefix(prefix), name.hasSuffix(suffix) { removeIfLeft(folder + "/" + name) }
    }
  }

  /// Whether the new file is locked now. Where another render has taken it for a leftover just before, it has lost its
  /// name. A file system without locks is used as it is: there nothing can be locked by others either.
  private static func isOurs(_ descriptor: Int32) -> Bool {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return errno != EWOULDBLOCK }
    var facts = stat()
    return fstat(descriptor, &facts) != 0 || 0 < facts.st_nlink
  }

  private static func removeIfLeft(_ path: String) {
    let descriptor = open(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
    guard 0 <= descriptor else { return }
    defer { close(descriptor) }
    var (facts, named) = (stat(), stat())
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &facts) == 0, lstat(path, &named) == 0,
      facts.st_mode & S_IFMT == S_IFREG, facts.st_uid == geteuid(),
      (facts.st_dev, facts.st_ino) == (named.st_dev, named.st_ino)
    else { return }
    unlink(path)
  }
}

struct ErrorNumber: Error {
  var code: Int32
}

import Glibc

/// The temporary file of a render, in the folder of the final file.
///
/// It is locked while its render is in progress, so that leftovers of killed renders can be distinguished from files in
/// use.
enum UnfinishedFile {
  private static let prefix = ".prosper-"
  private static let suffix = ".part"

  /// Creates a file with a new name in a folder, locks it and opens it for reading and writing.
  ///
  /// - Throws: the `errno`.
  static func create(in folder: String) throws(ErrorNumber) -> (path: String, descriptor: Int32) {
    for _ in 0..<16 {
      // The process identifier alone is not unique: in containers, every render may have the same one.
      let path = "\(folder)/\(prefix)\(getpid())-\(UInt32.random(in: 0...UInt32.max))\(suffix)"
      let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
      if descriptor < 0, errno != EEXIST { break }
      if 0 <= descriptor, isOurs(descriptor) { return (path, descriptor) }
      if 0 <= descriptor { close(descriptor) }
    }
    throw ErrorNumber(code: errno)
  }

  /// Removes the leftovers of killed renders: files of this user with such a name that are not locked.
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

  /// Locks a new file. Returns false if another render has just removed it as a leftover.
  ///
  /// On a file system without locks, the file is used unlocked: another render can't lock it either, and so doesn't
  /// remove it.
  private static func isOurs(_ descriptor: Int32) -> Bool {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return errno != EWOULDBLOCK }
    var facts = stat()
    return fstat(descriptor, &facts) != 0 || 0 < facts.st_nlink
  }

  /// Removes a file if it belongs to this user and is not locked.
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

/// An `errno`.
struct ErrorNumber: Error {
  var code: Int32
}

import Glibc

/// A file that has a temporary name, in the folder of the final one, until it is complete. All files that a command
/// writes for its user are written in this way.
///
/// A file that it replaces gives it its mode and owner. A symbolic link is kept, and the file that it leads to replaced.
/// The temporary file is locked, so that leftovers of killed programs can be distinguished from files in use.
package final class UnfinishedFile {
  package private(set) var descriptor: Int32
  /// The final path, with symbolic links resolved.
  private let target: String
  /// The path until then.
  package let temporary: String
  /// The mode and owner that the file gets with its name: those of the file that it replaces; nil for the usual ones.
  private var mode: mode_t?
  private var owner: (user: uid_t, group: gid_t)?

  private static let prefix = ".prosper-"
  private static let suffix = ".part"

  /// Creates the temporary file, open for reading and writing, and removes leftovers in its folder.
  ///
  /// - Parameter isNameless: whether it loses its temporary name at once: then nothing of it is left, however the program
  ///   ends, and it can't be published.
  /// - Throws: the `errno`.
  package init(for path: String, isNameless: Bool = false) throws(ErrorNumber) {
    var facts = stat()
    if stat(path.forSystem, &facts) == 0 {
      if facts.st_mode & S_IFMT == S_IFDIR { throw ErrorNumber(code: EISDIR) }
      (mode, owner) = (facts.st_mode & 0o777, (facts.st_uid, facts.st_gid))
    }
    target = FilePath.resolved(path) ?? path
    let folder = FilePath.folder(of: target)
    Self.removeLeftovers(in: folder)
    // What nobody else may read can't be read under its temporary name either.
    (temporary, descriptor) = try Self.create(in: folder, mode: mode.map { $0 & 0o666 | 0o600 } ?? 0o666)
    if isNameless { unlink(temporary.forSystem) }
  }

  deinit { discard() }

  /// Writes a small file of prosper itself, in place of an existing one.
  ///
  /// - Parameters:
  ///   - isPrivate: whether only this user may read it, whatever the mode of the existing one.
  ///   - isSynced: whether it is on the disk afterwards, or is written there later.
  /// - Throws: the `errno`.
  package static func write(
    _ bytes: some Sequence<UInt8>, to path: String, isPrivate: Bool, isSynced: Bool = false
  ) throws(ErrorNumber) {
    let file = try UnfinishedFile(for: path)
    if isPrivate { file.mode = 0o600 }
    try file.append(Array(bytes))
    try file.publish(isSynced: isSynced)
  }

  /// Writes all elements after what was written before.
  ///
  /// - Throws: the `errno` of the first write that failed.
  package func append<Element: BitwiseCopyable>(_ elements: [Element]) throws(ErrorNumber) {
    try elements.withUnsafeBufferPointer { (elements) throws(ErrorNumber) in
      var rest = UnsafeRawBufferPointer(elements)
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        if count <= 0 { throw ErrorNumber(code: count < 0 ? errno : ENOSPC) }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
  }

  /// Writes the file to the disk and gives it its final name.
  ///
  /// - Parameter replaces: whether a file with this name, even one that was created meanwhile, is replaced.
  /// - Throws: the `errno`; the file is then removed.
  package func publish(replaces: Bool = true, isSynced: Bool = true) throws(ErrorNumber) {
    guard 0 <= descriptor else { return }
    defer { unlink(temporary.forSystem) }
    // Not every file system has owners and modes.
    if let owner { _ = fchown(descriptor, owner.user, owner.group) }
    if let mode { _ = fchmod(descriptor, mode) }
    var failure = !isSynced || fsync(descriptor) == 0 ? nil : errno
    // A second descriptor keeps the lock until the file is renamed, so that no other program removes the file as a
    // leftover.
    let lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    defer { if 0 <= lock { close(lock) } }
    if close(descriptor) != 0, failure == nil { failure = errno }
    descriptor = -1
    if failure == nil, !(replaces ? rename(temporary.forSystem, target.forSystem) == 0 : name()) { failure = errno }
    if let failure { throw ErrorNumber(code: failure) }
    if isSynced { syncFolder() }
  }

  /// Removes the temporary file; does nothing after `publish`.
  package func discard() {
    guard 0 <= descriptor else { return }
    unlink(temporary.forSystem)
    close(descriptor)
    descriptor = -1
  }

  /// Gives the file its name unless another one has it; returns false with the `errno`.
  private func name() -> Bool {
    if link(temporary.forSystem, target.forSystem) == 0 { return true }
    // FAT and exFAT have no links.
    guard [EPERM, EOPNOTSUPP].contains(errno) else { return false }
    if !FilePath.exists(target) { return rename(temporary.forSystem, target.forSystem) == 0 }
    errno = EEXIST
    return false
  }

  /// Writes the rename to the disk, so that it is not lost in a power failure, on file systems that support this.
  private func syncFolder() {
    let folder = open(FilePath.folder(of: target).forSystem, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard 0 <= folder else { return }
    fsync(folder)
    close(folder)
  }

  /// Creates a file with a new name in a folder, locks it and opens it for reading and writing.
  private static func create(in folder: String, mode: mode_t) throws(ErrorNumber) -> (path: String, descriptor: Int32) {
    for _ in 0..<16 {
      // The process identifier alone is not unique: in containers, every render may have the same one.
      let path = "\(folder)/\(prefix)\(getpid())-\(UInt32.random(in: 0...UInt32.max))\(suffix)"
      let descriptor = open(path.forSystem, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
      if descriptor < 0, errno != EEXIST { break }
      if 0 <= descriptor, isOurs(descriptor) { return (path, descriptor) }
      if 0 <= descriptor { close(descriptor) }
    }
    throw ErrorNumber(code: errno)
  }

  /// Removes the leftovers of killed programs: files of this user with such a name that are not locked.
  private static func removeLeftovers(in folder: String) {
    for name in FilePath.names(in: folder) where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
      removeIfLeft(folder + "/" + name)
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
    let descriptor = open(path.forSystem, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
    guard 0 <= descriptor else { return }
    defer { close(descriptor) }
    var (facts, named) = (stat(), stat())
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &facts) == 0,
      lstat(path.forSystem, &named) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_uid == geteuid(),
      (facts.st_dev, facts.st_ino) == (named.st_dev, named.st_ino)
    else { return }
    unlink(path.forSystem)
  }
}

/// An `errno`.
package struct ErrorNumber: Error {
  package var code: Int32

  package init(code: Int32) { self.code = code }

  /// The system's words for it, in lower case, and for a limit of this process the fix.
  package var message: String {
    String(cString: strerror(code)).lowercased() + (code == EMFILE ? "; raise the limit with 'ulimit -n'" : "")
  }
}

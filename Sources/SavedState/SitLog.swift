package import Files
import Glibc

/// The log of sits, `log.csv` in the state folder. Several players may write it at the same time: each takes a lock on
/// the file first.
package struct SitLog: Sendable {
  package let path: String
  private let folder: String

  package init(in folder: StateFolder) { (self.folder, path) = (folder.path, folder.file("log.csv")) }

  /// The content; without a file, it is empty. Blocks while another program writes.
  ///
  /// - Throws: the `errno`.
  package func read() throws(ErrorNumber) -> SitLogContent {
    do throws(ErrorNumber) {
      return try LockedFile.open(path, O_RDONLY, LOCK_SH) { file throws(ErrorNumber) in
        SitLogContent(try file.contents())
      }
    } catch {
      if error.code == ENOENT { return SitLogContent() }
      throw error
    }
  }

  /// Adds a line at the end, and creates folder and file if necessary, with access for their owner only. Blocks until the
  /// line is on the disk.
  ///
  /// - Throws: the `errno`. The file is then as it was before.
  package func append(_ sit: LoggedSit) throws(ErrorNumber) {
    if let code = FilePath.createPrivateFolder(folder) { throw ErrorNumber(code: code) }
    try LockedFile.open(path, O_RDWR | O_APPEND | O_CREAT, LOCK_EX) { file throws(ErrorNumber) in
      let line = CSV.text(of: sit.fields) + "\n"
      // The last line may lack its end, after a crash or an editor.
      let before = file.size == 0 ? CSV.text(of: LoggedSit.columns) + "\n" : file.endsLine ? "" : "\n"
      try file.append(before + line)
    }
  }

  /// Replaces the content by what `change` makes of it, unless that returns nil. Readers see either the old content or
  /// the new one.
  ///
  /// - Parameter creates: whether a missing file is created.
  /// - Returns: what `change` returned; nil also without a file.
  /// - Throws: the `errno`. The file is then as it was before.
  package func change<Value>(
    creates: Bool, _ change: (inout SitLogContent) -> Value?
  ) throws(ErrorNumber) -> Value? {
    if creates, let code = FilePath.createPrivateFolder(folder) { throw ErrorNumber(code: code) }
    do throws(ErrorNumber) {
      return try LockedFile.open(path, O_RDWR | (creates ? O_CREAT : 0), LOCK_EX) { file throws(ErrorNumber) in
        var content = SitLogContent(try file.contents())
        guard let value = change(&content) else { return nil }
        // The new file gets the mode of this one.
        try UnfinishedFile.write(content.bytes, to: path, isPrivate: false, isSynced: true)
        return value
      }
    } catch {
      if error.code == ENOENT, !creates { return nil }
      throw error
    }
  }
}

/// An open file with a lock.
private struct LockedFile {
  private let descriptor: Int32
  /// In bytes, when it was opened.
  let size: Int

  /// Opens and locks a file while `body` runs. Blocks while another program has the lock.
  ///
  /// - Parameters:
  ///   - flags: those of `open`.
  ///   - lock: `LOCK_EX` or `LOCK_SH`.
  /// - Throws: the `errno`.
  static func open<Value>(
    _ path: String, _ flags: Int32, _ lock: Int32, _ body: (LockedFile) throws(ErrorNumber) -> Value
  ) throws(ErrorNumber) -> Value {
    while true {
      // Without `O_NONBLOCK`, opening a FIFO could block.
      let descriptor = Glibc.open(path.forSystem, flags | O_CLOEXEC | O_NONBLOCK, 0o600)
      guard 0 <= descriptor else { throw ErrorNumber(code: errno) }
      defer { close(descriptor) }
      // On a file system without locks, it is used unlocked.
      while flock(descriptor, lock) != 0, errno == EINTR {}
      var (facts, named) = (stat(), stat())
      guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { throw ErrorNumber(code: EINVAL) }
      // Another program may have replaced the file before this one got the lock.
      if stat(path.forSystem, &named) == 0, (named.st_dev, named.st_ino) == (facts.st_dev, facts.st_ino) {
        return try body(LockedFile(descriptor: descriptor, size: Int(facts.st_size)))
      }
    }
  }

  /// Whether the last line has its end.
  var endsLine: Bool {
    var last: UInt8 = 0
    return pread(descriptor, &last, 1, off_t(size - 1)) == 1 && last == UInt8(ascii: "\n")
  }

  /// All bytes of the file.
  func contents() throws(ErrorNumber) -> [UInt8] {
    var (bytes, block) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
    while true {
      let count = Glibc.read(descriptor, &block, block.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw ErrorNumber(code: errno) }
      if count == 0 { return bytes }
      bytes += block[..<count]
    }
  }

  /// Writes a text at the end of the file and to the disk. If it does not fit, nothing of it is left.
  func append(_ text: String) throws(ErrorNumber) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count <= 0 {
        let code = count < 0 ? errno : ENOSPC
        ftruncate(descriptor, off_t(size))
        throw ErrorNumber(code: code)
      }
      rest = rest.dropFirst(count)
    }
    fdatasync(descriptor)
  }
}

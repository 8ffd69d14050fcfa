import Engine
import Files
import Glibc
import Sounds

/// A folder that has a temporary name, beside the final one, until it is complete.
final class BundleFolder {
  /// The final path, absolute and without symbolic links.
  let path: String
  /// The path until then.
  private let temporary: String
  private var isPublished = false

  private static let blockBytes = 1 << 20

  /// Creates the temporary folder.
  ///
  /// - Throws: `notEmpty` if there is something at the path besides an empty folder.
  init(for path: String) throws(SessionBundle.Failure) {
    var target = absolutePath(of: path)
    while 1 < target.utf8.count, target.hasSuffix("/") { target.removeLast() }
    var facts = stat()
    let exists = stat(target.forSystem, &facts) == 0
    if exists { target = FilePath.resolved(target) ?? target }
    if exists, facts.st_mode & S_IFMT != S_IFDIR || !FilePath.names(in: target).isEmpty {
      throw .notEmpty(path: path)
    }
    self.path = target
    let parent = FilePath.folder(of: target)
    temporary = "\(parent)/.prosper-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).part"
    let mode = exists ? facts.st_mode & 0o777 | 0o700 : 0o777
    guard mkdir(temporary.forSystem, mode) == 0 else { throw Self.cannotCreate(path, errno) }
    for name in [SessionBundle.soundsFolder] where mkdir("\(temporary)/\(name)".forSystem, mode) != 0 {
      let failure = errno
      discard()
      throw Self.cannotCreate(path, failure)
    }
  }

  deinit { discard() }

  /// The path at which a file of the folder is written.
  func unfinished(_ name: String) -> String { "\(temporary)/\(name)" }

  /// The size of a file in bytes; 0 if it is not known.
  static func size(of path: String) -> Int {
    var facts = stat()
    return stat(path.forSystem, &facts) == 0 ? Int(facts.st_size) : 0
  }

  /// Gives the folder its name.
  func publish() throws(SessionBundle.Failure) {
    // A folder without sounds needs none for them.
    rmdir(unfinished(SessionBundle.soundsFolder).forSystem)
    guard rename(temporary.forSystem, path.forSystem) == 0 else {
      if [ENOTEMPTY, EEXIST, ENOTDIR].contains(errno) { throw .notEmpty(path: path) }
      throw Self.cannotCreate(path, errno)
    }
    isPublished = true
    let parent = open(FilePath.folder(of: path).forSystem, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard 0 <= parent else { return }
    fsync(parent)
    close(parent)
  }

  /// Removes the temporary folder.
  private func discard() {
    if isPublished { return }
    for folder in [unfinished(SessionBundle.soundsFolder), temporary] {
      for name in FilePath.names(in: folder) { unlink("\(folder)/\(name)".forSystem) }
      rmdir(folder.forSystem)
    }
  }

  /// Writes a file.
  func write(_ text: String, as name: String) throws(SessionBundle.Failure) {
    let file = try create(name)
    defer { close(file) }
    try append(Array(text.utf8)[...], to: file, name)
    try complete(file, name)
  }

  /// Copies a file.
  ///
  /// - Parameter progress: called with the number of bytes after each block.
  func copy(_ source: String, as name: String, progress: (Int) -> Void) throws(SessionBundle.Failure) {
    let input = open(source.forSystem, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard 0 <= input else { throw Self.unreadable(source, errno) }
    defer { close(input) }
    var facts = stat()
    guard fstat(input, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw .input(.unreadable(path: source, cause: "it is not a file"))
    }
    let output = try create(name)
    defer { close(output) }
    var block = [UInt8](repeating: 0, count: Self.blockBytes)
    while true {
      let count = block.withUnsafeMutableBytes { read(input, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw Self.unreadable(source, errno) }
      if count == 0 { break }
      try append(block[..<count], to: output, name)
      progress(count)
    }
    try complete(output, name)
  }

  private func create(_ name: String) throws(SessionBundle.Failure) -> Int32 {
    let file = open(unfinished(name).forSystem, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    if 0 <= file { return file }
    throw Self.cannotCreate("\(path)/\(name)", errno)
  }

  private func append(_ bytes: ArraySlice<UInt8>, to file: Int32, _ name: String) throws(SessionBundle.Failure) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { throw cannotWrite(name, count < 0 ? errno : ENOSPC) }
      rest = rest.dropFirst(count)
    }
  }

  private func complete(_ file: Int32, _ name: String) throws(SessionBundle.Failure) {
    if fsync(file) != 0, errno != EINVAL { throw cannotWrite(name, errno) }
  }

  private static func cannotCreate(_ path: String, _ code: Int32) -> SessionBundle.Failure {
    .output(.cannotCreate(path: path, cause: ErrorNumber(code: code).message))
  }

  private static func unreadable(_ path: String, _ code: Int32) -> SessionBundle.Failure {
    .input(code == ENOENT ? .missing(path: path) : .unreadable(path: path, cause: ErrorNumber(code: code).message))
  }

  private func cannotWrite(_ name: String, _ code: Int32) -> SessionBundle.Failure {
    .output(.cannotWrite(path: "\(path)/\(name)", cause: ErrorNumber(code: code).message))
  }
}

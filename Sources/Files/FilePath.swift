import Glibc

/// What the system knows about the file at a path.
package enum FilePath {
  /// The path after all symbolic links; nil if there is no such file.
  package static func resolved(_ path: String) -> String? {
    let resolved = realpath(path.forSystem, nil)
    defer { free(resolved) }
    return resolved.map { String(ofSystem: $0) }
  }

  /// What a symbolic link contains; nil if there is none at the path.
  package static func link(at path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path.forSystem, &bytes, bytes.count)
    return 0 < count ? String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }

  /// The folder of a path: `.` if it names none.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The path from a folder to a file, both absolute; nil if they share no folder but the root, or if a symbolic link
  /// makes the way through `..` lead elsewhere.
  package static func relative(_ path: String, to folder: String) -> String? {
    let (file, base) = (parts(of: path), parts(of: folder))
    let shared = zip(file, base).prefix { $0.0 == $0.1 }.count
    guard shared < file.count, shared == base.count || 0 < shared else { return nil }
    let up = Array(repeating: Substring(".."), count: base.count - shared)
    let relative = (up + file[shared...]).joined(separator: "/")
    if up.isEmpty { return relative }
    let identity = FileIdentity("\(folder)/\(relative)")
    return identity != nil && identity == FileIdentity(path) ? relative : nil
  }

  /// The names of which a path consists. A slash is one even before a combining character.
  package static func parts(of path: String) -> [Substring] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
  }

  /// Whether there is a file or folder at a path.
  package static func exists(_ path: String) -> Bool { access(path.forSystem, F_OK) == 0 }

  /// The names in a folder, in no order; none if it can't be read.
  package static func names(in folder: String) -> [String] {
    guard let listing = opendir(folder.forSystem) else { return [] }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      // Read in place: a copy of the whole field could reach beyond the buffer of `readdir`.
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(ofSystem: $0.prefix { $0 != 0 }) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Creates a folder and those around it, for this user only; does nothing if it exists.
  ///
  /// - Returns: the `errno`; nil if there is a folder now.
  @discardableResult
  package static func createFolder(_ path: String) -> Int32? {
    if mkdir(path.forSystem, 0o700) == 0 || errno == EEXIST { return nil }
    guard errno == ENOENT, path.contains("/"), path != "/" else { return errno }
    if let code = createFolder(folder(of: path)) { return code }
    return mkdir(path.forSystem, 0o700) == 0 || errno == EEXIST ? nil : errno
  }

  /// Creates a folder of prosper and those around it. Removes the permissions of others from an existing one, and from
  /// the folder `prosper` around it: addresses in its files may contain passwords.
  ///
  /// - Returns: the `errno`; nil if there is a folder now.
  @discardableResult
  package static func createPrivateFolder(_ path: String) -> Int32? {
    if let code = createFolder(path) { return code }
    let parent = folder(of: path)
    for folder in parent.hasSuffix("/prosper") ? [parent, path] : [path] {
      var facts = stat()
      guard stat(folder.forSystem, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else { return ENOTDIR }
      if facts.st_uid == getuid(), facts.st_mode & 0o077 != 0 { chmod(folder.forSystem, 0o700) }
    }
    return nil
  }

  /// The content of a file, at most `limit` bytes of it; nil if it can't be read.
  package static func contents(of path: String, upTo limit: Int = .max) -> [UInt8]? {
    let descriptor = open(path.forSystem, O_RDONLY | O_CLOEXEC)
    guard 0 <= descriptor else { return nil }
    defer { close(descriptor) }
    var (bytes, block) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
    while bytes.count < limit {
      let count = read(descriptor, &block, min(block.count, limit - bytes.count))
      if count < 0, errno == EINTR { continue }
      if count < 0 { return nil }
      if count == 0 { break }
      bytes += block[..<count]
    }
    return bytes
  }
}

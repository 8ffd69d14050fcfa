import Glibc

/// Where the control sockets of one user's players are: `$XDG_RUNTIME_DIR/prosper`, or else a folder in `/tmp` that
/// nobody else can look into.
///
/// Programs of one user can have different environments: one that cron, ssh or a system service starts has another
/// `XDG_RUNTIME_DIR` than the desktop, or none. A player listens in the folder of its own environment; `all` has the
/// folders to look in.
package struct ControlFolder: Sendable, Hashable {
  package let path: String

  /// Where a player of this user can be: the folder of this program's environment, then those of other environments.
  package static var all: [ControlFolder] {
    [ControlFolder(), ControlFolder(login: "/run/user"), ControlFolder(runtime: nil)]
  }

  /// - Parameter login: the folder in which systemd makes a runtime folder for each user who is logged in.
  init(login: String) { path = "\(login)/\(getuid())/prosper" }

  /// - Parameter runtime: what `XDG_RUNTIME_DIR` says; empty and relative values count as none.
  package init(runtime: String? = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }) {
    if let runtime, runtime.hasPrefix("/") {
      path = runtime + "/prosper"
    } else {
      path = "/tmp/prosper-\(getuid())"
    }
  }

  /// Makes the folder where there is none, and checks that it is ours alone.
  package func prepare() throws(ControlError) {
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      throw .unsafeFolder(path: path, cause: String(cString: strerror(errno)))
    }
    try check()
  }

  private func check() throws(ControlError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      throw .unsafeFolder(path: path, cause: String(cString: strerror(errno)))
    }
    if status.st_mode & S_IFMT != S_IFDIR { throw .unsafeFolder(path: path, cause: "it is no folder") }
    if status.st_uid != getuid() { throw .unsafeFolder(path: path, cause: "it belongs to another user") }
    if status.st_mode & 0o077 != 0, chmod(path, 0o700) != 0 {
      throw .unsafeFolder(path: path, cause: "others can look into it")
    }
  }

  /// Which folder it is, however its path is written; nil where there is none.
  var identity: [UInt64]? {
    var status = stat()
    return stat(path, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : nil
  }

  /// Names of the players that answer, sockets of those that have ended removed.
  package func players() -> [String] {
    guard (try? check()) != nil, let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let file = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if file.hasSuffix(".sock"), isAlive(path + "/" + file) { names.append(String(file.dropLast(5))) }
    }
    return names.sorted { ($0.count, $0) < ($1.count, $1) }
  }

  /// Whether anybody listens there; a socket that nobody listens at is removed.
  func isAlive(_ path: String) -> Bool {
    switch Result(catching: { () throws(ControlError) in try LocalSocket.connected(to: path) }) {
    case .success(let descriptor):
      close(descriptor)
      return true
    case .failure:
      // Anything but a refusal may be a player that is busy.
      if errno == ECONNREFUSED { unlink(path) }
      return errno != ECONNREFUSED && errno != ENOENT
    }
  }

  /// Where a player of that name listens.
  package func socket(of player: String) -> String { "\(path)/\(player).sock" }
}

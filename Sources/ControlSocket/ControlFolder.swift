import Files
import Glibc

/// A folder for the control sockets of one user's players: `$XDG_RUNTIME_DIR/prosper`, or a folder in `/tmp` that no
/// other user can read.
///
/// Programs of one user can have different environments: cron, ssh and system services set another `XDG_RUNTIME_DIR`
/// than the desktop, or none. A player listens in the folder of its own environment; a client searches all of them.
package struct ControlFolder: Sendable, Hashable {
  package let path: String

  /// The folders in which a player of this user can be: the one of this program's environment first, then those of
  /// other environments.
  package static var all: [ControlFolder] {
    [ControlFolder(), ControlFolder(login: "/run/user"), ControlFolder(runtime: nil)]
  }

  /// - Parameter login: the folder in which systemd creates a runtime folder for each user who is logged in.
  init(login: String) { path = "\(login)/\(getuid())/prosper" }

  /// - Parameter runtime: the value of `XDG_RUNTIME_DIR`; an empty or relative one is ignored.
  package init(runtime: String? = ProcessInput.variable("XDG_RUNTIME_DIR")) {
    if let runtime, runtime.hasPrefix("/") {
      path = runtime + "/prosper"
    } else {
      path = "/tmp/prosper-\(getuid())"
    }
  }

  /// Creates the folder if it does not exist.
  ///
  /// - Throws: if it can't be created, is not a folder, or belongs to another user, who could have created it in `/tmp`.
  package func prepare() throws(ControlError) {
    if mkdir(path.forSystem, 0o700) != 0, errno != EEXIST {
      throw .cannotCreateFolder(path: path, cause: String(cString: strerror(errno)))
    }
    try check()
  }

  /// Checks that the folder belongs to this user, and removes the permissions of others.
  private func check() throws(ControlError) {
    var status = stat()
    guard lstat(path.forSystem, &status) == 0 else {
      throw .unsafeFolder(path: path, cause: String(cString: strerror(errno)))
    }
    if status.st_mode & S_IFMT != S_IFDIR { throw .unsafeFolder(path: path, cause: "it is not a folder") }
    if status.st_uid != getuid() { throw .unsafeFolder(path: path, cause: "it belongs to another user") }
    if status.st_mode & 0o077 != 0, chmod(path.forSystem, 0o700) != 0 {
      throw .unsafeFolder(path: path, cause: "others can look into it")
    }
  }

  /// Device and inode, which are the same for all paths of the folder; nil if there is no folder.
  var identity: [UInt64]? {
    var status = stat()
    return stat(path.forSystem, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : nil
  }

  /// The names of the players that accept connections. Removes the sockets of players that have ended.
  package func players() -> [String] {
    guard (try? check()) != nil else { return [] }
    let sockets = FilePath.names(in: path).filter { $0.hasSuffix(".sock") && isAlive(path + "/" + $0) }
    return sockets.map { String($0.dropLast(5)) }.sorted { ($0.count, $0) < ($1.count, $1) }
  }

  /// Whether a player listens on a socket. Removes the socket if no process does.
  func isAlive(_ path: String) -> Bool {
    switch Result(catching: { () throws(ControlError) in try LocalSocket.connected(to: path) }) {
    case .success(let descriptor):
      close(descriptor)
      return true
    // No player can have this path, and no system call has set `errno`.
    case .failure(.pathTooLong): return false
    case .failure:
      // Any other error can be that of a busy player.
      if errno == ECONNREFUSED { unlink(path.forSystem) }
      return errno != ECONNREFUSED && errno != ENOENT
    }
  }

  /// The path of the socket of a player with that name.
  package func socket(of player: String) -> String { "\(path)/\(player).sock" }
}

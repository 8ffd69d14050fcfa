import Files
import Glibc

/// System calls for Unix domain sockets, used by client and server.
package enum LocalSocket {
  /// Opens a listening socket that only this user can connect to.
  ///
  /// It is created with a temporary name, and receives its own name when it accepts connections. Before that, a client
  /// would consider it the socket of a player that has ended, and remove it.
  ///
  /// - Parameter isTaken: called if the name exists. Returns false if the name has been removed, so that a second
  ///   attempt can succeed.
  /// - Returns: the descriptor; nil if another player has the name.
  static func listening(at path: String, isTaken: () -> Bool) throws(ControlError) -> Int32? {
    let unnamed = "\(path).\(UInt32.random(in: 0...UInt32.max))"
    _ = try withAddress(of: unnamed) { _, _ in 0 }
    let descriptor = make()
    guard 0 <= descriptor else { throw failure(closing: descriptor, path) }
    // Linux gives the file the permissions of the socket.
    fchmod(descriptor, 0o600)
    defer { unlink(unnamed.forSystem) }
    guard try withAddress(of: unnamed, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 16) == 0 else {
      throw failure(closing: descriptor, path)
    }
    for _ in 0..<2 {
      if link(unnamed.forSystem, path.forSystem) == 0 { return descriptor }
      guard errno == EEXIST else { throw failure(closing: descriptor, path) }
      if isTaken() { break }
    }
    close(descriptor)
    return nil
  }

  private static func failure(closing descriptor: Int32, _ path: String) -> ControlError {
    let cause = String(cString: strerror(errno))
    close(descriptor)
    return .cannotListen(path: path, cause: cause)
  }

  /// Connects to a socket without blocking. After an error, `errno` contains the reason.
  package static func connected(to path: String) throws(ControlError) -> Int32 {
    // Checked first, so that there is no socket to close.
    _ = try withAddress(of: path) { _, _ in 0 }
    let descriptor = make()
    guard 0 <= descriptor else { throw .disconnected(cause: String(cString: strerror(errno))) }
    // A player that is stopped accepts nothing. Once its queue is full, a blocking call would wait until it continues.
    setNonBlocking(descriptor)
    if try withAddress(of: path, { connect(descriptor, $0, $1) }) == 0 {
      setBlocking(descriptor)
      return descriptor
    }
    let code = errno
    close(descriptor)
    errno = code
    throw .disconnected(
      cause: code == EAGAIN ? "it accepts no connections; it may be stopped" : String(cString: strerror(code)))
  }

  /// A new socket; -1 after an error, with the reason in `errno`.
  private static func make() -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    if 0 <= descriptor { setCloseOnExec(descriptor) }
    return descriptor
  }

  package static func setCloseOnExec(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

  package static func setNonBlocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  private static func setBlocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
  }

  /// Calls `body` with the address of a path; throws if the path is too long for one (107 bytes).
  private static func withAddress(
    of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(ControlError) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = path.systemBytes
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { target in
      guard bytes.count < target.count else { return false }
      target.copyBytes(from: bytes)
      return true
    }
    guard fits else { throw .pathTooLong(path: path) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  /// The user ID of the process at the other end; nil if the system does not know it.
  static func peer(of descriptor: Int32) -> uid_t? {
    // Linux's `ucred`: pid, uid, gid.
    var credentials: [UInt32] = [0, 0, 0]
    var length = socklen_t(12)
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0, length == 12 else { return nil }
    return credentials[1]
  }
}

/// Splits a stream of bytes into lines.
struct LineSplitter {
  /// Maximum length of a command in bytes.
  static let commandLimit = 65_536
  /// Maximum length of a reply or an event in bytes. A reply may contain all names of a session.
  static let replyLimit = 16 << 20

  private let limit: Int
  private var rest: [UInt8] = []

  /// - Parameter limit: the maximum length of a line in bytes.
  init(limit: Int = LineSplitter.commandLimit) { self.limit = limit }

  /// The lines that end within these bytes, without line feeds and empty lines; nil if a line is too long.
  mutating func take(_ bytes: some Collection<UInt8>) -> [String]? {
    var lines: [String] = []
    for byte in bytes {
      if byte != UInt8(ascii: "\n") {
        rest.append(byte)
        if limit < rest.count { return nil }
      } else if !rest.isEmpty {
        lines.append(String(decoding: rest, as: UTF8.self))
        rest.removeAll(keepingCapacity: true)
      }
    }
    return lines
  }
}

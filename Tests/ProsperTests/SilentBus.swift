import Glibc
import TestSupport

/// A socket in place of a bus: it accepts connections and never answers.
final class SilentBus: Sendable {
  let address: String
  private let listener: Int32

  init(in scratch: Scratch) throws {
    let path = scratch.path("bus")
    address = "unix:path=\(path)"
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var target = sockaddr_un()
    target.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isBound = withUnsafePointer(to: &target) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) == 0 }
    }
    guard isBound, listen(listener, 16) == 0 else { throw ChildFailure(program: path, code: errno) }
  }

  deinit { close(listener) }

  /// The number of new connections since the last call. The kernel has accepted them already.
  var connections: Int {
    var count = 0
    var ask = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    while 0 < poll(&ask, 1, 0) {
      close(accept(listener, nil, nil))
      count += 1
    }
    return count
  }
}

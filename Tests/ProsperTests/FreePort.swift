import Glibc

/// Ports of 127.0.0.1 on which nothing listens.
enum FreePort {
  /// Asks the system for ports that are free now, all different.
  static func some(_ count: Int) -> [UInt16] {
    let sockets = (0..<count).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
    defer { for socket in sockets { close(socket) } }
    return sockets.map { socket in
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      withUnsafeMutableBytes(of: &address) { bytes in
        guard let base = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return }
        _ = bind(socket, base, size)
        _ = getsockname(socket, base, &size)
      }
      return UInt16(bigEndian: address.sin_port)
    }
  }

  /// Whether something listens on a port.
  static func answers(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafeBytes(of: &address) { bytes in
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return connect(descriptor, base, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}

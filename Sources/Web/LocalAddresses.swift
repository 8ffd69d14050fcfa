import Glibc

/// The addresses under which other devices of the house reach this machine.
package enum LocalAddresses {
  /// IPv4 addresses of the interfaces that are up, without the loopback one; that one if there is no other.
  package static var all: [String] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return ["127.0.0.1"] }
    defer { freeifaddrs(first) }
    let entries = sequence(first: first) { $0?.pointee.ifa_next }.prefix { $0 != nil }.compactMap(\.self)
    let found = entries.compactMap { entry -> String? in
      let flags = Int32(bitPattern: entry.pointee.ifa_flags)
      guard flags & Int32(IFF_UP) != 0, flags & Int32(IFF_LOOPBACK) == 0 else { return nil }
      return entry.pointee.ifa_addr.flatMap(text)
    }
    return found.isEmpty ? ["127.0.0.1"] : found
  }

  private static func text(_ address: UnsafeMutablePointer<sockaddr>) -> String? {
    guard address.pointee.sa_family == sa_family_t(AF_INET) else { return nil }
    var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    guard getnameinfo(address, length, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0 else { return nil }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

import Glibc

/// A numeric address and a port on which the page is served.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
  /// An IPv4 or IPv6 address; `0.0.0.0` and `::` are all addresses of the machine.
  package var host: String
  /// 0 for one that is free.
  package var port: UInt16

  /// The port without another one.
  package static let standardPort: UInt16 = 7_007
  /// All addresses of the machine, so that a phone reaches it.
  package static let standard = ListenAddress(host: "0.0.0.0", port: standardPort)

  package init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

  /// Reads `ADDRESS:PORT`, `ADDRESS`, `:PORT` or `PORT`; an IPv6 address with a port is in brackets.
  package init?(_ text: String) {
    self = .standard
    if let number = UInt16(text) {
      port = number
      return
    }
    var address = Substring(text)
    if text.count(where: { $0 == ":" }) == 1 || text.hasPrefix("["), let colon = text.lastIndex(of: ":"),
      text.hasPrefix("[") == text[..<colon].hasSuffix("]")
    {
      guard let number = UInt16(text[text.index(after: colon)...]) else { return nil }
      (port, address) = (number, text[..<colon])
    }
    if address.hasPrefix("["), address.hasSuffix("]") { address = address.dropFirst().dropLast() }
    if !address.isEmpty { host = String(address) }
    if host == "localhost" { host = "127.0.0.1" }
    if !Self.isNumeric(host) { return nil }
  }

  /// Whether it is every address of the machine.
  package var isEvery: Bool { host == "0.0.0.0" || host == "::" }

  package var description: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

  /// Whether a text is an IPv4 or IPv6 address.
  static func isNumeric(_ host: String) -> Bool {
    var address = in6_addr()
    return [AF_INET, AF_INET6].contains { inet_pton($0, host, &address) == 1 }
  }

  /// A listening socket, without blocking; -1 after an error, with the reason in `errno`.
  func listening() -> Int32 {
    let family = host.contains(":") ? AF_INET6 : AF_INET
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard 0 <= descriptor else { return -1 }
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    if bind(descriptor) == 0, listen(descriptor, 64) == 0 {
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
      return descriptor
    }
    let code = errno
    close(descriptor)
    errno = code
    return -1
  }

  private func bind(_ descriptor: Int32) -> Int32 {
    if host.contains(":") {
      var address = sockaddr_in6()
      (address.sin6_family, address.sin6_port) = (sa_family_t(AF_INET6), port.bigEndian)
      inet_pton(AF_INET6, host, &address.sin6_addr)
      return withUnsafeBytes(of: &address) { Self.bind(descriptor, $0) }
    }
    var address = sockaddr_in()
    (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
    inet_pton(AF_INET, host, &address.sin_addr)
    return withUnsafeBytes(of: &address) { Self.bind(descriptor, $0) }
  }

  private static func bind(_ descriptor: Int32, _ address: UnsafeRawBufferPointer) -> Int32 {
    guard let base = address.baseAddress else { return -1 }
    return Glibc.bind(descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(address.count))
  }

  /// The port of a listening socket, which the system may have chosen.
  static func port(of descriptor: Int32) -> UInt16 {
    // Both kinds of address have their port at the same place.
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    } == 0 ? UInt16(bigEndian: address.sin6_port) : 0
  }
}

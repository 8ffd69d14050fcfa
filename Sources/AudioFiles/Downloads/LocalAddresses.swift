import Glibc

/// Whether an IP address such as `192.168.0.1` or `fe80::1` belongs to this computer or its local network; nil if the
/// text is not an IP address.
func isLocal(ipAddress text: String) -> Bool? {
  var four = in_addr()
  // Also in the forms that libcurl accepts: fewer than four numbers, octal and hexadecimal ones.
  if !text.contains(" "), inet_aton(text, &four) != 0 { return withUnsafeBytes(of: four) { isLocal(four: Array($0)) } }
  var six = in6_addr()
  let plain = String(text.prefix { $0 != "%" })
  if inet_pton(AF_INET6, plain, &six) == 1 { return withUnsafeBytes(of: six) { isLocal(six: Array($0)) } }
  return nil
}

/// Whether a socket address belongs to this computer or its local network. An address of another family than IP does.
func isLocal(_ address: UnsafePointer<sockaddr>) -> Bool {
  let bytes = UnsafeRawPointer(address)
  switch Int32(address.pointee.sa_family) {
  case AF_INET:
    return withUnsafeBytes(of: bytes.loadUnaligned(as: sockaddr_in.self).sin_addr) { isLocal(four: Array($0)) }
  case AF_INET6:
    return withUnsafeBytes(of: bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { isLocal(six: Array($0)) }
  default: return true
  }
}

private func isLocal(four bytes: [UInt8]) -> Bool {
  switch (bytes[0], bytes[1]) {
  case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127), (198, 18...19), (224..., _):
    true
  default: false
  }
}

/// An IPv6 address that contains an IPv4 address is local if the IPv4 address is.
private func isLocal(six bytes: [UInt8]) -> Bool {
  let isZero = { (range: Range<Int>) in bytes[range].allSatisfy { $0 == 0 } }
  if isZero(0..<10), bytes[10] == 0xFF, bytes[11] == 0xFF { return isLocal(four: Array(bytes[12...])) }
  // The NAT64 prefix, with which networks without IPv4 represent IPv4 addresses.
  if bytes[..<4].elementsEqual([0x00, 0x64, 0xFF, 0x9B]), isZero(4..<12) { return isLocal(four: Array(bytes[12...])) }
  // 6to4.
  if bytes[..<2].elementsEqual([0x20, 0x02]) { return isLocal(four: Array(bytes[2..<6])) }
  if isZero(0..<12) { return true }
  switch (bytes[0], bytes[1]) {
  case (0xFE, 0x80...0xFF), (0xFC...0xFD, _), (0xFF, _): return true
  default: return false
  }
}

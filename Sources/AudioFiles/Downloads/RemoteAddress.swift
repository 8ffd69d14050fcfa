import Foundation

/// An `http` or `https` address, with the parts that matter for downloads.
package struct RemoteAddress: Hashable, Sendable {
  /// The address with everything but ASCII percent-encoded.
  let text: String
  /// Whether it is an `https` address.
  let isSecure: Bool
  /// The host's name or IP address in lower case; IPv6 addresses without brackets.
  let host: String

  /// Returns nil if the text is not an `http` or `https` address.
  init?(_ text: String) {
    let scheme = text.prefix { $0 != ":" }.lowercased()
    guard ["http", "https"].contains(scheme), text.dropFirst(scheme.count).hasPrefix("://") else { return nil }
    let rest = text.dropFirst(scheme.count + 3)
    let authority = rest.prefix { !"/?#".contains($0) }
    let server = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
    let host = server.hasPrefix("[") ? server.dropFirst().prefix { $0 != "]" } : server.prefix { $0 != ":" }
    guard !host.isEmpty else { return nil }
    self.host = host.lowercased()
    isSecure = scheme == "https"
    self.text = "\(scheme)://\(authority)" + escaped(rest.dropFirst(authority.count))
  }

  /// Whether the host's name or IP address alone shows that the host is this computer or in its local network.
  var isPlainlyLocal: Bool {
    // As libcurl reads it: with percent-encoding and other forms of letters, digits and dots.
    var name = (host.removingPercentEncoding ?? host).precomposedStringWithCompatibilityMapping.lowercased()
    name = name.replacing("\u{3002}", with: ".")
    if name.hasSuffix(".") { name.removeLast() }
    if let isLocal = isLocal(ipAddress: name) { return isLocal }
    guard let dot = name.lastIndex(of: ".") else { return true }
    return Self.localDomains.contains(name[name.index(after: dot)...]) || name.hasSuffix(".home.arpa")
  }

  /// The last parts of names that no public server has.
  private static let localDomains: Set<Substring> = [
    "localhost", "local", "localdomain", "lan", "home", "internal", "intranet", "private", "corp",
  ]

  /// Whether an address obviously names this computer or its local network.
  package static func isPlainlyLocal(_ address: String) -> Bool { RemoteAddress(address)?.isPlainlyLocal ?? false }
}

/// Percent-encodes spaces, control characters and everything but ASCII, so that users can write a path as they read it.
private func escaped(_ path: Substring) -> String {
  var escaped = ""
  for byte in path.utf8 {
    if 0x21...0x7E ~= byte {
      escaped.unicodeScalars.append(Unicode.Scalar(byte))
    } else {
      escaped += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
  }
  return escaped
}

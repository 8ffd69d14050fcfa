/// An `http` or `https` address, in its parts as far as they matter here.
struct RemoteAddress: Hashable, Sendable {
  /// As it is asked for: everything but ASCII is escaped.
  let text: String
  let isSecure: Bool
  /// Name or number, in small letters; an IPv6 number without its brackets.
  let host: String

  /// Nil for what is no such address.
  init?(_ text: String) {
    let scheme = text.prefix { $0 != ":" }.lowercased()
    guard ["http", "https"].contains(scheme), text.dropFirst(scheme.count).hasPrefix("://") else { return nil }
    let rest = text.dropFirst(scheme.count + 3)
    let authority = rest.prefix { !"/?#".contains($0) }
    let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
    let host = place.hasPrefix("[") ? place.dropFirst().prefix { $0 != "]" } : place.prefix { $0 != ":" }
    guard !host.isEmpty else { return nil }
    self.host = host.lowercased()
    isSecure = scheme == "https"
    self.text = "\(scheme)://\(authority)" + escaped(rest.dropFirst(authority.count))
  }

  /// Whether the host is this computer or its neighbourhood by its very spelling.
  var isPlainlyLocal: Bool { host == "localhost" || host.hasSuffix(".localhost") || isLocal(number: host) == true }
}

/// A listener may write a path as it is read.
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

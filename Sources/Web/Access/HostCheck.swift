import Glibc

/// Under which names the player may be addressed, and from which pages.
///
/// Another web site could let its own name lead to the address of the player (DNS rebinding). Its page would then count
/// as the player's; but its requests have its name.
struct HostCheck: Sendable {
  private let names: Set<String>

  /// - Parameter name: the machine's name, with or without a domain.
  init(name: String = Self.machine) {
    let short = name.prefix { $0 != "." }
    names = Set(
      ["localhost", name, "\(short)", "\(short).local", "\(short).lan", "\(short).home.arpa", "\(short).fritz.box"]
        .map { $0.lowercased() })
  }

  /// Whether a request is for this machine: by a numeric address, which no other name has led to, or by its name.
  func accepts(host: String?) -> Bool {
    guard let host, let name = Self.name(of: host) else { return false }
    return ListenAddress.isNumeric(name) || names.contains(name.lowercased())
  }

  /// Whether a request comes from the player's own page, or from no page at all.
  func accepts(origin: String?, host: String?) -> Bool {
    guard let origin else { return true }
    return host.map { origin.lowercased() == "http://\($0.lowercased())" } ?? false
  }

  /// The name of a `Host` without the port; nil if it is malformed.
  private static func name(of host: String) -> String? {
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]") else { return nil }
      let port = host[host.index(after: end)...]
      guard port.isEmpty || port.first == ":" && UInt16(port.dropFirst()) != nil else { return nil }
      return String(host[host.index(after: host.startIndex)..<end])
    }
    let parts = host.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, !parts[0].isEmpty, parts.count == 1 || UInt16(parts[1]) != nil else { return nil }
    return String(parts[0])
  }

  private static var machine: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

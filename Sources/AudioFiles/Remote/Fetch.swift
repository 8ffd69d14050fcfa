import Engine
import Glibc

/// One question to a server, asked again wherever it sends one.
struct Fetch {
  let address: RemoteAddress
  let limits: FetchLimits
  /// Nanoseconds of the monotonic clock at which patience ends.
  let deadline: Int64

  /// - Returns: what the last server answered: 200, 206, 304 or 416; all others are thrown.
  func ask(_ fields: [String], to receiver: any BodyReceiver) throws(FetchFailure) -> ResponseHead {
    var place = address
    var mayBeLocal = true
    for _ in 0...limits.redirects {
      let seconds = Double(deadline - monotonicNanoseconds()) / 1e9
      guard 0 < seconds else { throw .tooSlow }
      let head = try Transfer(place, fields: fields, mayBeLocal: mayBeLocal, to: receiver)
        .perform(within: seconds, limits)
      guard head.isRedirection else { return try accepted(head) }
      // Whom a session sends to its own computer may be sent about there; nobody else has any business there.
      if place == address { mayBeLocal = head.peer.map { isLocal(number: $0) ?? true } ?? false }
      place = try next(head.location, behind: place, mayBeLocal)
    }
    throw .misled(how: "it is redirected more than \(limits.redirects) times; check the address")
  }

  private func accepted(_ head: ResponseHead) throws(FetchFailure) -> ResponseHead {
    guard [200, 206, 304, 416].contains(head.status) else { throw .refused(status: head.status) }
    return head
  }

  private func next(
    _ location: String?, behind place: RemoteAddress, _ mayBeLocal: Bool
  ) throws(FetchFailure) -> RemoteAddress {
    guard let location else { throw .misled(how: "it is redirected nowhere; check the address") }
    guard let next = RemoteAddress(location) else {
      let scheme = location.prefix { $0 != ":" }.prefix(16).lowercased()
      throw .misled(how: "it is redirected to a \(scheme) address, which is not followed")
    }
    if place.isSecure, !next.isSecure {
      throw .misled(how: "it is redirected from https to http, which is not followed")
    }
    // A proxy connects on behalf of this computer, and its own number tells nothing.
    if next.isPlainlyLocal, !mayBeLocal || !address.isPlainlyLocal && isProxied { throw .ledHome }
    return next
  }

  /// Whether the environment names a proxy.
  private var isProxied: Bool {
    let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    return names.contains { name in getenv(name) != nil }
  }
}

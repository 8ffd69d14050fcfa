import Engine
import Glibc

/// One request, repeated wherever the server redirects it.
struct Fetch {
  let address: RemoteAddress
  let limits: FetchLimits
  /// The time in nanoseconds of the monotonic clock after which the request fails as too slow.
  let deadline: Int64

  /// Sends the request and waits for the response.
  ///
  /// - Parameters:
  ///   - fields: additional header lines of the request.
  ///   - receiver: gets the body of a response with status 200 or 206.
  /// - Returns: the last server's response with status 200, 206, 304 or 416; all other statuses are thrown.
  func ask(_ fields: [String], to receiver: any BodyReceiver) throws(FetchFailure) -> ResponseHead {
    var current = address
    var mayBeLocal = true
    for _ in 0...limits.redirects {
      let seconds = Double(deadline - monotonicNanoseconds()) / 1e9
      guard 0 < seconds else { throw .tooSlow }
      let head = try Transfer(current, fields: fields, mayBeLocal: mayBeLocal, to: receiver)
        .perform(within: seconds, limits)
      guard head.isRedirection else { return try accepted(head) }
      // A session may name a server on this computer, which may then redirect locally. A remote server may not redirect
      // to this computer or its network, where it has no access itself.
      if current == address { mayBeLocal = head.peer.map { isLocal(number: $0) ?? true } ?? false }
      current = try next(head.location, after: current, mayBeLocal)
    }
    throw .misled(how: "it redirects more than \(limits.redirects) times; check the address")
  }

  private func accepted(_ head: ResponseHead) throws(FetchFailure) -> ResponseHead {
    guard [200, 206, 304, 416].contains(head.status) else { throw .refused(status: head.status) }
    return head
  }

  /// The target of a redirection, if it may be followed.
  private func next(
    _ location: String?, after current: RemoteAddress, _ mayBeLocal: Bool
  ) throws(FetchFailure) -> RemoteAddress {
    guard let location else { throw .misled(how: "its redirection has no target; check the address") }
    guard let next = RemoteAddress(location) else {
      let scheme = location.prefix { $0 != ":" }.prefix(16).lowercased()
      throw .misled(how: "it redirects to a \(scheme) address, which prosper does not follow")
    }
    if current.isSecure, !next.isSecure {
      throw .misled(how: "it redirects from https to http, which prosper does not follow")
    }
    // A proxy connects on behalf of this computer, so the address of the proxy says nothing about the target.
    if next.isPlainlyLocal, !mayBeLocal || !address.isPlainlyLocal && isProxied { throw .ledHome }
    return next
  }

  /// Whether the environment specifies a proxy.
  private var isProxied: Bool {
    let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    return names.contains { name in getenv(name) != nil }
  }
}

import Engine
import Glibc
import Sounds

/// One request to a server. Redirections are followed.
struct Fetch {
  let address: RemoteAddress
  let limits: FetchLimits
  /// The time at which the request fails with `tooSlow`, in nanoseconds of the monotonic clock.
  let deadline: Int64

  /// Sends the request and waits for the whole response.
  ///
  /// - Parameters:
  ///   - fields: additional header lines of the request.
  ///   - receiver: receives the body of a response with status 200 or 206.
  /// - Returns: the final response, with status 200, 206, 304 or 416. Other statuses are thrown as `refused`.
  func ask(_ fields: [String], to receiver: any BodyReceiver) throws(FetchFailure) -> ResponseHead {
    var current = address
    var mayBeLocal = true
    for _ in 0...limits.redirects {
      let seconds = Double(deadline - monotonicNanoseconds()) / 1e9
      guard 0 < seconds else { throw .tooSlow }
      let head = try Transfer(current, fields: fields, mayBeLocal: mayBeLocal, to: receiver)
        .perform(within: seconds, limits)
      guard head.isRedirection else { return try accepted(head) }
      // A session may name a server on this computer, and that server may redirect to local addresses. A remote server
      // may not redirect to this computer or its network, which it can't access itself.
      if current == address { mayBeLocal = head.peer.map { isLocal(ipAddress: $0) ?? true } ?? false }
      current = try next(head.location, after: current, mayBeLocal)
    }
    throw .invalidResponse(reason: "it redirects more than \(limits.redirects) times; check the address")
  }

  private func accepted(_ head: ResponseHead) throws(FetchFailure) -> ResponseHead {
    guard [200, 206, 304, 416].contains(head.status) else { throw .refused(status: head.status) }
    return head
  }

  /// The target of a redirection, if it may be followed.
  private func next(
    _ location: String?, after current: RemoteAddress, _ mayBeLocal: Bool
  ) throws(FetchFailure) -> RemoteAddress {
    guard let location else { throw .invalidResponse(reason: "its redirection has no target; check the address") }
    guard let next = RemoteAddress(location) else {
      let scheme = location.prefix { $0 != ":" }.prefix(16).lowercased()
      throw .invalidResponse(reason: "it redirects to a \(scheme) address, which prosper does not follow")
    }
    if current.isSecure, !next.isSecure {
      throw .invalidResponse(reason: "it redirects from https to http, which prosper does not follow")
    }
    // With a proxy, `mayBeLocal` describes the proxy and not the server. Then the session's own address decides.
    if next.isPlainlyLocal, !mayBeLocal || !address.isPlainlyLocal && isProxied { throw .localRedirect }
    return next
  }

  /// Whether the environment specifies a proxy.
  private var isProxied: Bool {
    let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    return names.contains { name in getenv(name) != nil }
  }
}

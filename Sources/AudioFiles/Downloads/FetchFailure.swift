import CCurl
import Sounds

/// Why a download failed.
enum FetchFailure: Error, Hashable {
  /// The host's name can't be resolved.
  case unresolvedHost(host: String)
  /// The host can't be connected to.
  case noResponse(host: String)
  /// The time limit has passed, or the download stalls.
  case tooSlow
  /// The connection was closed before the end of the response.
  case connectionLost
  /// The certificate is not trusted, or there is no secure connection.
  case insecure(cause: String)
  /// The server responds with an error status.
  case refused(status: Int)
  /// The sound is larger than the limit, in bytes.
  case tooLarge(limit: Int64)
  /// The response can't be used: the server redirects to an address that prosper doesn't follow, or its content has
  /// changed. `reason` is a sentence.
  case invalidResponse(reason: String)
  /// The sound can't be stored in the cache.
  case notStored(cause: String)
  case other(cause: String)

  static let localRedirect = FetchFailure.invalidResponse(
    reason: "it redirects to this computer or its network, which prosper does not follow")

  static let changed = FetchFailure.invalidResponse(
    reason: "it has changed on its server; play the session again")

  /// The failure as the end of a sentence, with a remedy after a semicolon if one is known.
  var cause: String {
    switch self {
    case .unresolvedHost(let host):
      "the host name \(host) can't be resolved; connect to the network, or check the address"
    case .noResponse(let host): "\(host) does not answer; connect to the network, or try again later"
    case .tooSlow: "the download is too slow; try again later"
    case .connectionLost: "the connection was lost; try again to continue the download"
    case .insecure(let cause): cause
    case .refused(let status) where [404, 410].contains(status): "the server answers \(status); check the address"
    case .refused(let status): "the server answers \(status)"
    case .tooLarge(let limit): "it is larger than \(sizeText(limit)); use a shorter file or a lower bit rate"
    case .invalidResponse(let reason): reason
    case .notStored(let cause): "it can't be stored: \(cause)"
    case .other(let cause): cause
    }
  }

  /// Whether a later request could succeed and continue the download, so that the bytes that have arrived are kept.
  var isResumable: Bool {
    switch self {
    case .unresolvedHost, .noResponse, .tooSlow, .connectionLost: true
    case .refused(let status): 500 <= status
    default: false
    }
  }

  /// Whether the server did not answer in time.
  var isTimeout: Bool {
    switch self {
    case .noResponse, .tooSlow: true
    case .unresolvedHost, .connectionLost, .insecure, .refused, .tooLarge, .invalidResponse, .notStored, .other: false
    }
  }

  /// The failure of a sound from that address.
  func sourceError(of address: String) -> SourceError {
    .remote(address: address, cause: cause, isTransient: isResumable, isTimeout: isTimeout)
  }

  /// Whether requests for other sounds of the same host would fail for the same reason.
  var isHostUnreachable: Bool {
    switch self {
    case .unresolvedHost, .noResponse, .tooSlow: true
    default: false
    }
  }

  /// The failure for an error of libcurl.
  ///
  /// - Parameters:
  ///   - isConnected: whether there was a connection to the host.
  ///   - detail: libcurl's message.
  init(_ code: CURLcode, host: String, isConnected: Bool, detail: String) {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: self = .unresolvedHost(host: host)
    case CURLE_COULDNT_RESOLVE_PROXY: self = .unresolvedHost(host: "of the proxy")
    case CURLE_COULDNT_CONNECT: self = .noResponse(host: host)
    case CURLE_OPERATION_TIMEDOUT: self = isConnected ? .tooSlow : .noResponse(host: host)
    case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      self = .connectionLost
    case CURLE_PEER_FAILED_VERIFICATION: self = .insecure(cause: "its certificate isn't trusted: \(detail)")
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE: self = .insecure(cause: "no secure connection: \(detail)")
    default: self = .other(cause: detail)
    }
  }
}

private func sizeText(_ bytes: Int64) -> String {
  if bytes >= 1 << 30 { return "\(bytes >> 30) GB" }
  return bytes >= 1 << 20 ? "\(bytes >> 20) MB" : "\(bytes) bytes"
}

import CCurl

/// Why a download failed.
enum FetchFailure: Error, Hashable {
  /// The host's name can't be resolved.
  case noName(host: String)
  /// The host can't be connected to.
  case noAnswer(host: String)
  /// The time limit is over, or the download stalls.
  case tooSlow
  /// The connection was closed before the end of the response.
  case brokenOff
  /// The certificate is not trusted, or there is no secure connection.
  case insecure(cause: String)
  /// The server responds with a status of failure.
  case refused(status: Int)
  /// The sound is larger than the limit, in bytes.
  case tooLarge(limit: Int64)
  /// The server redirects to an address that prosper doesn't follow, or its content has changed. `how` is a whole
  /// sentence.
  case misled(how: String)
  /// The cache can't store it.
  case notKept(cause: String)
  case other(cause: String)

  static let ledHome = FetchFailure.misled(
    how: "it redirects to this computer or its network, which prosper does not follow")

  static let changed = FetchFailure.misled(
    how: "it has changed on its server; play the session again")

  /// The failure as the middle of a sentence; after a semicolon, what to do about it.
  var cause: String {
    switch self {
    case .noName(let host): "the host name \(host) can't be resolved; connect to the network, or check the address"
    case .noAnswer(let host): "\(host) does not answer; connect to the network, or try again later"
    case .tooSlow: "the download is too slow; try again later"
    case .brokenOff: "the connection was lost; try again to continue the download"
    case .insecure(let cause): cause
    case .refused(let status) where [404, 410].contains(status): "the server answers \(status); check the address"
    case .refused(let status): "the server answers \(status)"
    case .tooLarge(let limit): "it is larger than \(sizeText(limit)); use a shorter file or a lower bit rate"
    case .misled(let how): how
    case .notKept(let cause): "it can't be stored: \(cause)"
    case .other(let cause): cause
    }
  }

  /// Whether the bytes that have arrived are worth keeping for a retry.
  var mayGoOn: Bool {
    switch self {
    case .noName, .noAnswer, .tooSlow, .brokenOff: true
    case .refused(let status): 500 <= status
    default: false
    }
  }

  /// Whether other sounds of the same host would fail for the same reason.
  var isHostGone: Bool {
    switch self {
    case .noName, .noAnswer, .tooSlow: true
    default: false
    }
  }

  /// - Parameter detail: libcurl's message.
  init(_ code: CURLcode, host: String, isConnected: Bool, detail: String) {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: self = .noName(host: host)
    case CURLE_COULDNT_RESOLVE_PROXY: self = .noName(host: "of the proxy")
    case CURLE_COULDNT_CONNECT: self = .noAnswer(host: host)
    case CURLE_OPERATION_TIMEDOUT: self = isConnected ? .tooSlow : .noAnswer(host: host)
    case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      self = .brokenOff
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

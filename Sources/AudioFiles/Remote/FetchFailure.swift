import CCurl

/// Why a server gave nothing that can be played.
enum FetchFailure: Error, Hashable {
  case noName(host: String)
  case noAnswer(host: String)
  case tooSlow
  case brokenOff
  /// It goes without a trusted certificate, or without a secure connection at all.
  case insecure(cause: String)
  case refused(status: Int)
  case tooLarge(limit: Int64)
  /// It sends one elsewhere, where prosper doesn't follow.
  case misled(how: String)
  /// The cache can't take it.
  case notKept(cause: String)
  case other(cause: String)

  static let ledHome = FetchFailure.misled(
    how: "it is redirected to this computer or its own network, which is not followed")

  static let changed = FetchFailure.misled(
    how: "it has changed on its server meanwhile; play the session once more")

  /// The middle of a sentence.
  var cause: String {
    switch self {
    case .noName(let host): "the name \(host) can't be found; connect to the network, or check the address"
    case .noAnswer(let host): "nobody answers at \(host); connect to the network, or try again later"
    case .tooSlow: "it comes too slowly; try again later"
    case .brokenOff: "the connection broke off; try again, and it goes on from there"
    case .insecure(let cause): cause
    case .refused(let status) where [404, 410].contains(status): "the server answers \(status); check the address"
    case .refused(let status): "the server answers \(status)"
    case .tooLarge(let limit): "it is larger than \(sizeText(limit)); play a shorter file, or one of fewer bits"
    case .misled(let how): how
    case .notKept(let cause): "it can't be kept: \(cause)"
    case .other(let cause): cause
    }
  }

  /// Whether what has come so far is worth keeping.
  var mayGoOn: Bool {
    switch self {
    case .noName, .noAnswer, .tooSlow, .brokenOff: true
    case .refused(let status): 500 <= status
    default: false
    }
  }

  /// Whether other sounds of the host would only be waited for, too.
  var isHostGone: Bool {
    switch self {
    case .noName, .noAnswer, .tooSlow: true
    default: false
    }
  }

  /// - Parameter detail: libcurl's own words.
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

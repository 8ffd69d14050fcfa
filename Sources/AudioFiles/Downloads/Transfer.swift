import CCurl
import Engine
import Glibc

/// Receives the body of a response.
protocol BodyReceiver: AnyObject {
  /// Called once before the body of a response with status 200 or 206, even an empty one.
  func begin(_ head: ResponseHead) throws(FetchFailure)
  /// Receives the next bytes of the body. An error ends the transfer.
  func receive(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure)
}

/// One request and its response, without redirections. One thread uses it; libcurl calls back on that thread.
final class Transfer {
  /// The maximum number of body bytes that are skipped for other responses. After that, the connection is closed.
  private static let skipLimit = 65_536
  /// Whether libcurl is initialised, once before any thread uses it. It must have been loaded.
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

  private let address: RemoteAddress
  private let receiver: any BodyReceiver
  /// Whether the server may be this computer or in its network.
  private let mayBeLocal: Bool
  /// libcurl's handle.
  private let handle: UnsafeMutableRawPointer
  /// The additional header lines; libcurl doesn't copy them.
  private var lines: UnsafeMutablePointer<curl_slist>?
  /// libcurl's message about a failure.
  private var errorText = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))

  /// The header of the response, as far as it has arrived.
  private var head = ResponseHead()
  /// Whether `begin` of the receiver has been called.
  private var hasBegun = false
  /// Bytes that were skipped.
  private var ignored = 0
  /// Why a callback has ended the transfer.
  private var failure: FetchFailure?

  /// - Parameter fields: additional header lines of the request.
  init(
    _ address: RemoteAddress, fields: [String], mayBeLocal: Bool, to receiver: any BodyReceiver
  ) throws(FetchFailure) {
    let failure = LibraryFailure(prosper_curl_failure(), of: "libcurl", in: "the package libcurl4")
    if let failure { throw .other(cause: failure.description) }
    guard Self.isReady, let handle = curl_easy_init() else { throw .other(cause: "there is no memory for it") }
    (self.address, self.receiver, self.mayBeLocal, self.handle) = (address, receiver, mayBeLocal, handle)
    for field in fields + ["Accept-Encoding: identity"] { lines = curl_slist_append(lines, field) }
  }

  deinit {
    curl_easy_cleanup(handle)
    curl_slist_free_all(lines)
  }

  /// Sends the request and waits for the whole response.
  ///
  /// - Parameter seconds: the time limit for all of it.
  func perform(within seconds: Double, _ limits: FetchLimits) throws(FetchFailure) -> ResponseHead {
    setOptions(limits, seconds)
    setCallbacks()
    let code = errorText.withUnsafeMutableBufferPointer { errorText in
      prosper_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText.baseAddress)
      defer { prosper_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, nil) }
      return curl_easy_perform(handle)
    }
    head.peer = text(CURLINFO_PRIMARY_IP)
    head.location = text(CURLINFO_REDIRECT_URL)
    if let failure { throw failure }
    guard code == CURLE_OK || Transfer.skipLimit < ignored else { throw reason(code) }
    if !hasBegun, isTaken { try receiver.begin(head) }
    return head
  }

  /// Sets the options of the request.
  private func setOptions(_ limits: FetchLimits, _ seconds: Double) {
    prosper_curl_set_text(handle, CURLOPT_URL, address.text)
    prosper_curl_set_text(handle, CURLOPT_USERAGENT, "prosper")
    prosper_curl_only_http(handle)
    prosper_curl_set_lines(handle, lines)
    // Sound hardly gets smaller, so no encoding is asked for, but one that a server uses all the same is decoded.
    prosper_curl_set_text(handle, CURLOPT_ACCEPT_ENCODING, "")
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
      (CURLOPT_CONNECTTIMEOUT_MS, Int(limits.connectTimeout * 1_000)),
      (CURLOPT_TIMEOUT_MS, max(1, Int(seconds * 1_000))),
      (CURLOPT_LOW_SPEED_TIME, limits.lowSpeedTime), (CURLOPT_LOW_SPEED_LIMIT, limits.lowSpeedLimit),
    ]
    for (option, number) in numbers { prosper_curl_set_number(handle, option, number) }
  }

  /// Sets the callbacks. They get an unretained pointer to this object: they run only during `perform`.
  private func setCallbacks() {
    let context = Unmanaged.passUnretained(self).toOpaque()
    prosper_curl_set_pointer(handle, CURLOPT_HEADERDATA, context)
    prosper_curl_set_receiver(handle, CURLOPT_HEADERFUNCTION) { bytes, _, count, context in
      guard let bytes, let context else { return 0 }
      let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
      transfer(context).head.take(line)
      return count
    }
    prosper_curl_set_pointer(handle, CURLOPT_WRITEDATA, context)
    prosper_curl_set_receiver(handle, CURLOPT_WRITEFUNCTION) { bytes, _, count, context in
      guard let bytes, let context else { return 0 }
      return transfer(context).take(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
    }
    prosper_curl_set_pointer(handle, CURLOPT_OPENSOCKETDATA, context)
    prosper_curl_set_opener(handle) { context, _, target in
      guard let context, let target, transfer(context).permits(target) else { return curl_socket_t(CURL_SOCKET_BAD) }
      return socket(
        target.pointee.family, target.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), target.pointee.protocol)
    }
  }

  /// Whether the receiver gets the body of the response.
  private var isTaken: Bool { head.status == 200 || head.status == 206 }

  /// Passes bytes of the body to the receiver, or skips them. Returns false to end the transfer.
  private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard isTaken else {
      ignored += bytes.count
      return ignored <= Self.skipLimit
    }
    do throws(FetchFailure) {
      if !hasBegun { try receiver.begin(head) }
      hasBegun = true
      try receiver.receive(bytes)
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// Whether a connection to an address is allowed. This is checked for each IP address, after the host's name was
  /// resolved.
  private func permits(_ target: UnsafeMutablePointer<curl_sockaddr>) -> Bool {
    // The address is the last field of the structure, and may be longer than the declared type of the field.
    let number = UnsafeRawPointer(target) + (MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0)
    if mayBeLocal || !isLocal(number.assumingMemoryBound(to: sockaddr.self)) { return true }
    failure = .localRedirect
    return false
  }

  /// A text that libcurl reports about the transfer; nil if it is empty.
  private func text(_ info: CURLINFO) -> String? {
    guard let text = prosper_curl_text(handle, info), text.pointee != 0 else { return nil }
    return String(cString: text)
  }

  /// The failure for libcurl's error code.
  private func reason(_ code: CURLcode) -> FetchFailure {
    let detail = errorText.withUnsafeBufferPointer { errorText in
      errorText.first == 0 ? nil : errorText.baseAddress.map { String(cString: $0) }
    }
    return FetchFailure(
      code, host: address.host, isConnected: head.peer != nil && 0 < prosper_curl_number(handle, CURLINFO_NUM_CONNECTS),
      detail: detail ?? String(cString: curl_easy_strerror(code)))
  }
}

private func transfer(_ context: UnsafeMutableRawPointer) -> Transfer {
  Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
}

import CCurl
import Glibc

/// Takes what a transfer brings.
protocol BodyReceiver: AnyObject {
  /// Called once before the body of a response that has one to take.
  func begin(_ head: ResponseHead) throws(FetchFailure)
  func receive(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure)
}

/// One request and its response, without following anywhere. One thread uses it; libcurl calls back on that thread.
final class Transfer {
  /// Bytes of a page of error that are listened to before one hangs up.
  private static let patience = 65_536
  /// libcurl must be set up once, before any other thread uses it.
  private static let isReady = prosper_curl_begin() != 0

  private let address: RemoteAddress
  private let receiver: any BodyReceiver
  private let mayBeLocal: Bool
  private let handle: UnsafeMutableRawPointer
  private var lines: UnsafeMutablePointer<curl_slist>?
  private var words = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))

  private var head = ResponseHead()
  private var hasBegun = false
  private var ignored = 0
  private var failure: FetchFailure?

  /// - Parameter fields: lines of the request beside the usual ones.
  init(
    _ address: RemoteAddress, fields: [String], mayBeLocal: Bool, to receiver: any BodyReceiver
  ) throws(FetchFailure) {
    guard Self.isReady else { throw .other(cause: "libcurl can't be loaded; install the package libcurl4") }
    guard let handle = prosper_curl_open() else { throw .other(cause: "there is no memory for it") }
    (self.address, self.receiver, self.mayBeLocal, self.handle) = (address, receiver, mayBeLocal, handle)
    for field in fields { lines = prosper_curl_append(lines, field) }
  }

  deinit {
    prosper_curl_close(handle, lines)
  }

  /// - Parameter seconds: at most for all of it.
  func perform(within seconds: Double, _ limits: FetchLimits) throws(FetchFailure) -> ResponseHead {
    choose(limits, seconds)
    hear()
    let code = words.withUnsafeMutableBufferPointer { words in
      prosper_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, words.baseAddress)
      defer { prosper_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, nil) }
      return prosper_curl_perform(handle)
    }
    head.peer = text(CURLINFO_PRIMARY_IP)
    head.location = text(CURLINFO_REDIRECT_URL)
    if let failure { throw failure }
    guard code == CURLE_OK || Transfer.patience < ignored else { throw reason(code) }
    if !hasBegun, isTaken { try receiver.begin(head) }
    return head
  }

  private func choose(_ limits: FetchLimits, _ seconds: Double) {
    prosper_curl_set_text(handle, CURLOPT_URL, address.text)
    prosper_curl_set_text(handle, CURLOPT_USERAGENT, "prosper")
    prosper_curl_only_http(handle)
    prosper_curl_set_lines(handle, lines)
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
      (CURLOPT_CONNECTTIMEOUT_MS, Int(limits.connecting * 1_000)), (CURLOPT_TIMEOUT_MS, max(1, Int(seconds * 1_000))),
      (CURLOPT_LOW_SPEED_TIME, limits.stalling), (CURLOPT_LOW_SPEED_LIMIT, limits.slowest),
    ]
    for (option, number) in numbers { prosper_curl_set_number(handle, option, number) }
  }

  /// The transfer outlives each call, for they come while `perform` runs.
  private func hear() {
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
    prosper_curl_set_opener(handle) { context, _, place in
      guard let context, let place, transfer(context).permits(place) else { return curl_socket_t(CURL_SOCKET_BAD) }
      return socket(place.pointee.family, place.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), place.pointee.protocol)
    }
  }

  private var isTaken: Bool { head.status == 200 || head.status == 206 }

  private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard isTaken else {
      ignored += bytes.count
      return ignored <= Self.patience
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

  private func permits(_ place: UnsafeMutablePointer<curl_sockaddr>) -> Bool {
    // The number is longer than the field that it begins in.
    let number = UnsafeRawPointer(place) + (MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0)
    if mayBeLocal || !isLocal(number.assumingMemoryBound(to: sockaddr.self)) { return true }
    failure = .ledHome
    return false
  }

  private func text(_ info: CURLINFO) -> String? {
    guard let text = prosper_curl_text(handle, info), text.pointee != 0 else { return nil }
    return String(cString: text)
  }

  private func reason(_ code: CURLcode) -> FetchFailure {
    let detail = words.withUnsafeBufferPointer { words in
      words.first == 0 ? nil : words.baseAddress.map { String(cString: $0) }
    }
    return FetchFailure(
      code, host: address.host, isConnected: head.peer != nil && 0 < prosper_curl_number(handle, CURLINFO_NUM_CONNECTS),
      detail: detail ?? String(cString: prosper_curl_words(code)))
  }
}

private func transfer(_ context: UnsafeMutableRawPointer) -> Transfer {
  Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
}

/// The status line and header fields of an HTTP response.
struct ResponseHead {
  /// The status code; 0 if the status line is invalid.
  var status = 0
  /// The header fields by lower-case name. Of repeated fields, the last one counts.
  private(set) var fields: [String: String] = [:]
  /// The target of a redirection as a complete address.
  var location: String?
  /// The IP address of the server, or of the proxy.
  var peer: String?

  /// Adds one header line. A status line resets everything, because informational responses may precede the final one.
  mutating func take(_ line: String) {
    if line.hasPrefix("HTTP/") {
      self = ResponseHead()
      status = line.split(separator: " ").dropFirst().first.flatMap { number($0.prefix(3)) }.map(Int.init) ?? 0
      return
    }
    guard let colon = line.firstIndex(of: ":") else { return }
    let value = line[line.index(after: colon)...].drop { $0.isWhitespace }
    let end = value.lastIndex { !$0.isWhitespace }.map(value.index(after:)) ?? value.startIndex
    fields[line[..<colon].lowercased()] = String(value[..<end])
  }

  var isRedirection: Bool { [301, 302, 303, 307, 308].contains(status) }

  /// What identifies the content.
  var validators: Validators { Validators(etag: fields["etag"], lastModified: fields["last-modified"]) }

  /// Whether the body is compressed on its way. Its decoded length is not stated then, and parts can't be requested.
  var isEncoded: Bool { !["", "identity"].contains(fields["content-encoding", default: ""].lowercased()) }

  /// The length of the body in bytes; nil if it is not stated. With a transfer encoding, a stated length has no meaning.
  var bodyLength: Int64? {
    isEncoded || fields["transfer-encoding"] != nil ? nil : fields["content-length"].flatMap { number($0) }
  }

  /// For a partial response: the offset of its first byte, and the length of the whole content if it is stated.
  var part: (start: Int64, whole: Int64?)? {
    guard status == 206, !isEncoded, let text = fields["content-range"], text.lowercased().hasPrefix("bytes ") else {
      return nil
    }
    let pieces = text.dropFirst(6).split(separator: "/")
    let bounds = pieces.first?.split(separator: "-", omittingEmptySubsequences: false).map(number) ?? []
    guard pieces.count == 2, bounds.count == 2, let first = bounds[0], let last = bounds[1], first <= last else {
      return nil
    }
    let whole = number(pieces[1])
    return last < whole ?? .max && (whole != nil || pieces[1] == "*") ? (first, whole) : nil
  }
}

/// A number as HTTP writes it, without a sign; nil for anything else.
private func number(_ text: some StringProtocol) -> Int64? {
  text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64(text) : nil
}

/// The validators by which a server identifies a version of its content.
struct Validators: Codable, Hashable, Sendable {
  /// An entity tag, with its quotes.
  var etag: String?
  /// An HTTP date.
  var lastModified: String?

  init(etag: String? = nil, lastModified: String? = nil) {
    self.etag = etag.flatMap(repeatable)
    self.lastModified = lastModified.flatMap(repeatable)
  }

  /// The header lines that request the content only if it has changed.
  var ifChanged: [String] {
    if let etag { return ["If-None-Match: \(etag)"] }
    return lastModified.map { ["If-Modified-Since: \($0)"] } ?? []
  }

  /// The header line that makes a range request apply only to the same content. A weak tag can't be used: contents with
  /// the same weak tag may differ in some bytes.
  var ifSame: String? {
    if let etag, !etag.hasPrefix("W/") { return "If-Range: \(etag)" }
    return lastModified.map { "If-Range: \($0)" }
  }
}

/// The value if it can be sent back in a request: not empty, at most 512 bytes, and printable ASCII. Otherwise nil.
private func repeatable(_ value: String) -> String? {
  value.utf8.count <= 512 && !value.isEmpty && value.utf8.allSatisfy { 0x20...0x7E ~= $0 } ? value : nil
}

/// The status line and header fields of an HTTP response.
struct ResponseHead {
  /// The status code; 0 if the status line is invalid.
  var status = 0
  /// By lower-case name; of repeated fields, the last one.
  private(set) var fields: [String: String] = [:]
  /// The complete address of a redirection's target.
  var location: String?
  /// The IP address of the server, or of a proxy.
  var peer: String?

  /// Takes one header line. A status line starts over, because several responses may follow each other.
  mutating func take(_ line: String) {
    if line.hasPrefix("HTTP/") {
      self = ResponseHead()
      status = line.split(separator: " ").dropFirst().first.flatMap { Int($0.prefix(3)) } ?? 0
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

  /// Bytes of the body that follows; nil if they are not stated.
  var bodyLength: Int64? { fields["content-length"].flatMap { Int64($0) } }

  /// Of a partial response: the offset of its first byte, and the length of the whole content if it is stated.
  var part: (start: Int64, whole: Int64?)? {
    guard status == 206, let text = fields["content-range"], text.lowercased().hasPrefix("bytes ") else { return nil }
    let pieces = text.dropFirst(6).split(separator: "/")
    guard pieces.count == 2, let start = pieces[0].split(separator: "-").first.flatMap({ Int64($0) }) else {
      return nil
    }
    return (start, Int64(pieces[1]))
  }
}

/// What a server sends to identify a content, so that a later one can be distinguished from it.
struct Validators: Codable, Hashable, Sendable {
  /// An entity tag, with its quotes.
  var etag: String?
  /// An HTTP date.
  var lastModified: String?

  init(etag: String? = nil, lastModified: String? = nil) {
    self.etag = etag.flatMap(repeatable)
    self.lastModified = lastModified.flatMap(repeatable)
  }

  /// The header lines that request only a content that has changed.
  var ifChanged: [String] {
    if let etag { return ["If-None-Match: \(etag)"] }
    return lastModified.map { ["If-Modified-Since: \($0)"] } ?? []
  }

  /// The header line that requests the rest of the same content. A weak tag is not enough: two contents with the same
  /// one may differ in some bytes.
  var ifSame: String? {
    if let etag, !etag.hasPrefix("W/") { return "If-Range: \(etag)" }
    return lastModified.map { "If-Range: \($0)" }
  }
}

/// The value if it can be repeated in a request: not empty, at most 512 bytes, and printable ASCII.
private func repeatable(_ value: String) -> String? {
  value.utf8.count <= 512 && !value.isEmpty && value.utf8.allSatisfy { 0x20...0x7E ~= $0 } ? value : nil
}

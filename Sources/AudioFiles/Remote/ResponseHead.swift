/// What a server says before the sound itself.
struct ResponseHead {
  var status = 0
  /// By names in small letters; of those that come twice, the last.
  private(set) var fields: [String: String] = [:]
  /// Where a redirection leads, in full.
  var location: String?
  /// The number of whoever has answered.
  var peer: String?

  /// The lines that a response begins with come one by one; one response may come before another.
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

  var validators: Validators { Validators(etag: fields["etag"], lastModified: fields["last-modified"]) }

  /// Of the body that follows, in bytes; nil where nothing is said.
  var bodyLength: Int64? { fields["content-length"].flatMap { Int64($0) } }

  /// Of a part: its first byte, and the length of the whole where it is known.
  var part: (start: Int64, whole: Int64?)? {
    guard status == 206, let text = fields["content-range"], text.lowercased().hasPrefix("bytes ") else { return nil }
    let pieces = text.dropFirst(6).split(separator: "/")
    guard pieces.count == 2, let start = pieces[0].split(separator: "-").first.flatMap({ Int64($0) }) else {
      return nil
    }
    return (start, Int64(pieces[1]))
  }
}

/// By what a server tells one content from the next.
struct Validators: Codable, Hashable, Sendable {
  var etag: String?
  var lastModified: String?

  init(etag: String? = nil, lastModified: String? = nil) {
    self.etag = etag.flatMap(repeatable)
    self.lastModified = lastModified.flatMap(repeatable)
  }

  /// Asks for what is new only.
  var ifChanged: [String] {
    if let etag { return ["If-None-Match: \(etag)"] }
    return lastModified.map { ["If-Modified-Since: \($0)"] } ?? []
  }

  /// Asks for the rest of the same content. A weak tag can't tell whether two contents are the same byte for byte.
  var ifSame: String? {
    if let etag, !etag.hasPrefix("W/") { return "If-Range: \(etag)" }
    return lastModified.map { "If-Range: \($0)" }
  }
}

/// Only what can stand in a request as it is.
private func repeatable(_ value: String) -> String? {
  value.utf8.count <= 512 && !value.isEmpty && value.utf8.allSatisfy { 0x20...0x7E ~= $0 } ? value : nil
}

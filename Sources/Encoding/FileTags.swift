/// The tags of an output file. A tag that the format doesn't support is omitted: AIFF, for example, has no date.
package struct FileTags: Sendable, Hashable {
  package var title: String?
  package var description: String?
  /// A date as `2026`, `2026-03` or `2026-03-01`.
  package var date: String?

  package init(title: String? = nil, description: String? = nil, date: String? = nil) {
    (self.title, self.description, self.date) = (title, description, date)
  }

  /// The tags as the chunk of a WAV file that follows its samples; empty without tags.
  var waveChunk: [UInt8] {
    let entries = [("INAM", title), ("ICMT", description), ("ICRD", date)].flatMap { name, text in
      // The text ends with a zero byte, and each chunk has an even length.
      text.map { even(chunk(name, Array($0.utf8.filter { $0 != 0 }) + [0])) } ?? []
    }
    return entries.isEmpty ? [] : chunk("LIST", Array("INFO".utf8) + entries)
  }
}

/// What an encoder needs to know besides format and sample rate.
struct FileDetails {
  var tags = FileTags()
  /// Nil for the format's default.
  var compression: Compression?
  /// The number of threads that may encode at the same time, in a format whose pieces can be encoded apart.
  var jobs = 1
}

private func even(_ bytes: [UInt8]) -> [UInt8] { bytes.count % 2 == 0 ? bytes : bytes + [0] }

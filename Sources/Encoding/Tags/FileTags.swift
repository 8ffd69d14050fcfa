package import AudioFiles
import Engine
import Signal

/// The tags of an output file. A tag that the format doesn't support is omitted: AIFF, for example, has no date.
package struct FileTags: Sendable, Hashable {
  package var title: String?
  package var description: String?
  /// A date as `2026`, `2026-03` or `2026-03-01`.
  package var date: String?
  package var artist: String?
  package var album: String?
  package var genre: String?
  package var comment: String?
  /// A language as `en`, `de` or `pt-BR`.
  package var language: String?
  /// Only in MP3, FLAC, Ogg Vorbis and Opus.
  package var cover: CoverPicture?

  package init(title: String? = nil, description: String? = nil, date: String? = nil) {
    (self.title, self.description, self.date) = (title, description, date)
  }

  /// The text that players show as the comment.
  var remark: String? { comment ?? description }
  /// The description, if the comment is another text.
  var subject: String? { comment == nil ? nil : description }

  /// The tags as the chunk of a WAV file that follows its samples; empty without tags.
  var waveChunk: [UInt8] {
    let entries = [
      ("INAM", title), ("ICMT", remark), ("ICRD", date), ("IART", artist), ("IPRD", album), ("IGNR", genre),
      ("ISBJ", subject), ("ILNG", language),
    ].flatMap { name, text in
      // The text ends with a zero byte, and each chunk has an even length.
      text.map { even(chunk(name, Array($0.utf8.filter { $0 != 0 }) + [0])) } ?? []
    }
    return entries.isEmpty ? [] : chunk("LIST", Array("INFO".utf8) + entries)
  }
}

/// What an encoder needs to know besides format and sample rate.
struct FileDetails {
  var tags = FileTags()
  /// Nil if the file gets no chapters.
  var chapters: ChapterList?
  /// Nil for the format's default.
  var compression: Compression?
  /// The number of threads that may encode at the same time, in a format whose pieces can be encoded apart.
  var jobs = 1
  /// 1 or 2.
  var channels = 2
  /// The serial number of an Ogg stream. It must differ from those of the streams before and after in a chain.
  var oggSerial = OggPages.standardSerial
  /// The sample rate in hertz; nil for that of the session, or for one that the format supports.
  var rate: Int?

  /// The encoding of the samples if their writer takes them as bytes, which needs the session's rate and two channels.
  func directEncoding(of format: OutputFormat, at sessionRate: Int) -> SampleEncoding? {
    channels == 2 && (rate ?? sessionRate) == sessionRate ? format.directEncoding : nil
  }

  /// The rate of a file in hertz.
  func rate(of format: OutputFormat, for sessionRate: Int, path: String) throws(SinkError) -> Int {
    guard let rate else { return format.rate(for: sessionRate) }
    let possible = format.rate(for: rate)
    if possible == rate { return rate }
    throw .unsupported(path: path, what: "its format has no sample rate of \(rate) Hz; the next is \(possible) Hz")
  }
}

private func even(_ bytes: [UInt8]) -> [UInt8] { bytes.count % 2 == 0 ? bytes : bytes + [0] }

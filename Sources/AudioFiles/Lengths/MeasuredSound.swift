import Signal
import Sounds

/// The length of a part of a sound file in frames of the file, and the file's tags.
struct MeasuredSound: Hashable {
  var frames: Int64
  /// Hertz.
  var rate: Int
  var channels: Int
  let title: String?
  let artist: String?
  /// The libraries that have to be there to play it.
  let libraries: [CodecLibrary]

  /// - Parameters:
  ///   - title: from the file; what can't be shown is removed.
  ///   - artist: as `title`.
  init(
    frames: Int64, rate: Int, channels: Int, title: String?, artist: String?, libraries: [CodecLibrary] = []
  ) {
    (self.frames, self.rate, self.channels, self.libraries) = (frames, rate, channels, libraries)
    (self.title, self.artist) = (title.flatMap(shownTag), artist.flatMap(shownTag))
  }

  /// The same with the length at a session's rate.
  func facts(at rate: SampleRate) -> SoundFacts {
    var facts = SoundFacts(
      length: resampledLength(frames, from: self.rate, to: rate.hertz), rate: self.rate, channels: channels,
      title: title, artist: artist)
    if self.rate != rate.hertz {
      facts.resampled = ResampledLength(frames: frames, source: self.rate, session: rate.hertz)
    }
    return facts
  }
}

/// The text of a sound in `SoundCache.lengths`: fields between tabs. The last field shows that the text is complete.
extension MeasuredSound {
  private static let end = "."

  var line: String {
    let tags = [title, artist].map { $0.map { "=" + Self.escaped($0) } ?? "" }
    let libraries = libraries.map(\.rawValue).joined(separator: " ")
    return ([String(frames), String(rate), String(channels), libraries] + tags + [Self.end]).joined(separator: "\t")
  }

  /// Reads `line`; nil if it is not complete or not valid.
  init?(line: Substring) {
    let fields = line.split(separator: Character("\t"), omittingEmptySubsequences: false)
    guard fields.count == 7, fields[6] == Self.end, let frames = Int64(fields[0]), let rate = Int(fields[1]),
      let channels = Int(fields[2]), 0 < frames, 0 < rate, 0 < channels,
      case let names = fields[3].split(separator: " ").map(String.init),
      case let libraries = names.compactMap(CodecLibrary.init), libraries.count == names.count
    else { return nil }
    self.init(
      frames: frames, rate: rate, channels: channels, title: Self.tag(fields[4]), artist: Self.tag(fields[5]),
      libraries: libraries)
  }

  private static func tag(_ field: Substring) -> String? { field.hasPrefix("=") ? unescaped(field.dropFirst()) : nil }

  private static let escapes = [("%", "%25"), ("\t", "%09"), ("\n", "%0A"), ("\r\n", "%0D%0A")]

  private static func escaped(_ text: String) -> String {
    escapes.reduce(text) { $0.replacing($1.0, with: $1.1) }
  }

  private static func unescaped(_ text: Substring) -> String {
    escapes.reversed().reduce(String(text)) { $0.replacing($1.1, with: $1.0) }
  }
}

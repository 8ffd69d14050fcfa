import Engine

/// The size and quality of a file in a lossy format (MP3, Opus, Ogg Vorbis).
public enum Compression: Hashable, Sendable {
  /// Bits per second for both channels together: constant for MP3, an average for Opus.
  ///
  /// MP3 has rates from 8,000 to 320,000, which depend on the sample rate; Opus has any from 12,000 to 512,000.
  case bitrate(Int)
  /// The quality of Ogg Vorbis, or of an MP3 file with a variable bit rate: 0, the smallest file, to 10, the best
  /// sound.
  case quality(Double)

  fileprivate var name: String {
    switch self {
    case .bitrate: "bit rate"
    case .quality: "quality"
    }
  }
}

extension OutputFormat {
  /// Throws `unsupported` if the format doesn't have this kind of compression, or doesn't permit this value.
  func check(_ compression: Compression, path: String, suffix: String) throws(SinkError) {
    switch (self, compression) {
    case (.mp3, .bitrate(let bits)): try check(bits, in: 8_000...320_000, path)
    case (.opus, .bitrate(let bits)): try check(bits, in: 12_000...512_000, path)
    case (.vorbis, .quality(let quality)), (.mp3, .quality(let quality)):
      if 0...10 ~= quality { return }
      throw .unsupported(path: path, what: "there is no quality \(quality); choose one from 0 to 10")
    case (.opus, .quality), (.vorbis, .bitrate):
      let other = self == .opus ? "choose a bit rate, such as 128k" : "choose a quality from 0 to 10"
      throw .unsupported(path: path, what: "a .\(suffix) file has no \(compression.name); \(other)")
    default:
      throw .unsupported(path: path, what: "a .\(suffix) file is lossless; leave out the \(compression.name)")
    }
  }

  private func check(_ bits: Int, in range: ClosedRange<Int>, _ path: String) throws(SinkError) {
    if range.contains(bits) { return }
    let (least, most) = (range.lowerBound / 1_000, range.upperBound / 1_000)
    throw .unsupported(
      path: path, what: "there is no bit rate of \(bits) bits per second; choose one from \(least)k to \(most)k")
  }
}

/// The constant bit rates of MP3, which depend on the sample rate of the file.
enum MPEGRates {
  /// In kbit/s, in order.
  static func kilobits(at hertz: Int) -> [Int] {
    if 32_000 <= hertz { return [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320] }
    let all = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    return 16_000 <= hertz ? all : Array(all.prefix { $0 <= 64 })
  }

  /// The compression level, 0…1, for which libsndfile chooses a bit rate; nil if MP3 does not have this bit rate.
  ///
  /// libsndfile computes the bit rate as a linear function of the level, and truncates it. With the half kilobit,
  /// the truncated bit rate is the wanted one.
  static func level(bitrate: Int, at hertz: Int) -> Double? {
    let rates = kilobits(at: hertz)
    guard rates.contains(where: { 1_000 * $0 == bitrate }), let least = rates.first, let most = rates.last else {
      return nil
    }
    return max(0, (Double(most) - Double(bitrate) / 1_000 - 0.5) / Double(most - least))
  }
}

import Encoding

/// The size and quality of a file in a lossy format (MP3, Opus, Ogg Vorbis).
public enum Compression: Sendable, Hashable {
  /// Bits per second for both channels together: constant for MP3, an average for Opus.
  ///
  /// MP3 has rates from 8,000 to 320,000, which depend on the sample rate; Opus has any from 12,000 to 512,000.
  case bitrate(Int)
  /// The quality of Ogg Vorbis, or of an MP3 file with a variable bit rate: 0, the smallest file, to 10, the best
  /// sound.
  case quality(Double)

  var base: Encoding.Compression {
    switch self {
    case .bitrate(let bits): .bitrate(bits)
    case .quality(let quality): .quality(quality)
    }
  }
}

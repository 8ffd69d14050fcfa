import AudioFiles

/// How much a format that loses sound may lose.
public enum Compression: Sendable, Hashable {
  /// Bits per second of both channels: constant for MP3, an average for Opus.
  ///
  /// MP3 has 8,000 to 320,000 in steps that depend on the sample rate; Opus has 12,000 to 512,000.
  case bitrate(Int)
  /// The quality of Ogg Vorbis, or of an MP3 file with a variable bit rate: 0, the smallest file, to 10, the best
  /// sound.
  case quality(Double)

  var base: AudioFiles.Compression {
    switch self {
    case .bitrate(let bits): .bitrate(bits)
    case .quality(let quality): .quality(quality)
    }
  }
}

import CSndFile
import Engine
import Signal

/// The format of an output file, chosen by its extension.
enum OutputFormat: Hashable, Sendable {
  case wave(SampleEncoding)
  case aiff(SampleEncoding)
  case caf(SampleEncoding)
  /// 16 or 24 bits per sample; FLAC has no floating-point samples.
  case flac(SampleEncoding)
  case vorbis, opus, mp3

  /// - Parameters:
  ///   - encoding: nil for the format's default: 24 bits for lossless formats.
  ///   - compression: nil for the format's default.
  /// - Throws: `unsupported` for an unknown extension, or for an encoding or a compression that the format doesn't
  ///   support.
  init(path: String, encoding: SampleEncoding?, compression: Compression? = nil) throws(SinkError) {
    let name = path.split(separator: "/").last ?? ""
    let suffix = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    switch suffix {
    case "wav", "wave": self = .wave(encoding ?? .s24)
    case "aiff", "aif": self = .aiff(encoding ?? .s24)
    case "caf": self = .caf(encoding ?? .s24)
    case "flac": self = .flac(encoding ?? .s24)
    case "ogg", "oga": self = .vorbis
    case "opus": self = .opus
    case "mp3": self = .mp3
    default: throw .unsupported(path: path, what: Self.unknown)
    }
    if let encoding, !encodings.contains(encoding) {
      throw .unsupported(path: path, what: "a .\(suffix) file can't hold \(encoding.rawValue) samples; \(fix)")
    }
    if let compression { try check(compression, path: path, suffix: suffix) }
  }

  private static let unknown = "its name must end in .wav, .flac, .ogg, .opus, .mp3, .aiff or .caf"

  /// The encodings from which the user can choose; none for lossy formats.
  private var encodings: [SampleEncoding] {
    switch self {
    case .wave, .aiff, .caf: SampleEncoding.allCases
    case .flac: [.s16, .s24]
    case .vorbis, .opus, .mp3: []
    }
  }

  /// What to write instead of an encoding that is not supported.
  private var fix: String {
    encodings.isEmpty ? "leave out the encoding" : "choose " + encodings.map(\.rawValue).joined(separator: " or ")
  }

  /// The encoding of the samples that are passed to the encoder.
  var encoding: SampleEncoding {
    switch self {
    case .wave(let encoding), .aiff(let encoding), .caf(let encoding), .flac(let encoding): encoding
    case .vorbis, .opus, .mp3: .f32
    }
  }

  /// The encoding of the samples if their writer takes them as bytes; nil if it takes them as floating-point numbers.
  /// Such a file has the session's rate.
  var directEncoding: SampleEncoding? {
    switch self {
    case .wave(let encoding): encoding
    case .flac(let encoding): FLACSettings.areAvailable ? encoding : nil
    case .aiff, .caf, .vorbis, .opus, .mp3: nil
    }
  }

  /// The number of frames that are passed to the encoder at a time.
  var batchFrames: Int {
    switch self {
    // Writing takes so little time that larger batches only need fewer wake-ups.
    case .wave(let encoding): 1_048_576 / encoding.bytesPerFrame
    case .flac: FLACPiece.capacity
    case .aiff, .caf, .vorbis, .opus, .mp3: 131_072
    }
  }

  var isLossy: Bool { self == .vorbis || self == .opus || self == .mp3 }
  var isOgg: Bool { self == .vorbis || self == .opus }

  /// Whether the sound can only be read if the header states its length.
  var needsLength: Bool {
    switch self {
    case .aiff, .caf: true
    case .wave, .flac, .vorbis, .opus, .mp3: false
    }
  }

  /// The file's rate in hertz for a session at `rate`: the same if the format supports it. Otherwise it is 48,000 for
  /// Opus, and for MP3 the next higher supported rate, at most 48,000.
  func rate(for rate: Int) -> Int {
    switch self {
    case .opus: [8_000, 12_000, 16_000, 24_000].contains(rate) ? rate : 48_000
    case .mp3: Self.mp3Rates.contains(rate) ? rate : (Self.mp3Rates.first { rate < $0 } ?? 48_000)
    default: rate
    }
  }

  private static let mp3Rates = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]

  /// The format in libsndfile's constants.
  var code: Int32 {
    switch self {
    case .wave(let encoding): Int32(SF_FORMAT_WAV) | encoding.code
    case .aiff(let encoding): Int32(SF_FORMAT_AIFF) | encoding.code
    case .caf(let encoding): Int32(SF_FORMAT_CAF) | encoding.code
    case .flac(let encoding): Int32(SF_FORMAT_FLAC) | encoding.code
    case .vorbis: Int32(SF_FORMAT_OGG | SF_FORMAT_VORBIS)
    case .opus: Int32(SF_FORMAT_OGG | SF_FORMAT_OPUS)
    case .mp3: Int32(SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III)
    }
  }
}

extension SampleEncoding {
  fileprivate var code: Int32 {
    switch self {
    case .s16: Int32(SF_FORMAT_PCM_16)
    case .s24: Int32(SF_FORMAT_PCM_24)
    case .f32: Int32(SF_FORMAT_FLOAT)
    }
  }

}

extension Compression {
  /// Whether the format of an output has this compression. The extension of its name chooses the format.
  package func fits(_ name: String) -> Bool {
    (try? OutputFormat(path: name, encoding: nil, compression: self)) != nil
  }
}

/// The form in which a file is delivered: channels and rate, loudness and peaks. Nil leaves a value as it is.
public struct Delivery: Hashable, Sendable {
  /// 1 mixes both channels into one, each with half of its amplitude; 2 or nil is stereo.
  public var channels: Int?
  /// The sample rate in hertz.
  public var sampleRate: Int?
  /// The integrated loudness in LUFS (EBU R128).
  public var loudness: Double?
  /// The root mean square of all samples in dBFS; not together with `loudness`.
  public var rms: Double?
  /// The largest true peak in dBTP.
  public var truePeak: Double?

  /// The file as the session is rendered.
  public init() {}

  /// Whether the sound is changed, and not only its format.
  package var isLevelled: Bool { loudness != nil || rms != nil || truePeak != nil }

  /// Whether the frames of the file are not those of the session.
  package var changesFrames: Bool { isLevelled || channels == 1 || sampleRate != nil }

  /// The largest true peak of a file that is levelled, if none is stated.
  static let standardPeak = -1.0
}

/// The levels of a sound. Loudness and true peak are those of EBU R128 and ITU-R BS.1770; a value of −∞ means that
/// nothing was loud enough to be measured.
public struct SoundLevels: Sendable, Hashable {
  /// The length in seconds.
  public var seconds = 0.0
  /// The channels that were measured: 1, or 2 for everything else. A mono sound is 3 LU louder on two loudspeakers.
  public var channels = 2
  /// The integrated loudness in LUFS: of the whole sound, without its quiet parts.
  public var integrated = -Double.infinity
  /// The loudness range in LU.
  public var range = 0.0
  /// The largest momentary loudness, over 0.4 s, in LUFS.
  public var momentary = -Double.infinity
  /// The second at which it ends.
  public var momentaryAt = 0.0
  /// The largest short-term loudness, over 3 s, in LUFS.
  public var shortTerm = -Double.infinity
  /// The largest magnitude between the samples too, in dBTP: the sound is oversampled four times. Nil if it was not
  /// measured.
  public var truePeak: Double?
  /// The largest magnitude of a sample in dBFS.
  public var samplePeak = -Double.infinity
  /// The second of that sample.
  public var samplePeakAt = 0.0
  /// The root mean square of all samples in dBFS. That of a sine at full scale is −3.01 dBFS.
  public var rms = -Double.infinity
  /// The root mean square of the quietest half second in dBFS, in steps of 0.1 s.
  public var noiseFloor = -Double.infinity
  /// The longest time in seconds during which no sample exceeds −60 dBFS.
  public var longestSilence = 0.0
  /// The second at which it begins.
  public var longestSilenceAt = 0.0
  /// How many samples of all channels are at full scale, which for 16 bits is 32,767.
  public var fullScaleSamples = 0

  /// A silent sound of no length.
  public init() {}
}

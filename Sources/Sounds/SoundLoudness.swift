/// The loudness of a sound as a session plays it: in stereo, before any gain. A mono sound plays on both channels.
public struct SoundLoudness: Hashable, Sendable {
  /// That of the whole sound in LUFS (EBU R128); −∞ if it is silent.
  public var integrated: Double
  /// The largest loudness within 0.4 s, in LUFS.
  public var momentary: Double

  /// Creates the loudness of a sound, in LUFS.
  public init(integrated: Double, momentary: Double) {
    (self.integrated, self.momentary) = (integrated, momentary)
  }
}

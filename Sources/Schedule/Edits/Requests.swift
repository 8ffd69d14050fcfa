public import Signal
public import Sounds

/// A sound in a command. It has not been opened yet.
public struct Cue: Sendable, Hashable, Codable {
  /// Where the sound comes from.
  public var source: SoundSource
  /// The title that events report.
  public var title: String
  /// The volume of the sound, up to +12 dB.
  public var gain: Gain

  /// - Parameter title: nil for the name of the file, of the address or of the built-in sound.
  public init(source: SoundSource, title: String? = nil, gain: Gain = .unity) {
    self.source = source
    self.title = title ?? source.label
    self.gain = gain
  }
}

/// A command's request to start an overlay. Times are in seconds.
public struct OverlayRequest: Sendable, Hashable, Codable {
  /// How many times an overlay plays.
  public enum Times: Sendable, Hashable, Codable {
    /// That many times, 1 or more.
    case times(Int)
    /// Until the stage ends.
    case forever
  }

  /// The sound.
  public var cue: Cue
  /// Seconds of the fade-in, 0 to 60.
  public var fadeIn: Double
  /// Seconds of the fade-out, 0 to 60.
  public var fadeOut: Double
  /// The shape of both fades.
  public var curve: FadeCurve
  /// How many times it plays.
  public var times: Times
  /// Seconds of silence between two repeats.
  public var delay: Double
  /// Seconds from the beginning of one repeat to that of the next; nil: `delay` decides. A sound that is longer fades out
  /// when its next repeat begins, unless the overlay is a layer.
  public var interval: Double?
  /// How the music is lowered meanwhile; nil leaves it as it is.
  public var ducking: Ducking?
  /// Whether the overlay plays in addition to the current one instead of replacing it.
  public var isLayer: Bool

  /// How the music is lowered while the overlay plays. Times are in seconds.
  public struct Ducking: Sendable, Hashable, Codable {
    /// Gain of the music while the overlay plays.
    public var depth: Gain
    /// How long the music is lowered, before it is at `depth`.
    public var attack: Double
    /// How long the music is raised again, after the overlay has ended.
    public var release: Double

    /// Creates a ducking.
    public init(depth: Gain, attack: Double, release: Double) {
      self.depth = depth
      self.attack = attack
      self.release = release
    }
  }

  /// All its times.
  var seconds: [Double] { [fadeIn, fadeOut, delay, interval ?? 0, ducking?.attack ?? 0, ducking?.release ?? 0] }

  /// Creates a request to play a sound once, without fades, in place of the current overlay.
  public init(
    cue: Cue, fadeIn: Double = 0, fadeOut: Double = 0, curve: FadeCurve = .linear, times: Times = .times(1),
    delay: Double = 0, interval: Double? = nil, ducking: Ducking? = nil, isLayer: Bool = false
  ) {
    self.cue = cue
    self.fadeIn = fadeIn
    self.fadeOut = fadeOut
    self.curve = curve
    self.times = times
    self.delay = delay
    self.interval = interval
    self.ducking = ducking
    self.isLayer = isLayer
  }
}

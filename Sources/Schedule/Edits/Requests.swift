public import Engine
public import Signal

/// A sound in a command. It is resolved to a source, but not opened yet.
public struct Cue: Sendable, Hashable, Codable {
  public var source: SoundSource
  public var title: String
  public var gain: Gain

  public init(source: SoundSource, title: String, gain: Gain) {
    self.source = source
    self.title = title
    self.gain = gain
  }
}

/// A command's request to start an overlay. Times are in seconds.
public struct OverlayRequest: Sendable, Hashable, Codable {
  public typealias Times = Programme.Times

  public var cue: Cue
  /// Seconds of the fade-in and of the fade-out.
  public var fadeIn: Double
  public var fadeOut: Double
  public var curve: FadeCurve
  public var times: Times
  /// Seconds of silence between two repeats.
  public var delay: Double
  public var ducking: Ducking?
  /// The overlay plays in addition to the current one instead of replacing it.
  public var isLayer: Bool

  /// How the music is lowered while the overlay plays. Times are in seconds.
  public struct Ducking: Sendable, Hashable, Codable {
    /// Gain of the music while the overlay plays.
    public var depth: Gain
    public var attack: Double
    public var release: Double

    public init(depth: Gain, attack: Double, release: Double) {
      self.depth = depth
      self.attack = attack
      self.release = release
    }
  }

  public init(
    cue: Cue, fadeIn: Double = 0, fadeOut: Double = 0, curve: FadeCurve = .linear, times: Times = .times(1),
    delay: Double = 0, ducking: Ducking? = nil, isLayer: Bool = false
  ) {
    self.cue = cue
    self.fadeIn = fadeIn
    self.fadeOut = fadeOut
    self.curve = curve
    self.times = times
    self.delay = delay
    self.ducking = ducking
    self.isLayer = isLayer
  }
}

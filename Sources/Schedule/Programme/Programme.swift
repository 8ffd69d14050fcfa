public import Engine
public import Signal

/// A session as it was written: stages, their playlists, and cues with positions that count from a stage's beginning or
/// end. `Schedule` works out from it what sounds when, and does so anew after each change.
///
/// Lengths and positions are in session frames; those that a stage's boundaries depend on keep their fractions, so that
/// rounding never adds up.
public struct Programme: Sendable {
  public var title: String
  public var rate: SampleRate
  public var master: Gain
  /// Into the first stage.
  public var fadeIn: FrameCount = 0
  /// Out of the last stage; it ends where the stage does.
  public var fadeOut: FrameCount = 0
  public var stages: [Stage]
  /// Session-wide: their positions count from the session's beginning or end.
  public var overlays: [Overlay] = []
  public var gongs: [Gong] = []
  /// Sounds that can't be played: left out of the plan, and reported when the session starts.
  public var skipped: [Skipped] = []

  public init(title: String, rate: SampleRate, master: Gain, stages: [Stage]) {
    self.title = title
    self.rate = rate
    self.master = master
    self.stages = stages
  }

  /// A sound that the session asks for and that can't be played.
  public struct Skipped: Sendable {
    public var title: String
    public var reason: SourceError

    public init(title: String, reason: SourceError) {
      self.title = title
      self.reason = reason
    }
  }
}

extension Programme {
  public struct Stage: Sendable {
    public var name: String
    public var duration: StageDuration
    public var playlist: PlaylistManager
    /// Of the stage's music; multiplies each track's own gain.
    public var gain = Gain.unity
    /// Into this stage, and between its tracks.
    public var crossfade = FadeShape.none
    public var overlays: [Overlay] = []
    public var gongs: [Gong] = []

    public init(name: String, duration: StageDuration, playlist: PlaylistManager) {
      self.name = name
      self.duration = duration
      self.playlist = playlist
    }
  }

  public enum StageDuration: Sendable, Hashable {
    case frames(Double)
    /// As long as its music; open while that never ends.
    case natural
    /// Until the listener goes on.
    case open
  }

  /// A sound with its probed length in frames; `.endless` for a generated bed.
  public struct Sound: Sendable, Hashable {
    public var source: SoundSource
    public var title: String
    public var gain: Gain
    public var length: FrameCount

    public init(source: SoundSource, title: String, gain: Gain = .unity, length: FrameCount) {
      self.source = source
      self.title = title
      self.gain = gain
      self.length = length
    }
  }

  /// In frames, with their fractions.
  public enum Position: Sendable, Hashable {
    case afterStart(Double)
    case beforeEnd(Double)
  }

  /// How often an overlay sounds.
  public enum Times: Sendable, Hashable, Codable {
    case times(Int)
    /// Until the stage ends.
    case forever
  }

  public struct Overlay: Sendable, Hashable {
    public var sound: Sound
    public var at: [Position]
    public var fadeIn: FadeShape
    public var fadeOut: FadeShape
    public var times = Times.times(1)
    /// Frames of silence between two repeats, with their fraction.
    public var delay = 0.0
    public var duck: Duck?
    /// Sounds beside the overlay that is already there, instead of replacing it.
    public var isLayer = false
    /// Which cue of the session it is.
    var id = 0

    public init(sound: Sound, at: [Position], fadeIn: FadeShape = .none, fadeOut: FadeShape = .none) {
      self.sound = sound
      self.at = at
      self.fadeIn = fadeIn
      self.fadeOut = fadeOut
    }
  }

  public struct Gong: Sendable, Hashable {
    public enum Pattern: Sendable, Hashable {
      case at([Position])
      /// The first one an interval after the beginning; without a count for as long as the stage lasts.
      case every(Double, count: Int?)
    }

    public var sound: Sound
    public var pattern: Pattern
    /// How many strikes each time, and frames from one to the next.
    public var strikes = 1
    public var spacing = 0.0
    var id = 0

    public init(sound: Sound, _ pattern: Pattern) {
      self.sound = sound
      self.pattern = pattern
    }
  }
}

extension Programme {
  /// Every source that it plays.
  public var sources: Set<SoundSource> {
    var sources = Set((overlays.map(\.sound) + gongs.map(\.sound)).map(\.source))
    for stage in stages {
      sources.formUnion(stage.playlist.tracks.map(\.source))
      sources.formUnion((stage.overlays.map(\.sound) + stage.gongs.map(\.sound)).map(\.source))
    }
    return sources
  }

  /// The same with each cue and each playlist entry named.
  ///
  /// - Returns: the first number that no cue has.
  mutating func name() -> Int {
    var cue = 0
    func next() -> Int {
      defer { cue += 1 }
      return cue
    }
    for index in overlays.indices { overlays[index].id = next() }
    for index in gongs.indices { gongs[index].id = next() }
    for stage in stages.indices {
      for index in stages[stage].overlays.indices { stages[stage].overlays[index].id = next() }
      for index in stages[stage].gongs.indices { stages[stage].gongs[index].id = next() }
      stages[stage].playlist.nameAll()
    }
    return cue
  }
}

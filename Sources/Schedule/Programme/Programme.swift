package import Signal
package import Sounds

/// A session as it is written: stages, their playlists, and cues whose positions count from the beginning or the end
/// of a stage. `Schedule` computes from it which sound plays at which frame, and recomputes that after each edit.
///
/// Lengths and positions are in session frames. Those that determine stage boundaries keep their fractions, so that
/// rounding errors do not accumulate.
package struct Programme: Sendable {
  package var title: String
  /// What the tags of output files say besides the title.
  package var tags = Tags()
  package var rate: SampleRate
  /// The master volume at the beginning.
  package var master: Gain
  /// Frames of the fade into the first stage.
  package var fadeIn: FrameCount = 0
  /// Frames of the fade out of the last stage; it ends where the stage ends.
  package var fadeOut: FrameCount = 0
  package var stages: [Stage]
  /// Session-wide cues: their positions count from the beginning or the end of the session.
  package var overlays: [Overlay] = []
  package var gongs: [Gong] = []
  /// Sounds that can't be played. They are omitted from the plan and reported when the session starts.
  package var skipped: [Skipped] = []

  /// The maximum length of a session in seconds: one week.
  package static let maximumSeconds = 604_800.0

  package init(title: String, rate: SampleRate, master: Gain, stages: [Stage]) {
    self.title = title
    self.rate = rate
    self.master = master
    self.stages = stages
  }

  /// What the tags of output files say besides the title.
  package struct Tags: Sendable, Hashable {
    package var description: String?
    /// As `2026`, `2026-03` or `2026-03-01`.
    package var date: String?
    package var artist: String?
    package var album: String?
    package var genre: String?
    package var comment: String?
    /// As `en`, `de` or `pt-BR`.
    package var language: String?
    /// The path of a JPEG or PNG file.
    package var cover: String?

    package init() {}
  }

  /// A sound of the session that can't be played, and why.
  package struct Skipped: Sendable {
    package var title: String
    package var reason: SourceError
    /// The index of the stage, and the index of the track in its playlist as written; nil for an overlay, a gong or a
    /// track whose stage was left out with it.
    package var place: (stage: Int, number: Int)?

    package init(title: String, reason: SourceError, place: (stage: Int, number: Int)? = nil) {
      self.title = title
      self.reason = reason
      self.place = place
    }
  }
}

extension Programme {
  /// One stage: its music and its cues, as written.
  package struct Stage: Sendable {
    package var name: String
    package var duration: StageDuration
    package var playlist: PlaylistManager
    /// Gain of the stage's music; multiplies each track's own gain.
    package var gain = Gain.unity
    /// The crossfade into this stage and between its tracks.
    package var crossfade = FadeShape.none
    package var overlays: [Overlay] = []
    package var gongs: [Gong] = []

    package init(name: String, duration: StageDuration, playlist: PlaylistManager) {
      self.name = name
      self.duration = duration
      self.playlist = playlist
    }
  }

  /// How long a stage lasts.
  package enum StageDuration: Sendable, Hashable {
    /// A fixed number of session frames, with their fraction.
    case frames(Double)
    /// As long as its music. The stage is open while its music never ends.
    case natural
    /// Until a command ends the stage.
    case open
  }

  /// A sound with its probed length in session frames; `.endless` for a generated sound without an end.
  package struct Sound: Sendable, Hashable {
    package var source: SoundSource
    package var title: String
    package var gain: Gain
    package var length: FrameCount
    /// The exact length, if the rate of the sound is converted.
    package var resampled: ResampledLength?
    /// What is said when, in order.
    package var captions: [Caption] = []

    package init(source: SoundSource, title: String, gain: Gain = .unity, length: FrameCount) {
      self.source = source
      self.title = title
      self.gain = gain
      self.length = length
    }
  }

  /// A position in frames, with fractions, from the beginning or the end of a stage or of the session.
  package enum Position: Sendable, Hashable {
    case afterStart(Double)
    case beforeEnd(Double)
  }

  /// How many times an overlay plays.
  package typealias Times = OverlayRequest.Times

  /// A sound that plays over the music at one or more positions.
  package struct Overlay: Sendable, Hashable {
    package var sound: Sound
    /// The sounds that play after it, one after the other; after the last one they begin again.
    package var following: [Sound] = []
    package var at: [Position]
    package var fadeIn: FadeShape
    package var fadeOut: FadeShape
    /// How many sounds play in all: the repeats of a single sound, or those of the list.
    package var times = Times.times(1)
    /// Frames of silence between two repeats or two sounds, with their fraction.
    package var delay = 0.0
    /// Frames from the beginning of one to that of the next, with their fraction; nil: `delay` decides. A sound that is
    /// longer fades out when the next one begins, unless the overlay is a layer.
    package var interval: Double?
    package var duck: Duck?
    /// The overlay plays in addition to the current one instead of replacing it.
    package var isLayer = false
    /// Number of the cue, unique in the session.
    var id = 0

    package init(sound: Sound, at: [Position], fadeIn: FadeShape = .none, fadeOut: FadeShape = .none) {
      self.sound = sound
      self.at = at
      self.fadeIn = fadeIn
      self.fadeOut = fadeOut
    }
  }

  /// A gong at fixed positions, or at regular intervals, or at both.
  package struct Gong: Sendable, Hashable {
    package enum Pattern: Sendable, Hashable {
      case at([Position])
      /// An interval in frames, with its fraction. The first strike is one interval after the beginning; without a
      /// count the strikes repeat until the stage ends.
      case every(Double, count: Int?)
    }

    /// How far each strike at an interval is moved.
    package struct Jitter: Sendable, Hashable {
      /// The largest distance as a share of the interval, 0 to 0.5.
      package var share: Double
      package var seed: UInt64
      /// The planned length of the stage or session in frames; nil if it is open. No strike is moved over its end.
      package var length: Double?

      package init(share: Double, seed: UInt64, length: Double?) {
        (self.share, self.seed, self.length) = (share, seed, length)
      }
    }

    package var sound: Sound
    package var pattern: Pattern
    /// Positions besides those of the pattern. A strike that coincides with one of the pattern is left out.
    package var positions: [Position] = []
    /// How the strikes at an interval are moved; nil leaves them as they are.
    package var jitter: Jitter? {
      get { jitters.first }
      set { jitters = newValue.map { [$0] } ?? [] }
    }
    // In an array, because few of what may be thousands of gongs have one.
    private var jitters: [Jitter] = []
    /// Number of strikes at each position, and frames from one strike to the next.
    package var strikes = 1
    package var spacing = 0.0
    /// Number of the cue, unique in the session.
    var id = 0

    package init(sound: Sound, _ pattern: Pattern) {
      self.sound = sound
      self.pattern = pattern
    }

    /// All positions at which it strikes, without those at an interval.
    var allPositions: [Position] {
      guard case .at(let regular) = pattern else { return positions }
      return positions.isEmpty ? regular : regular + positions
    }
  }
}

extension Programme {
  /// Every source in the session.
  package var sources: Set<SoundSource> {
    var sources = Set((overlays.flatMap(\.sounds) + gongs.map(\.sound)).map(\.source))
    for stage in stages {
      sources.formUnion(stage.playlist.tracks.map(\.source))
      sources.formUnion((stage.overlays.flatMap(\.sounds) + stage.gongs.map(\.sound)).map(\.source))
    }
    return sources
  }

  /// Numbers all cues and all playlist entries.
  ///
  /// - Returns: the first unused cue number.
  mutating func assignIDs() -> Int {
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
      stages[stage].playlist.assignIDs()
    }
    return cue
  }
}

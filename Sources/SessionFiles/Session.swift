import Files
import Glibc
package import Markup
public import Schedule
public import Signal
public import Sounds

/// The content of a session file, as values. A program can build one, change one that it has read, and write it.
///
/// Times are in seconds, as in the file. A ``SessionReader`` checks the values and lays them out.
public struct Session: Sendable, Hashable {
  /// The path of the file as the user gave it. Error messages begin with it.
  public var path: String
  /// The title.
  public var title: String
  /// The description; nil for none.
  public var description: String?
  /// The date for the tags of output files, as `2026`, `2026-03` or `2026-03-01`.
  public var date: String?
  /// The artist for the tags of output files; nil for none.
  public var artist: String?
  /// The album for the tags of output files; nil for none.
  public var album: String?
  /// The genre for the tags of output files; nil for none.
  public var genre: String?
  /// A comment for the tags of output files; nil for the description.
  public var comment: String?
  /// The language of the session, as `en`, `de` or `pt-BR`, for the tags of output files; nil for none.
  public var language: String?
  /// The path of the picture in the tags of output files, a JPEG or PNG file; nil for none.
  public var cover: String?
  /// The position of `cover` in the file.
  package var coverLocation: SourceLocation?
  /// The sample rate of the session; nil if the file states none. The timeline then uses the rate of most of the
  /// session's material, at least 44,100 Hz.
  public var sampleRate: SampleRate?
  /// The position of that rate in the file.
  package var sampleRateLocation: SourceLocation?
  /// The master volume, up to 0 dB.
  public var volume: Gain
  /// The fade into the first stage, in seconds, 0 to 60.
  public var fadeIn: Double
  /// The fade out of the last stage, in seconds, which ends where the stage ends.
  public var fadeOut: Double
  /// The stages, one after the other; at least one.
  public var stages: [Stage]
  /// The overlays of the session as a whole; their positions count from its start.
  public var overlays: [Overlay]
  /// The gongs of the session as a whole.
  public var gongs: [Gong]
  /// The loudness to which the sounds of each layer are levelled, in LUFS, unless they state one themselves.
  public var loudness: [Layer: Double] = [:]
  /// The entries of `sounds`, by name. Commands may refer to them.
  public var named: [String: Sound] = [:]
  /// The absolute folder at which relative sound paths start.
  public var folder = ""
  /// The seed of the run, for gongs at random moments without a seed of their own. It is not part of the file.
  package var seed: UInt64 = 0
  /// The position of `fadeOut` in the file; nil if the file has none. It is also nil after `without`: without the
  /// removed tracks, the last stage may be shorter than the fade, which is then shortened instead of reported.
  package var fadeOutLocation: SourceLocation?
}

extension Session {
  /// One stage of a session.
  public struct Stage: Sendable, Hashable {
    /// The name, which no other stage of the session has.
    public var name: String
    /// How long it lasts.
    public var duration: StageDuration
    /// The music, in order.
    public var tracks: [Sound]
    /// The indices of the tracks in the file, if other tracks have been removed; otherwise nil.
    package var trackNumbers: [Int]?
    /// What is repeated.
    public var repetition: RepeatMode
    /// How many passes follow the first; nil for no limit.
    public var repeatCount: Int?
    /// The volume of the stage's music; overlays and gongs are not affected.
    public var volume: Gain
    /// The crossfade into this stage and between its tracks; the session's default if the stage has none.
    public var crossfade: Crossfade
    /// Whether the stage becomes longer or shorter when the session is fitted to a length.
    public var stretches = true
    /// The sounds over the music; their positions count from the start or the end of the stage.
    public var overlays: [Overlay]
    /// The bells; their positions count like those of overlays.
    public var gongs: [Gong]
    /// The position of the stage in the file.
    package var location: SourceLocation
  }

  /// How long a stage lasts.
  public enum StageDuration: Sendable, Hashable {
    /// That many seconds.
    case seconds(Double)
    /// As long as the stage's tracks.
    case natural
    /// Until the listener goes to the next stage.
    case open
  }

  /// A crossfade; `duration` is in seconds.
  public struct Crossfade: Sendable, Hashable {
    /// The length in seconds, 0 to 60.
    public var duration: Double
    /// The shape of both fades.
    public var curve: FadeCurve
  }

  /// One use of a sound. A name from `sounds` has been resolved.
  public struct Sound: Sendable, Hashable {
    /// Where the sound comes from, and which part of it is played.
    public var source: SoundSource
    /// The volume at this use times the volume of the named sound.
    public var volume: Gain
    /// The sound's `title`, or else its name, file name or address; shown to the listener.
    public var title: String
    /// The loudness to which the sound is levelled; nil for that of its layer.
    public var loudness: LoudnessTarget?
    /// The constant gain that levels the sound, by the layer in which it plays. It is measured after the file was read;
    /// until then the sounds are left as they are.
    package var levelling: [Layer: Gain] = [:]
    package var location: SourceLocation

    /// The gain of this use in a layer: its volume and what levels it.
    package func gain(in layer: Layer) -> Gain { levelling[layer].map { $0 * volume } ?? volume }
  }

  /// The loudness of a sound before its volume is applied.
  public enum LoudnessTarget: Sendable, Hashable {
    /// The sound is left as it is.
    case off
    /// The sound gets this loudness, in LUFS: music and overlays as a whole, gongs at their loudest moment.
    case lufs(Double)

    /// The targets that a session file can state, in LUFS.
    package static let range = -60.0...0.0
  }

  /// A sound that plays over the music. `fadeIn` and `fadeOut` are in seconds.
  public struct Overlay: Sendable, Hashable {
    /// The sound, or the first one of several.
    public var sound: Sound
    /// The sounds that play after it, one after the other; after the last one they begin again, as `repetition` says.
    public var following: [Sound] = []
    /// When it begins.
    public var at: [Position]
    /// The fade-in in seconds, 0 to 60.
    public var fadeIn: Double
    /// The fade-out in seconds, 0 to 60.
    public var fadeOut: Double
    /// The shape of both fades.
    public var curve: FadeCurve
    /// How many sounds play in all, and the silence between two of them: the repeats of one sound, or the sounds of a
    /// list. An overlay with `following` needs the number of its sounds to play each of them once.
    public var repetition: Repetition
    /// Seconds from the beginning of one sound to that of the next; nil: the next one begins after the delay of
    /// `repetition`. A sound that is longer fades out when the next one begins, unless the overlay is a layer.
    public var interval: Double?
    /// How the music is lowered meanwhile; nil leaves it as it is.
    public var duck: Ducking?
    /// Whether the overlay plays together with the overlay that is already playing, instead of replacing it.
    public var isLayer: Bool
    package var location: SourceLocation

    /// All its sounds in order, each once.
    public var sounds: [Sound] { [sound] + following }
  }

  /// How often an overlay plays, and the seconds of silence between two repeats.
  public struct Repetition: Sendable, Hashable {
    /// How many times it plays.
    public var times: OverlayRequest.Times
    /// Seconds of silence between two repeats.
    public var delay: Double

    /// Once.
    public static let once = Repetition(times: .times(1), delay: 0)
  }

  /// How far an overlay lowers the music; the gain is below 0 dB, the times are in seconds.
  public typealias Ducking = OverlayRequest.Ducking

  /// A sound that is struck once or several times, and plays to its end.
  public struct Gong: Sendable, Hashable {
    /// The sound.
    public var sound: Sound
    /// When it is struck.
    public var times: Times
    /// How many strikes follow each other each time, 1 or more.
    public var strikes: Int
    /// The seconds from one strike to the next.
    public var spacing: Double
    /// Positions at which it is struck besides `times`. Where both are the same moment, it is struck once.
    public var extra: [Position] = []
    /// How far each strike of an interval is moved at random, earlier or later, as a share of the interval: 0 to 0.5.
    public var jitter = 0.0
    /// What determines its random moments; nil: the seed of the run.
    public var seed: UInt64?
    package var location: SourceLocation

    /// When a gong is struck.
    public enum Times: Sendable, Hashable {
      /// At these positions.
      case at([Position])
      /// At an interval in seconds. The first one is an interval after the start of the stage; without a count they
      /// continue until its end.
      case every(Double, count: Int?)
      /// That many times, at random moments that are at least `minimum` seconds from each other and from the start and
      /// the end. Nil: a minute, or less in a short stage.
      case random(Int, minimum: Double?)
    }

    /// All positions at which the gong strikes, without those at an interval or at random.
    package var positions: [Position] {
      guard case .at(let positions) = times else { return extra }
      return extra.isEmpty ? positions : positions + extra
    }

    /// Whether its moments depend on a seed.
    package var isRandom: Bool { if case .random = times { true } else { 0 < jitter } }
  }

  /// A position in a stage, or in the session for session-wide cues, with its location in the file.
  public struct Position: Sendable, Hashable {
    /// From where a position counts.
    public enum Anchor: Sendable, Hashable {
      /// Seconds after the start; "start" is 0. A negative number counts from the end, as in files.
      case afterStart(Double)
      /// Seconds before the end; "end" is 0.
      case beforeEnd(Double)
    }
    /// The position.
    public var anchor: Anchor
    package var location: SourceLocation
  }
}

extension Session {
  /// The limits of a session: `session` and `fade` in seconds, `stages`, `cues` and `series`, the sounds
  /// of one overlay, as counts.
  package enum Limit {
    package static let session = Programme.maximumSeconds
    package static let fade = 60.0
    package static let stages = 1_000
    package static let series = 1_000
    package static let cues = 100_000
  }

  /// Every use of a sound, in no particular order; a sound that is used twice appears twice.
  package var sounds: [Sound] {
    stages.flatMap { $0.tracks + $0.overlays.flatMap(\.sounds) + $0.gongs.map(\.sound) } + overlays.flatMap(\.sounds)
      + gongs.map(\.sound)
  }

  /// Whether a gong's moments depend on the seed of the run.
  package var needsSeed: Bool {
    (gongs + stages.flatMap(\.gongs)).contains { $0.isRandom && $0.seed == nil }
  }

  /// The paths of all files that the session names: sounds, and the cover.
  package var files: [String] {
    (sounds + named.values).compactMap(\.source.origin.path) + [cover].compactMap(\.self)
  }

  /// Why the file at a path can't be read as a sound file; nil if it can. The content is not checked.
  package static func fileProblem(_ path: String) -> String? {
    var status = stat()
    guard stat(path.forSystem, &status) == 0 else {
      return errno == ENOENT || errno == ENOTDIR ? "no such file" : String(cString: strerror(errno))
    }
    if let kind = SessionFile.kind(of: status.st_mode) { return "is a \(kind), not a sound file" }
    return access(path.forSystem, R_OK) == 0 ? nil : String(cString: strerror(errno))
  }
}

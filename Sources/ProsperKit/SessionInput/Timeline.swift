import Schedule
import Signal
import Sounds
import Timelines

/// A clip of the schedule. Inside `Timeline`, the name `Clip` refers to the public type.
private typealias PlannedClip = Clip

/// When each stage, track and cue of a session begins and ends, if the listener gives no commands. All times are
/// seconds of the session.
///
/// An open stage has no known end. The times of the stages after it count from 0 again, from the moment at which the
/// listener goes to the next stage.
public struct Timeline: Sendable {
  private let base: Timelines.Timeline

  init(_ timeline: Timelines.Timeline) { base = timeline }

  /// The end of the last sound, including that of gongs; nil if a stage is open.
  public var duration: Double? { base.end.map(base.rate.seconds) }
  /// The stages, in order.
  public var stages: [Stage] { base.stages.map { Stage($0, at: base.rate) } }
  /// The overlays and gongs of the session as a whole, in order of their times.
  public var cues: [Clip] { base.cues.map { Clip($0, at: base.rate) } }

  /// The timeline as text for a terminal, as `prosper show` prints it.
  public func text() -> String { report(.text) }
  /// The timeline as one JSON object with all fades, in seconds and frames, as `prosper show --json` prints it.
  public func json() -> String { report(.json) }
  /// A drawing of the timeline, as `prosper show --svg` writes it.
  public func svg() -> String { report(.svg(nil)) }

  private func report(_ format: TimelineReport) -> String {
    var text = ""
    format.write(base) { text += $0 }
    return text
  }
}

extension Timeline {
  /// One stage.
  public struct Stage: Sendable {
    private let base: Timelines.Timeline.Stage
    private let rate: SampleRate

    fileprivate init(_ stage: Timelines.Timeline.Stage, at rate: SampleRate) { (base, self.rate) = (stage, rate) }

    /// The name in the file.
    public var name: String { base.name }
    /// When the stage begins.
    public var begin: Double { rate.seconds(base.begin) }
    /// When the next stage begins, or the session ends; nil for an open stage.
    public var end: Double? { base.end.map(rate.seconds) }
    /// The length of the crossfade into this stage; 0 for the first stage.
    public var crossfade: Double { rate.seconds(base.crossfade.length) }
    /// Each playback of a track, in order. For an open stage, these are the tracks of the first pass of the playlist.
    /// The property is computed on each use: a stage that repeats short tracks for days has hundreds of thousands.
    public var tracks: [Clip] {
      base.music.clips.prefix { base.end != nil || $0.entry?.pass == 0 }.map { Clip($0, at: rate) }
    }
    /// The stage's overlays and gongs, in order of their times.
    public var cues: [Clip] { base.cues.map { Clip($0, at: rate) } }
  }

  /// One playback of one sound.
  public struct Clip: Sendable, Hashable {
    /// The kind of a sound.
    public enum Kind: String, Sendable, Hashable {
      /// A track of a stage's music.
      case track
      /// A sound over the music.
      case overlay
      /// A strike that plays to its end.
      case gong
    }

    /// The kind of the sound.
    public let kind: Kind
    /// The title in the file, or else the file name.
    public let title: String
    /// When the sound begins.
    public let begin: Double
    /// When the sound ends; nil if nothing ends it.
    public let end: Double?
    /// The gain without fades, linear; 1 leaves the sound unchanged.
    public let gain: Double
    /// The length of the fade-in; 0 without one.
    public let fadeIn: Double
    /// The length of the fade-out; 0 without one.
    public let fadeOut: Double
    /// The index in the playlist, from 0; nil for an overlay or a gong.
    public let index: Int?
    /// The number of completed passes of the playlist; nil for an overlay or a gong.
    public let pass: Int?

    fileprivate init(_ clip: PlannedClip, at rate: SampleRate) {
      kind =
        switch clip.layer {
        case .music: .track
        case .overlay: .overlay
        case .effect: .gong
        }
      (title, gain) = (clip.title, Double(clip.gain.linear))
      begin = rate.seconds(clip.at)
      end = clip.end == .endless ? nil : rate.seconds(clip.end)
      fadeIn = clip.fadeIn.map { rate.seconds($0.length) } ?? 0
      fadeOut = (clip.fadeOut ?? clip.leave).map { rate.seconds($0.length) } ?? 0
      (index, pass) = (clip.entry?.index, clip.entry?.pass)
    }
  }
}

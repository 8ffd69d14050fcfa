package import Engine
package import Schedule
package import Signal

/// A session file as values: checked in itself, its sounds named but not yet opened.
///
/// Times are seconds as they stand in the file; they become frames in the timeline.
package struct Session: Sendable {
  /// The file it was read from, as the user named it; errors begin with it.
  package var path: String
  package var title: String
  package var description: String?
  /// Nil when the file leaves it to the rate that most of its source time has.
  package var sampleRate: SampleRate?
  package var volume: Gain
  /// Into the first stage and out of the last one, in seconds.
  package var fadeIn: Double
  package var fadeOut: Double
  package var stages: [Stage]
  /// Session-wide cues: their positions count from the session's beginning.
  package var overlays: [Overlay]
  package var gongs: [Gong]
  /// The sounds that have a name: commands use them, too.
  package var named: [String: Sound] = [:]
  /// Absolute; relative paths of sounds begin here.
  package var folder = ""
  /// Nil without a fade-out, and after sounds are left out: the stage is then shorter than its writer expects, and the
  /// fade is shortened with it.
  package var fadeOutPlace: Place?
}

extension Session {
  package struct Stage: Sendable {
    package var name: String
    package var duration: StageDuration
    package var tracks: [Sound]
    /// Where each track stood before others were left out; nil where none was.
    package var trackNumbers: [Int]?
    package var repetition: RepeatMode
    package var repeatCount: Int?
    package var volume: Gain
    /// Into this stage and between its tracks; the session's where the stage has none.
    package var crossfade: Crossfade
    package var overlays: [Overlay]
    package var gongs: [Gong]
    package var place: Place
  }

  package enum StageDuration: Sendable, Hashable {
    case seconds(Double)
    /// As long as its tracks.
    case natural
    /// Until the listener goes on.
    case open
  }

  package struct Crossfade: Sendable, Hashable {
    package var duration: Double
    package var curve: FadeCurve
  }

  /// A sound as it is used in one place, with its name in `sounds` resolved.
  package struct Sound: Sendable, Hashable {
    package var source: SoundSource
    /// The track's or cue's own volume times that of the sound it names.
    package var volume: Gain
    package var title: String
    package var place: Place
  }

  package struct Overlay: Sendable {
    package var sound: Sound
    package var at: [Position]
    package var fadeIn: Double
    package var fadeOut: Double
    package var curve: FadeCurve
    package var repetition: Repetition
    package var duck: Ducking?
    /// Sounds beside the overlay that is already there, instead of replacing it.
    package var isLayer: Bool
    package var place: Place
  }

  /// How often an overlay plays, and the silence between two times, in seconds.
  package struct Repetition: Sendable, Hashable {
    package enum Times: Sendable, Hashable {
      case times(Int)
      /// Until the stage ends.
      case forever
    }
    package var times: Times
    package var delay: Double

    package static let once = Repetition(times: .times(1), delay: 0)
  }

  /// Seconds; `by` below 0 dB.
  package struct Ducking: Sendable, Hashable {
    package var by: Gain
    package var attack: Double
    package var release: Double
  }

  package struct Gong: Sendable {
    package var sound: Sound
    package var times: Times
    /// How many strikes each time, and seconds from one to the next.
    package var strikes: Int
    package var spacing: Double
    package var place: Place

    package enum Times: Sendable {
      case at([Position])
      /// The first one an interval after the stage's beginning; without a count until its end.
      case every(Double, count: Int?)
    }
  }

  /// A position within a stage, or within the session for session-wide cues, with where it stands in the file.
  package struct Position: Sendable, Hashable {
    package enum Anchor: Sendable, Hashable {
      /// Seconds after the beginning; "start" is 0.
      case afterStart(Double)
      /// Seconds before the end; "end" is 0.
      case beforeEnd(Double)
    }
    package var anchor: Anchor
    package var place: Place

    package var countsFromEnd: Bool { if case .beforeEnd = anchor { true } else { false } }
  }
}

/// Line and column in a session file, counted from 1.
package struct Place: Sendable, Hashable, Comparable {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package static func < (a: Place, b: Place) -> Bool { (a.line, a.column) < (b.line, b.column) }
}

package import Markup
package import Player
import Schedule
package import Sounds

/// A script: commands and expectations, each with the time at which it is due.
public struct Script: Sendable {
  /// One command or expectation.
  package struct Line: Sendable {
    package var time: Time
    package var act: Act
    /// The position of the line, for failures and warnings.
    package var location: SourceLocation
  }

  /// When a line is due.
  package enum Time: Sendable, Hashable {
    /// At a run time, in seconds since the player started, pauses included.
    case at(Double)
    /// After the last sound of the session.
    case end
    /// That many seconds of run time after the previous line was executed.
    case after(Double)
    /// At the first moment after the previous line was executed at which all facts hold.
    case when(Facts)
  }

  /// What a line does.
  package enum Act: Sendable, Hashable {
    case command(Command)
    /// Checks facts; numbers may differ by `within`, in their own unit.
    case expect(Facts, within: Double)
  }

  /// In the order of the file, which need not be the order of their times.
  package var lines: [Line]
  /// What it expects of the sound, which is measured while a session is rendered, and compared at the end.
  package var sound: [ExpectedSound] = []
  /// One error for each sound file that the script names and that can't be opened.
  package var missing: [Diagnostic] = []

  /// The sounds that the commands name.
  package var sources: [SoundSource] {
    lines.flatMap { line -> [SoundSource] in
      if case .command(let command) = line.act { command.cues.map(\.source) } else { [] }
    }
  }
}

/// The state of the player that a line waits for or expects. A nil fact is not checked.
package struct Facts: Sendable, Hashable {
  package var state: String?
  /// Progress of a crossfade, 0 to 1.
  package var progress: Double?
  package var stage: String?
  package var track: String?
  /// Whether no track is expected.
  package var isWithoutTrack = false
  /// Index of the track in its stage, from 0.
  package var index: Int?
  /// Session time in seconds: the time that has been rendered, without pauses.
  package var session: Double?
  /// Position in the track, in seconds.
  package var position: Double?
  /// Master volume as a linear factor.
  package var volume: Double?
  /// The titles of the overlays that play, in any order.
  package var overlays: [String]?
  package var event: Event?
  /// The outcome of the script's most recent command: `done`, `cancelled`, `coalesced` or `rejected`.
  package var outcome: String?

  /// An event by name and, if given, by title and other members. Without a count it must occur at least once.
  package struct Event: Sendable, Hashable {
    /// The value of a member.
    package enum Member: Sendable, Hashable {
      case text(String)
      case number(Double)
      /// `true`, `false` or `null`.
      case word(String)
    }

    package var name: String
    package var title: String?
    /// The members that are compared, by their names.
    package var members: [String: Member] = [:]
    /// How far a number among them may be from the expected one.
    package var within = 0.01
    /// How often it must have occurred.
    package var count: ClosedRange<Int>?
    /// Whether only events after the previous line count.
    package var countsSinceLine = false
  }
}

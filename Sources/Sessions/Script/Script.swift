package import Player

/// A script: what is commanded and what is expected, line by line.
package struct Script: Sendable {
  package struct Line: Sendable {
    package var time: Time
    package var act: Act
    /// `FILE:LINE:COLUMN`.
    package var place: String
  }

  package enum Time: Sendable, Hashable {
    /// Seconds of the run.
    case at(Double)
    /// When the session is over.
    case end
    /// Seconds after the line before it was carried out.
    case after(Double)
    /// At the first moment, after the line before it was carried out, at which this holds.
    case when(Facts)
  }

  package enum Act: Sendable, Hashable {
    case command(Command)
    case expect(Facts, within: Double)
  }

  package var lines: [Line]
  /// The sound files that are not there, each told once.
  package var missing: [Diagnostic] = []
}

/// What is wanted of a moment; nil and empty where it does not matter.
package struct Facts: Sendable, Hashable {
  package var state: String?
  package var progress: Double?
  package var stage: String?
  package var track: String?
  package var index: Int?
  package var session: Double?
  package var position: Double?
  /// Linear.
  package var volume: Double?
  package var event: Event?
  /// What became of the last command of the script.
  package var outcome: String?

  /// An event by its name, of one title or of any, and how often it has come; at least once where there is no count.
  package struct Event: Sendable, Hashable {
    package var name: String
    package var title: String?
    package var count: Int?
  }
}

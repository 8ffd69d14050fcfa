import Markup
import SessionFiles

/// The reason why a session can't be fitted to a time. All times are in seconds.
package enum FitError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The part of a session that prevents the requested length, because it can't be stretched.
  package enum Constraint: Hashable, Sendable {
    /// The crossfade into the stage.
    case crossfade(Double)
    /// The fades of the session's music.
    case fades(Double)
    /// A cue whose time counts from the end.
    case position(beforeEnd: Double)
    /// An overlay with all its repeats.
    case overlay(title: String, Double)
    /// The total length of the stage's overlays and of the part with cues that count from its end.
    case overlayTime(Double)
    /// An overlay that the next one would cut off.
    case overlays(title: String, next: String)
    /// A gong at so many random moments, with their distances.
    case random(title: String, Int)
    /// A gong without a count: its first strike is an interval after the start.
    case interval(title: String, Double)
  }

  /// An open stage, which lasts until a command ends it.
  case open(stage: String)
  /// The time is 0 or above the limit of a session.
  case outOfRange(Double)
  /// Stages that keep their lengths take all of the time; `length` is their sum. `isAll`: no other stage is left.
  case kept(Double, length: Double, stages: [String], isAll: Bool)
  /// Another reason, in a session in which these stages keep their lengths.
  indirect case keeping([String], FitError)
  /// `stage` is nil for cues of the session as a whole.
  case tooShort(Double, shortest: Double, stage: String?, Constraint)
  case tooLong(Double, longest: Double, stage: String?, Constraint)
  /// The stretched session can't be laid out: it would have too many cues.
  case impossible(Double, problem: String)

  /// One sentence that names the stage and the nearest time that fits.
  package var description: String {
    switch self {
    case .open(let stage):
      "a session with the open stage '\(shown(stage))' has no length to fit; give that stage a duration"
    case .outOfRange(let asked):
      "a session can't last \(TimeSpelling.text(asked)); give a time above zero, up to 168h"
    case .kept(let asked, let length, let stages, let isAll):
      "the session can't last \(TimeSpelling.text(asked)): \(Self.kept(stages)), \(TimeSpelling.text(length))"
        + (stages.count == 1 ? "" : " in all")
        + (isAll
          ? "; let one of its stages stretch, or add a stage of silence"
          : "; give more time, or let another stage stretch")
    case .keeping(let stages, let error): "\(error.description) (\(Self.kept(stages)))"
    case .tooShort(let asked, let shortest, let stage, let constraint):
      "\(TimeSpelling.text(asked)) is too short for \(Self.name(stage)): \(constraint); the shortest time that fits is "
        + TimeSpelling.text(shortest)
    case .tooLong(let asked, let longest, let stage, let constraint):
      "\(TimeSpelling.text(asked)) is too long for \(Self.name(stage)): \(constraint); the longest time that fits is "
        + TimeSpelling.text(longest)
    case .impossible(let asked, let problem):
      "the session can't be stretched to \(TimeSpelling.text(asked)): \(problem); give a shorter time"
    }
  }

  /// That stages keep their lengths; of many only the first ones are named.
  private static func kept(_ stages: [String]) -> String {
    let names = stages.prefix(4).map { "'\(shown($0))'" }
    if names.count == 1 { return "the stage \(names[0]) keeps its length" }
    let rest = stages.count - names.count
    let last = rest == 0 ? names.last ?? "" : "\(rest) more"
    let first = rest == 0 ? names.dropLast() : names[...]
    return "the stages \(first.joined(separator: ", ")) and \(last) keep their lengths"
  }

  private static func name(_ stage: String?) -> String { stage.map { "the stage '\(shown($0))'" } ?? "the session" }
}

extension FitError.Constraint: CustomStringConvertible {
  package var description: String {
    switch self {
    case .crossfade(let length): "the crossfade into it takes \(TimeSpelling.text(length))"
    case .fades(let length): "its fades take \(TimeSpelling.text(length))"
    case .position(let seconds): "a cue is set \(TimeSpelling.text(seconds)) before its end"
    case .overlay(let title, let length):
      "the overlay '\(shown(title))' takes \(TimeSpelling.text(length)) and would be cut off"
    case .overlayTime(let length):
      "its overlays and the cues before its end take \(TimeSpelling.text(length)) in total"
    case .overlays(let title, let next):
      "the overlay '\(shown(title))' would be cut off by '\(shown(next))'"
    case .random(let title, let count):
      "\(count) random moments of the gong '\(shown(title))' would not fit"
    case .interval(let title, let interval):
      "the gong '\(shown(title))', every \(TimeSpelling.text(interval)), would never sound"
    }
  }
}

package import Logging

/// One line of the log: how much it matters, which part of the player speaks, and what it says.
package struct LogLine: Sendable, Hashable {
  /// Who speaks; the queue of commands has a log of its own, with the prefix `[OpQueue]`.
  package enum Part: String, Sendable {
    case states = "[StateCoordinator]"
    case crossfades = "[CrossfadeOrch]"
    case audio = "[AudioEngine]"
    case playlist = "[Playlist]"
    case session = "[Session]"
    case snapshot = "[Snapshot]"
  }

  /// What kind of thing is told, for the eye and for grep.
  package enum Mark: String, Sendable {
    case entering = "→ "
    case success = "✅ "
    case warning = "⚠️ "
    case failure = "❌ "
    /// Tried again, or taken back.
    case again = "↻ "
    case none = ""
  }

  package var level: Logger.Level
  package var part: Part
  package var mark: Mark
  package var text: String

  init(_ level: Logger.Level, _ part: Part, _ mark: Mark, _ text: String) {
    (self.level, self.part, self.mark, self.text) = (level, part, mark, text)
  }

  /// As it is logged.
  package var message: String { "\(part.rawValue) \(mark.rawValue)\(text)" }
}

package import Logging

/// One line of the log: its level, the part of the player that it concerns, and its text.
package struct LogLine: Sendable, Hashable {
  /// The prefix of the line. The command queue writes its own lines, with the prefix `[OpQueue]`.
  package enum Part: String, Sendable {
    case states = "[StateCoordinator]"
    case crossfades = "[CrossfadeOrch]"
    case audio = "[AudioEngine]"
    case playlist = "[Playlist]"
    case session = "[Session]"
    case snapshot = "[Snapshot]"
  }

  /// The kind of the line, to recognize it at a glance and with grep.
  package enum Mark: String, Sendable {
    case entering = "→ "
    case success = "✅ "
    case warning = "⚠️ "
    case failure = "❌ "
    /// Skipped, cancelled or restored.
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

  /// The whole line without time and level.
  package var message: String { "\(part.rawValue) \(mark.rawValue)\(text)" }
}

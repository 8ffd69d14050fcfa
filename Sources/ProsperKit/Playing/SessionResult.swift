import Player
import Sounds

/// How a session ended, and what was played.
public struct SessionResult: Sendable, Hashable {
  /// Why the session ended.
  public let reason: FinishReason
  /// What was played.
  public let totals: Totals
  /// One sentence for each sound that was damaged, truncated or skipped, in the order in which they were found.
  public let damage: [String]

  init(_ result: Player.PlaybackResult) {
    reason = FinishReason(result.reason)
    totals = Totals(result.totals)
    damage = result.damage.map(\.description)
  }
}

/// Why a session ended.
public enum FinishReason: String, Sendable, Hashable {
  /// It was played to its end.
  case completed
  /// The command ``Command/stop`` or ``Command/finish(fade:)`` ended it.
  case stopped
  /// Its task was cancelled, or the user interrupted the program.
  case interrupted
  /// The program was asked to terminate.
  case terminated
  /// The output failed.
  case outputFailed

  init(_ reason: Player.FinishReason) {
    self =
      switch reason {
      case .completed: .completed
      case .stopped: .stopped
      case .interrupted: .interrupted
      case .terminated: .terminated
      case .outputFailed: .outputFailed
      }
  }
}

/// Counts of what was played.
public struct Totals: Sendable, Hashable {
  /// Seconds of the session that were played.
  public let played: Double
  /// The number of tracks that started.
  public let tracks: Int
  /// The number of overlays that started.
  public let overlays: Int
  /// The number of gong strikes.
  public let gongs: Int
  /// The number of damaged, truncated or skipped sounds.
  public let damaged: Int
  /// How often the whole output was silent because no sound was rendered in time.
  public let underruns: Int
  /// How often one sound was silent because it was not decoded in time.
  public let starved: Int
  /// How many commands reached the mixer too late.
  public let late: Int

  init(_ totals: Player.Totals) {
    (played, tracks, overlays, gongs) = (totals.played, totals.tracks, totals.overlays, totals.gongs)
    (damaged, underruns) = (totals.damaged, totals.shortfalls.underruns)
    (starved, late) = (totals.shortfalls.starved, totals.shortfalls.late)
  }
}

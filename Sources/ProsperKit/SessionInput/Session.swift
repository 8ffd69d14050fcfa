import GeneratedSounds
import Player
import Schedule
import SessionFiles
import Signal
import Sounds
import Timelines

/// A session that can be played: its file has been read, its sounds have been found, and its timeline is known.
///
/// A ``SessionReader`` creates sessions. A session is a value; any number of players may play it.
public struct Session: Sendable {
  private let plan: SessionPlan
  private let laidOut: Timelines.Timeline
  private let scope: CommandScope
  /// The master volume at the beginning, linear, 0 to 1. A value outside the range is limited to it when the session
  /// is played.
  public var volume: Double

  /// Nil if there is nothing to play.
  init?(_ plan: SessionPlan) {
    guard let timeline = plan.timeline, let scope = plan.scope else { return nil }
    (self.plan, laidOut, self.scope) = (plan, timeline, scope)
    volume = Double(timeline.master.linear)
  }

  /// The title in the file.
  public var title: String { laidOut.title }
  /// The description in the file; nil if there is none.
  public var summary: String? { plan.summary }
  /// The date in the file, as `2026`, `2026-03` or `2026-03-01`; nil if there is none.
  public var date: String? { programme.date }
  /// Frames per second, in hertz, 8,000 to 192,000.
  public var sampleRate: Int { laidOut.rate.hertz }
  /// When each stage, track and cue begins and ends, if the listener gives no commands.
  public var timeline: Timeline { Timeline(laidOut) }
  /// The absolute paths and the addresses of all sounds, without generated ones, in alphabetical order.
  public var soundLocations: [String] {
    let locations = Set(plan.sounds.map(\.source.origin)).compactMap { (origin: SoundSource.Origin) -> String? in
      switch origin {
      case .file(let path): return path
      case .remote(let address): return address
      case .generated: return nil
      }
    }
    return locations.sorted()
  }

  /// The session with its stages stretched or shortened by one factor, so that the last one ends after `seconds`.
  ///
  /// Cues that count from a start move with their stage; those that count from an end keep their distance to it.
  /// Sounds, crossfades and strikes keep their lengths. Opens the sounds again, so it may block.
  ///
  /// - Parameter seconds: above 0, up to 604,800.
  /// - Throws: `invalidConfiguration`, with the stage that does not fit and the nearest length that does.
  public func fitted(to seconds: Double) throws(PlayerError) -> Session {
    var plan = plan
    do throws(FitError) { try plan.fit(to: seconds) } catch { throw .invalidConfiguration(reason: error.description) }
    guard var fitted = Session(plan) else { return self }
    fitted.volume = volume
    return fitted
  }

  var programme: Programme {
    var programme = plan.programme ?? laidOut.programme
    programme.master = Gain(linear: Float(volume > 0 ? min(volume, 1) : 0))
    return programme
  }

  var library: Sounds { plan.library }
  /// The paths of the files that are read to play the session.
  var inputs: [String] { plan.inputs }
}

extension Session {
  /// Reads a command from a JSON object such as `{"do":"gong","sound":"bowl"}`, in the notation of scripts and
  /// `prosper ctl`. Names of stages and sounds are those of this session.
  ///
  /// - Throws: ``InvalidCommand`` with every problem of the text.
  public func command(json: String) throws(InvalidCommand) -> Command {
    let reader = CommandReader(scope: scope, catalogue: GeneratorDescription.builtIn)
    let reading = reader.command(json)
    guard let command = reading.command else {
      throw InvalidCommand(diagnostics: reading.diagnostics)
    }
    return command
  }
}

/// The error for a text that is not a command.
public struct InvalidCommand: Error, Sendable, Hashable, CustomStringConvertible {
  /// Every problem of the text, in order of its position. The path of each is `command`.
  public let diagnostics: [Diagnostic]

  /// All problems, one line each.
  public var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}

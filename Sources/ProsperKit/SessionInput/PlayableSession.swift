import Dispatch
import Logging
public import Markup
public import Player
import SavedState
public import Schedule
public import Scripts
import SessionFiles
import Signal
import Sounds
import Timelines

/// A session that can be played: its file has been read, its sounds have been found, and its timeline is known.
///
/// A ``SessionReader`` creates it, from a file or from a ``Session``. It is a value; any number of players may play it.
public struct PlayableSession: Sendable {
  private let plan: SessionPlan
  private let layout: SessionLayout
  private let reader: CommandReader
  /// The master volume at the beginning, linear, 0 to 1. A value outside the range is limited to it when the session
  /// is played.
  public var volume: Double

  /// Nil if there is nothing to play.
  init?(_ plan: SessionPlan) {
    guard let layout = plan.layout, let reader = plan.commandReader else { return nil }
    (self.plan, self.layout, self.reader) = (plan, layout, reader)
    volume = Double(layout.programme.master.linear)
  }

  /// The content of the file, which a program can change, write, and read again.
  public var content: Session? { plan.session }
  /// The title in the file.
  public var title: String { layout.programme.title }
  /// The description in the file; nil if there is none.
  public var summary: String? { plan.summary }
  /// The parameters of the session with their values, in the order of its files.
  public var parameters: [SessionParameter] { plan.parameters }
  /// The seed that determines the random moments of gongs; nil if none depends on it.
  public var seed: UInt64? { plan.seed }
  /// The date in the file, as `2026`, `2026-03` or `2026-03-01`; nil if there is none.
  public var date: String? { programme.tags.date }
  /// Frames per second, in hertz, 8,000 to 192,000.
  public var sampleRate: Int { layout.rate.hertz }
  /// When each stage, track and cue begins and ends, if the listener gives no commands. The cues are listed on each use.
  public var timeline: Timeline { Timeline(layout.timeline) }
  /// The absolute paths and the addresses of all sounds, without generated and spoken ones, in alphabetical order.
  public var soundLocations: [String] {
    let locations = Set(plan.sounds.map(\.source.origin)).compactMap { (origin: SoundSource.Origin) -> String? in
      switch origin {
      case .file(let path): return path
      case .remote(let address): return address
      case .generated: return nil
      case .spoken: return nil
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
  public func fitted(to seconds: Double) throws(PlayerError) -> PlayableSession {
    var plan = plan
    do throws(FitError) { try plan.fit(to: seconds) } catch { throw .invalidConfiguration(reason: error.description) }
    guard var fitted = PlayableSession(plan) else { return self }
    fitted.volume = volume
    return fitted
  }

  var programme: Programme {
    var programme = plan.programme ?? layout.programme
    programme.master = Gain(linear: Float(volume > 0 ? min(volume, 1) : 0))
    return programme
  }

  /// The session with the random moments that it had when it was interrupted.
  func withSavedMoments(from folder: StateFolder?) -> PlayableSession {
    guard plan.isFromFile, plan.seed != nil, let seed = ResumePoint.seed(of: plan.path, in: folder) else { return self }
    var plan = plan
    plan.setSeed(seed)
    guard var session = PlayableSession(plan) else { return self }
    session.volume = volume
    return session
  }

  /// Says in the first event from which file the session was read.
  func name(_ setup: inout PlaybackSetup) { setup.name(plan) }

  /// Makes a player start where the session was interrupted.
  ///
  /// - Throws: `invalidConfiguration` if the session or one of its sounds has changed since.
  func resume(_ setup: inout PlaybackSetup, _ folder: StateFolder?) throws(PlayerError) {
    guard plan.isFromFile else { return }
    let point: ResumePoint?
    do throws(ResumePoint.Failure) {
      point = try ResumePoint(
        in: setup.programme, SessionIdentity(plan, at: plan.path), fittedTo: plan.fittedLength, isStrict: false,
        folder: folder,
        announcing: { _ in })
    } catch { throw .invalidConfiguration(reason: error.description) }
    if let point { setup.resume(at: point) }
  }

  /// Saves the position of a player; nil if the session was not read from a file, or can't be saved.
  func positionSaver(in folder: StateFolder?, resumes: Bool, _ reload: SessionReload?, _ logger: Logger?)
    -> PositionSaver?
  {
    guard plan.isFromFile else { return nil }
    return PositionSaver(
      of: programme, SessionIdentity(plan, at: plan.path), fittedTo: plan.fittedLength, in: folder, resumes: resumes,
      reload: reload
    ) {
      logger?.warning("\($0)")
    }
  }

  /// Reads the session file again; nil if it can't be read again. A volume that the program has set stays.
  var reload: SessionReload? {
    let isChanged = volume != Double(layout.programme.master.linear)
    return SessionReload(plan, master: isChanged ? programme.master : nil)
  }

  var library: Sounds { plan.library }
  /// The paths of the files that are read to play the session.
  var inputs: [String] { plan.inputs }
}

extension PlayableSession {
  /// Reads a command from a JSON object such as `{"do":"gong","sound":"bowl"}`, in the notation of scripts and
  /// `prosper ctl`. Names of stages and sounds are those of this session.
  ///
  /// - Throws: ``InvalidCommand`` with every problem of the text.
  public func command(json: String) throws(InvalidCommand) -> Command {
    let reading = reader.command(json)
    guard let command = reading.command else {
      throw InvalidCommand(diagnostics: reading.diagnostics)
    }
    return command
  }

  /// Reads a script, whose commands may name the stages and sounds of this session. May take a while, because it
  /// downloads the sounds that the script adds.
  ///
  /// - Parameter path: absolute, or relative to the current folder.
  /// - Throws: ``SessionFileError`` if the file can't be opened, and ``InvalidCommand`` with every problem of its content.
  public func script(path: String) async throws -> Script {
    let plan = plan
    let answer: Result<ScriptReader.Reading?, SessionFileError> = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: Result { () throws(SessionFileError) in try plan.script(at: path) })
      }
    }
    guard let reading = try answer.get() else { throw InvalidCommand(diagnostics: []) }
    guard let script = reading.script, script.missing.isEmpty else {
      throw InvalidCommand(diagnostics: reading.diagnostics + (reading.script?.missing ?? []))
    }
    return script
  }
}

/// The error for a text that is not a command, or not a script.
public struct InvalidCommand: Error, Sendable, Hashable, CustomStringConvertible {
  /// Every problem of the text, in order of its position. The path of each is `command`, or that of the script.
  public let diagnostics: [Diagnostic]

  /// All problems, one line each.
  public var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}

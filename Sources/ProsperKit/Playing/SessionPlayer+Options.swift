import Engine
public import Logging
import Player
import SavedState
import Schedule
public import Scripts
import Signal
import Sounds

extension SessionPlayer {
  /// The options of a player.
  public struct Options: Sendable {
    /// The name of the stage with which to start; nil for the first one.
    public var startStage: String?
    /// The start position in seconds from the beginning of the start stage, 0 to 604,800.
    public var startPosition = 0.0
    /// Seconds of silence before the session, 0 to 60, during which speakers wake up. They are not part of the session:
    /// session time begins after them.
    public var leadIn = 0.0
    /// Whether the player manages a live output: it reconnects after a loss of the sound server, prevents the computer
    /// from sleeping, and pauses for calls, sleep and unplugged headphones. Otherwise none of these pauses the session,
    /// and it ends with an error when the output is lost.
    public var guardsOutput = true
    /// Seconds to wait for a lost sound server.
    public var outputTimeout = 300.0
    /// The number of threads that decode sounds in a render to an output that is not live, and the number of those that
    /// encode a FLAC file, limited to 1 to 64; nil for the number of processors that the process may use. It has no
    /// effect on the samples.
    public var jobs: Int?
    /// Whether the command queue records metrics.
    public var recordsMetrics = true
    /// Whether the stages are chapters of an output file, in the formats that have chapters.
    public var writesChapters = true
    /// Commands and expectations with their times; nil for none.
    public var script: Script?
    /// Whether a live player saves its position once a second, so that a later one can resume the session. The position
    /// is kept if the session is interrupted. A session that was not read from a file is not saved.
    public var savesPosition = false
    /// Whether the session starts where it was interrupted, with the listener's changes. A session that was not
    /// interrupted starts as usual.
    public var resumes = false
    /// The absolute path of the folder for positions; nil for `$XDG_STATE_HOME/prosper`, or `~/.local/state/prosper`, where
    /// `prosper play --resume` finds them, too.
    public var stateFolder: String?
    /// Receives log lines from several threads. It must not block. Nil for no log.
    public var logger: Logger?

    /// The defaults: the whole session, with a guarded output, metrics and no log.
    public init() {}
  }
}

extension SessionPlayer.Options {
  /// - Throws: `noSuchStage`, or `invalidConfiguration` if the start position is outside the session, the output is not
  ///   live and a stage is open, or the output is a file that the session uses.
  func setup(for session: PlayableSession, output: AudioOutput) throws(PlayerError) -> PlaybackSetup {
    let folder = stateFolder.map { StateFolder(path: $0) } ?? StateFolder()
    let session = resumes ? session.withSavedMoments(from: folder) : session
    var setup = PlaybackSetup(programme: session.programme, library: session.library, output: output)
    session.name(&setup)
    setup.reload = session.reload
    setup.manager = AudioSessionManager(mode: guardsOutput ? .managed : .external, giveUpAfter: outputTimeout)
    if let jobs { setup.options.jobs = jobs }
    (setup.measures, setup.writesChapters) = (recordsMetrics, writesChapters)
    guard PlaybackSetup.leadIns.contains(leadIn) else {
      throw .invalidConfiguration(reason: "the lead-in is \(leadIn) s; choose 0 to 60 s")
    }
    setup.options.leadIn = leadIn
    setup.script = script.map { ScriptRunner($0) }
    setup.sound = script?.sound ?? []
    if output.isRealTime, !setup.sound.isEmpty {
      throw PlayerError.invalidConfiguration(
        reason: "the script expects facts about the sound, which only a render can check; render to a file")
    }
    if let logger { setup.log = logger }
    try setStart(of: &setup)
    if resumes { try session.resume(&setup, folder) }
    if savesPosition, output.isRealTime {
      setup.positionSaver = session.positionSaver(in: folder, resumes: resumes, setup.reload, logger)
    }
    // A script may end an open stage.
    if script == nil, let stage = setup.endlessStage {
      throw .invalidConfiguration(
        reason: "stage '\(stage)' is open and would never end; give it a duration, or play it in real time")
    }
    if let path = setup.overwrittenInput(
      among: session.inputs + (script?.sources ?? []).compactMap(\.origin.path))
    {
      throw .invalidConfiguration(reason: "\(path) is a file that the session uses; choose another name")
    }
    return setup
  }

  private func setStart(of setup: inout PlaybackSetup) throws(PlayerError) {
    let programme = setup.programme
    let names = programme.stages.map(\.name)
    if let startStage {
      guard let index = names.firstIndex(of: startStage) else {
        throw .edit(.noSuchStage(name: startStage, known: names))
      }
      setup.stage = index
    }
    let invalid = PlayerError.invalidConfiguration(
      reason: "the session has no position \(startPosition) s; start earlier")
    guard 0...Programme.maximumSeconds ~= startPosition else { throw invalid }
    setup.start = programme.layout[setup.stage].begin + programme.rate.frames(startPosition)
    let end = Schedule(programme, fromStage: setup.stage).end ?? .endless
    guard setup.start < end else { throw invalid }
  }
}

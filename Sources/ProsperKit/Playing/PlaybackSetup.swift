import AudioFiles
import Encoding
package import Engine
import Files
package import Logging
package import Player
package import SavedState
package import Schedule
package import Scripts
package import Signal
package import Sounds

/// What a player plays, the position at which it starts, and its output.
package struct PlaybackSetup: Sendable {
  package var programme: Programme
  package var library: any SoundLibrary
  package var output: AudioOutput
  /// Sets up a live output and reconnects it.
  package var manager = AudioSessionManager()
  /// A stage of the run of stages that is played. A run ends with an open stage; the listener starts the next run.
  package var stage = 0
  /// The frame at which to start, in the frames of that run.
  package var start: FrameTime = 0
  /// The listener's earlier changes to a session that is resumed; nil for none.
  package var journal: Journal?
  /// Saves the listener's position while the session plays; nil if it is not saved.
  package var positionSaver: PositionSaver?
  /// Reads the session file again; nil if it can't be read again.
  package var reload: SessionReload?
  /// How the session is rendered. The default number of jobs is the number of processors that prosper may use.
  package var options = RenderOptions()
  /// The permitted lead-ins in seconds.
  package static let leadIns = 0.0...60.0
  /// Commands with their times; nil for none.
  package var script: (any CommandSource)?
  /// What a script expects of the sound of a render.
  package var sound: [ExpectedSound] = []
  /// Creates what else receives the frames.
  package var observing: ObserverFactory = { nil }
  /// What the first event says of the session. At first it has the version and the output.
  package var origin = SessionOrigin()
  /// Whether the sound of the session is measured while it plays, for ``SessionPlayer/sound``.
  package var metersSound = false
  /// Seconds that a live player waits for a sound to open; nil to adapt to the time that the last sounds took.
  package var loadTimeout: Double?
  /// Whether the command queue records metrics.
  package var measures = true
  package var log = Logger.dropping
  /// Called while an output file is levelled after the render, with the part that is done, 0 to 1; on any thread.
  package var levelling: @Sendable (Double) -> Void = { _ in }
  /// Whether the stages are chapters of an output file.
  package var writesChapters = true
  /// Whether the observer receives the progress of crossfades ten times a second.
  package var reportsProgress = true

  package init(programme: Programme, library: any SoundLibrary, output: AudioOutput) {
    (self.programme, self.library, self.output) = (programme, library, output)
    (origin.version, origin.output) = (Release.version, output.kind)
    options.jobs = Processors.available
  }

  /// Says in the first event from which file the session was read.
  package mutating func name(_ plan: SessionPlan) {
    (origin.path, origin.fingerprint) = (plan.isFromFile ? plan.path : nil, plan.fingerprint)
    origin.seed = plan.seed
  }

  /// Starts where a session was interrupted, with the listener's changes or, without them, at the last volumes.
  package mutating func resume(at point: ResumePoint) {
    let position = point.position
    stage = position.stage
    start = programme.layout[stage].begin + programme.rate.frames(position.seconds)
    journal = position.journal ?? position.volumes.map { Journal(stage: stage, start: start, volumes: $0) }
    if let journal { programme.master = journal.master }
  }

  /// Sets the master volume, also of a session that is resumed.
  package mutating func setMaster(_ gain: Gain) {
    programme.master = gain
    journal?.setMaster(gain)
  }

  /// The tags of an output file. Waits for the disk.
  func tags() throws(SinkError) -> FileTags {
    var tags = FileTags(title: programme.title, description: programme.tags.description, date: programme.tags.date)
    (tags.artist, tags.album, tags.genre) = (programme.tags.artist, programme.tags.album, programme.tags.genre)
    (tags.comment, tags.language) = (programme.tags.comment, programme.tags.language)
    guard let path = output.paths.first, let cover = programme.tags.cover else { return tags }
    do throws(SourceError) { tags.cover = try CoverPicture(ofFile: cover) } catch {
      throw .cannotCreate(path: path, cause: error.description)
    }
    return tags
  }

  /// The chapters of an output file; nil for none.
  var chapters: ChapterList? {
    !output.paths.isEmpty && !output.isRealTime && writesChapters
      ? ChapterList(planned: programme.stages[stage...].map(\.name)) : nil
  }

  /// What measures the sound for the script; nil if it expects nothing of it.
  func soundExpectations() throws(SinkError) -> SoundExpectations? {
    if sound.isEmpty { return nil }
    do throws(LibraryFailure) { return try SoundExpectations(sound, at: programme.rate) } catch {
      throw .cannotCreate(path: "the measurement of the sound", cause: error.description)
    }
  }

  /// What measures the sound of the session; nil if nobody asks for it.
  func meter() throws(SinkError) -> SessionMeter? {
    guard metersSound else { return nil }
    do throws(LibraryFailure) {
      let isLive = output.isRealTime
      return try SessionMeter(
        at: programme.rate, from: start, waits: !isLive, holding: isLive ? SessionMeter.replaceable : 0)
    } catch { throw .cannotCreate(path: "the measurement of the sound", cause: error.description) }
  }

  /// The length of the output in frames, with the lead-in; nil if it is unknown because of an open stage or the
  /// listener's earlier changes.
  var length: FrameCount? {
    let leadIn = programme.rate.frames(options.leadIn)
    if journal?.entries.isEmpty == false { return nil }
    return Schedule(programme, fromStage: stage).end.map { leadIn + $0 - start }
  }

  /// The same in seconds.
  package var seconds: Double? { length.map(programme.rate.seconds) }

  /// The name of the open stage that would make a render endless, because only a command ends it; nil if there is none
  /// or the output is live.
  package var endlessStage: String? {
    if output.isRealTime { return nil }
    let schedule = (journal?.replayed(in: programme) ?? Replayed(programme, stage, at: start)).schedule
    guard let open = schedule.layouts.last, open.end == nil else { return nil }
    return programme.stages[open.stage].name
  }

  /// The path of the output if it is also a sound that is played or one of the files `others`, which the output would
  /// overwrite; nil if it is not.
  package func overwrittenInput(among others: [String]) -> String? {
    let paths = output.paths
    if paths.isEmpty { return nil }
    let files = programme.sources.union(journal?.sources ?? []).compactMap(\.origin.path)
    return paths.first { FileIdentity.isOne($0, of: files + others) }
  }

  /// Whether the computer is kept awake during playback.
  var keepsComputerAwake: Bool { output.isRealTime && manager.isManaged }
}

import Engine
import Glibc
public import Schedule
public import Signal
public import Sounds

/// An event with its position in the session and its time in the run. All times are seconds.
public struct StampedEvent: Sendable {
  /// Time since the player started, pauses included. When rendering to a file, it counts rendered frames.
  public var run: Double
  /// The time of day when it was emitted, in seconds since 1970; nil in a render.
  public var time: Double?
  /// Session time: the part of the session that has been heard.
  public var session: Double
  /// The name of the stage; nil before the first one.
  public var stage: String?
  /// Whether the session is paused. In a pause of the music alone, session time advances.
  public var isPaused: Bool
  /// Whether the listener has paused the music alone.
  public var isMusicPaused: Bool
  /// The position in the session as its file plans it, which skips and repeats do not change; nil after an open stage.
  public var planned: Double?
  /// What happened.
  public var event: PlayerEvent
  /// The number of the event in its stream, from 1; 0 outside of streams. Numbers are missing only if the stream's
  /// buffer was full.
  public var number = 0
  /// The position from which the session can be resumed; nil before the first stage.
  package var position: SessionPosition?

  package init(
    run: Double, time: Double? = nil, session: Double, stage: String? = nil, isPaused: Bool = false,
    isMusicPaused: Bool = false,
    planned: Double? = nil, event: PlayerEvent, position: SessionPosition? = nil
  ) {
    (self.run, self.time) = (run, time)
    self.session = session
    self.stage = stage
    self.isPaused = isPaused
    self.isMusicPaused = isMusicPaused
    self.planned = planned
    self.event = event
    self.position = position
  }
}

/// A position from which a session can be resumed, including the edits that led to it.
package struct SessionPosition: Sendable, Hashable, Codable {
  /// Index of the stage.
  package var stage: Int
  /// Seconds since the beginning of the stage.
  package var seconds: Double
  /// The edits that led to the position; nil if they are unknown. The stage then continues as the session file plans
  /// it.
  package var journal: Journal?
  /// The volumes, which apply even if `journal` is unknown.
  package var volumes: Volumes?
  /// Whether the edits were written by another version of prosper and can't be read.
  package private(set) var isJournalUnreadable = false

  private enum CodingKeys: String, CodingKey {
    case stage, seconds, volumes
    case journal = "past"
  }

  package init(stage: Int, seconds: Double, journal: Journal? = nil, volumes: Volumes? = nil) {
    self.stage = stage
    self.seconds = seconds
    self.journal = journal
    self.volumes = volumes
  }

  /// Decodes a position. A journal that this version can't read is dropped, and `isJournalUnreadable` is set.
  package init(from decoder: any Swift.Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    stage = try values.decode(Int.self, forKey: .stage)
    seconds = try values.decode(Double.self, forKey: .seconds)
    do { journal = try values.decodeIfPresent(Journal.self, forKey: .journal) } catch { isJournalUnreadable = true }
    volumes = try values.decodeIfPresent(Volumes.self, forKey: .volumes)
  }
}

/// What happened in a player. Durations and positions are seconds unless a label says otherwise.
public enum PlayerEvent: Sendable {
  /// The session starts. `duration` is nil if a stage is open.
  case sessionStarted(title: String, rate: SampleRate, duration: Double?, SessionOrigin)
  /// A stage starts. `index` counts from 0; `duration` is nil for an open stage.
  case stageStarted(name: String, index: Int, duration: Double?)
  /// The state has changed, or the progress of a crossfade. `previous` is the name of the state before.
  case state(PlayerState, previous: String)
  /// A track starts. `index` in the playlist and `pass` count from 0; `duration` is nil for a sound without an end.
  case track(title: String, index: Int, pass: Int, duration: Double?)
  /// The position of the music, once a second. `track` and `position` are nil in silence; `duration` also if nothing
  /// ends the track. `isSecond`: whether the position is that of a whole second of the session, as in all streams of
  /// events.
  case position(track: String?, position: Double?, duration: Double?, isSecond: Bool)
  /// A crossfade starts between the tracks of those titles.
  case crossfadeStarted(from: String, to: String, duration: Double)
  /// The progress of a crossfade, 0 to 1, ten times a second.
  case crossfadeProgress(Double)
  /// A crossfade was paused.
  case crossfadePaused(progress: Double, ResumeStrategy)
  /// A paused crossfade continues.
  case crossfadeResumed(progress: Double, ResumeStrategy)
  /// A crossfade is complete.
  case crossfadeCompleted
  /// A crossfade ended before it was complete.
  case crossfadeCancelled
  /// The crossfade from `from` did not begin, because `to` was not open within that time. `from` is nil if no track
  /// plays.
  case crossfadeTimeout(from: String?, to: String, milliseconds: Double)
  /// A sound is being opened. Exactly one of the events `loadCompleted`, `loadFailed` and `loadTimeout` with the same ID
  /// reports the end.
  case loadStarted(title: String, id: LoadID)
  /// A load has lasted for another second.
  case loadProgress(title: String, id: LoadID, milliseconds: Double)
  /// A command waits for a load, which has lasted for a second. The command `cancel` ends both.
  case loadCancellable(title: String, id: LoadID, command: String)
  /// A sound was opened.
  case loadCompleted(title: String, id: LoadID, milliseconds: Double)
  /// A sound can't be opened, or is not needed any more.
  case loadFailed(title: String, id: LoadID, LoadFailure)
  /// Opening a sound has exceeded its timeout.
  case loadTimeout(title: String, id: LoadID, milliseconds: Double)
  /// A track was skipped, because it can't be played.
  case trackSkipped(title: String, reason: SourceError)
  /// An overlay starts.
  case overlayStarted(title: String)
  /// An overlay has ended.
  case overlayEnded(title: String)
  /// An overlay was paused.
  case overlayPaused(title: String)
  /// A paused overlay continues.
  case overlayResumed(title: String)
  /// A gong is struck.
  case gong(title: String)
  /// A sentence begins in a spoken sound; `duration` is its length in seconds.
  case caption(String, title: String, duration: Double)
  /// A volume starts to fade to a gain over that many seconds. The layer is nil for the master volume.
  case volume(Layer?, Gain, over: Double)
  /// A command was accepted, or has an outcome. `id` identifies the operation in the log.
  case command(name: String, id: String, CommandReport)
  // Indirect, because the metrics are much larger than the other events, and each buffered event takes as much memory
  // as the largest case.
  /// The metrics that a command has requested, or those of the whole session before its end.
  indirect case metrics(QueueMetrics)
  /// The live output has changed; of several, the one that leads. `of`: its name; nil if it has none.
  case output(OutputChange, of: String? = nil)
  /// An output that follows the leading one has changed. The session goes on.
  case follower(OutputChange, of: String)
  /// No audio was available for `milliseconds`: for one sound of the layer, or for the whole output if the layer is
  /// nil.
  case underrun(Layer?, title: String, milliseconds: Double)
  /// A command reached the mixer too late. `due`: session time in seconds at which it was due. `title`: the sound that
  /// it starts, if any.
  case late(title: String?, due: Double, milliseconds: Double)
  /// Something that a person should know.
  case warning(String)
  /// Something has failed.
  case error(PlayerError)
  /// The session has ended. This is always the last event.
  case sessionFinished(reason: FinishReason, totals: Totals)
}

extension PlayerEvent {
  /// Title of the session, track or sound of the event; nil if it has none.
  package var title: String? {
    switch self {
    case .sessionStarted(let title, _, _, _), .track(let title, _, _, _), .loadStarted(let title, _),
      .loadProgress(let title, _, _), .loadCancellable(let title, _, _), .loadCompleted(let title, _, _),
      .loadFailed(let title, _, _), .loadTimeout(let title, _, _),
      .trackSkipped(let title, _), .overlayStarted(let title), .overlayEnded(let title), .overlayPaused(let title),
      .overlayResumed(let title), .gong(let title), .underrun(_, let title, _), .caption(_, let title, _):
      title
    case .late(let title, _, _): title
    case .stageStarted, .state, .position, .crossfadeStarted, .crossfadeProgress, .crossfadePaused, .crossfadeResumed,
      .crossfadeCompleted, .crossfadeCancelled, .crossfadeTimeout, .volume, .command, .metrics, .output, .follower,
      .warning,
      .error, .sessionFinished:
      nil
    }
  }

  /// Whether the next track or the overlays may have changed.
  var changesOutlook: Bool {
    switch self {
    case .stageStarted, .track, .overlayStarted, .overlayEnded, .overlayPaused, .overlayResumed, .command(_, _, .ended),
      .sessionFinished:
      true
    default: false
    }
  }
}

/// What a `command` event reports.
public enum CommandReport: Sendable, Hashable {
  /// The command waits for its execution.
  case accepted
  /// The outcome of the command.
  case ended(CommandOutcome)
}

/// A change of a live output.
public enum OutputChange: Sendable, Hashable {
  /// The sound server is lost, or, `ofDevice`, the device of a server that runs. The session waits for it.
  case lost(cause: String, ofDevice: Bool = false)
  /// The output was restored after that many seconds.
  case restored(after: Double)
  /// The sound server has moved the session to another device.
  case moved(to: String)
  /// The device was removed. The session is paused, and resumes on the device `to`.
  case unplugged(to: String)
  /// The sound server silenced the session in favour of another stream.
  case corked
  /// The computer is going to sleep. It is reported as `output.corked`, because the effect on listeners is the same.
  case asleep
}

/// Why a session ended.
public enum FinishReason: String, Sendable, Hashable {
  /// It was played to its end.
  case completed
  /// Its task was cancelled, the user interrupted the program, or another session took its place.
  case interrupted
  /// The program was asked to terminate.
  case terminated
  /// The output failed.
  case outputFailed
  /// ``Command/stop`` or ``Command/finish(fade:)`` ended it.
  case stopped
}

/// Where a session comes from and goes to. What is unknown is nil.
public struct SessionOrigin: Sendable, Hashable {
  /// The version of prosper.
  public var version: String?
  /// The path of the session file as the user gave it.
  public var path: String?
  /// A checksum of the text of that file, which changes with it.
  public var fingerprint: String?
  /// What the output is: as in `--output`, but for a file its format, such as `flac`.
  public var output: String?
  /// The seed that determines the random moments of gongs; nil if none depends on it.
  public var seed: UInt64?

  package init() {}
}

/// Counts of what was played.
public struct Totals: Sendable, Hashable {
  /// Seconds of the session that were played.
  public var played: Double
  /// The number of gong strikes.
  public var gongs = 0
  /// The number of overlays that started.
  public var overlays = 0
  /// The number of tracks that started.
  public var tracks = 0
  /// How often sound or commands were late.
  public var shortfalls = Shortfalls()
  /// The number of damaged, truncated or skipped sounds.
  public var damaged = 0
  /// How often the listener heard silence in place of the session: when no sound was ready, or the output was lost.
  public var gaps = 0
  /// Seconds of that silence.
  public var gapSeconds = 0.0
  /// What was measured of the sound.
  public var sound = MeasuredSound()

  package init(played: Double) { self.played = played }

  /// Counts the gaps that an event reports. A listener does not hear those during a pause.
  mutating func note(_ event: PlayerEvent, isPaused: Bool) {
    if isPaused { return }
    switch event {
    case .underrun(nil, _, let milliseconds):
      gaps += 1
      gapSeconds += milliseconds / 1_000
    case .output(.restored(let seconds), _):
      gaps += 1
      gapSeconds += seconds
    default: break
    }
  }
}

/// What is known of a session's sound at its end.
public struct MeasuredSound: Sendable, Hashable {
  /// The integrated loudness in LUFS, −∞ for silence; nil if it was not measured.
  public var loudness: Double?
  /// The largest reduction by the limiter in decibels, 0 or more.
  public var reduction = 0.0
  /// Seconds during which the limiter lowered the sound.
  public var limitedSeconds = 0.0

  package init() {}

  package init(loudness: Double?, reduction: Double, limitedSeconds: Double) {
    (self.loudness, self.reduction, self.limitedSeconds) = (loudness, reduction, limitedSeconds)
  }

  /// What the render has counted, without the loudness.
  init(of renderSync: RenderSync, _ rate: SampleRate) {
    reduction = max(0, -20 * log10(renderSync.leastGain))
    limitedSeconds = rate.seconds(renderSync.limitedFrames)
  }
}

/// Counts of sound and commands that were not available in time.
public struct Shortfalls: Sendable, Hashable {
  /// How often the whole output was silent, because no sound was rendered in time.
  public var underruns = 0
  /// How often one sound was silent, because it was not decoded in time.
  public var starved = 0
  /// How many commands reached the mixer after the frame for which they were due.
  public var late = 0

  package init(underruns: Int = 0, starved: Int = 0, late: Int = 0) {
    (self.underruns, self.starved, self.late) = (underruns, starved, late)
  }
}

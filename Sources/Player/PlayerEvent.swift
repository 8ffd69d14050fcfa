package import Schedule
package import Signal
package import Sounds

/// An event with its position in the session and its time in the run.
package struct StampedEvent: Sendable {
  /// Seconds since the player started, pauses included.
  package var run: Double
  /// Session time in seconds: the part of the session that has been heard.
  package var session: Double
  /// Name of the stage; nil before the first one.
  package var stage: String?
  /// Whether the session is paused. In a pause of the music alone, session time advances.
  package var isPaused: Bool
  /// Whether the music is paused separately from the session.
  package var isMusicPaused: Bool
  /// The planned position in the session in seconds, which skips and repeats do not change; nil after an open stage.
  package var planned: Double?
  package var event: PlayerEvent
  /// The position from which the session can be resumed; nil before the first stage.
  package var position: SessionPosition?

  package init(
    run: Double, session: Double, stage: String? = nil, isPaused: Bool = false, isMusicPaused: Bool = false,
    planned: Double? = nil, event: PlayerEvent, position: SessionPosition? = nil
  ) {
    self.run = run
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

/// An event of the player. Durations and positions are in seconds unless a label says otherwise.
package enum PlayerEvent: Sendable {
  case sessionStarted(title: String, rate: SampleRate, duration: Double?)
  case stageStarted(name: String, index: Int, duration: Double?)
  /// `previous`: name of the previous state.
  case state(PlayerState, previous: String)
  /// `index`: index of the playlist entry, from 0. `pass`: number of completed passes of the playlist.
  case track(title: String, index: Int, pass: Int, duration: Double?)
  /// `track` and `position` are nil while no track plays; `duration` also if nothing ends the track. `isSecond`: whether
  /// the position is that of a whole second of the session. Only readers of positions receive the others.
  case position(track: String?, position: Double?, duration: Double?, isSecond: Bool)
  case crossfadeStarted(from: String, to: String, duration: Double)
  /// 0…1.
  case crossfadeProgress(Double)
  case crossfadePaused(progress: Double, ResumeStrategy)
  case crossfadeResumed(progress: Double, ResumeStrategy)
  case crossfadeCompleted
  /// The crossfade ended before it was complete.
  case crossfadeCancelled
  /// The crossfade from `from` did not begin, because `to` was not open within that time. `from` is nil if no track
  /// plays.
  case crossfadeTimeout(from: String?, to: String, milliseconds: Double)
  /// A sound is being opened. Exactly one of the events `loadCompleted`, `loadFailed` and `loadTimeout` with the same ID
  /// reports the end.
  case loadStarted(title: String, id: LoadID)
  /// It has lasted for another second.
  case loadProgress(title: String, id: LoadID, milliseconds: Double)
  /// A command waits for the load, which has lasted for a second. The command `cancel` ends both.
  case loadCancellable(title: String, id: LoadID, command: String)
  case loadCompleted(title: String, id: LoadID, milliseconds: Double)
  case loadFailed(title: String, id: LoadID, LoadFailure)
  /// Loading has exceeded its timeout.
  case loadTimeout(title: String, id: LoadID, milliseconds: Double)
  case trackSkipped(title: String, reason: SourceError)
  case overlayStarted(title: String)
  case overlayEnded(title: String)
  case overlayPaused(title: String)
  case overlayResumed(title: String)
  case gong(title: String)
  /// A volume starts to fade to a gain over that many seconds. The layer is nil for the master volume.
  case volume(Layer?, Gain, over: Double)
  /// `id`: identifier of the operation, as in its log lines.
  case command(name: String, id: String, CommandReport)
  /// Indirect, because the metrics are much larger than the other events, and each buffered event takes as much memory
  /// as the largest case.
  indirect case metrics(QueueMetrics)
  case output(OutputChange)
  /// No audio was available for `milliseconds`: for one voice of the layer, or for the whole output if the layer is
  /// nil.
  case underrun(Layer?, title: String, milliseconds: Double)
  /// A command reached the mixer too late. `due`: session time in seconds at which it was due. `title`: the sound that
  /// it starts, if any.
  case late(title: String?, due: Double, milliseconds: Double)
  case warning(String)
  case error(AudioPlayerError)
  case sessionFinished(reason: FinishReason, totals: Totals)
}

extension PlayerEvent {
  /// Title of the session, track or sound of the event; nil if it has none.
  package var title: String? {
    switch self {
    case .sessionStarted(let title, _, _), .track(let title, _, _, _), .loadStarted(let title, _),
      .loadProgress(let title, _, _), .loadCancellable(let title, _, _), .loadCompleted(let title, _, _),
      .loadFailed(let title, _, _), .loadTimeout(let title, _, _),
      .trackSkipped(let title, _), .overlayStarted(let title), .overlayEnded(let title), .overlayPaused(let title),
      .overlayResumed(let title), .gong(let title), .underrun(_, let title, _):
      title
    case .late(let title, _, _): title
    default: nil
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

/// What a `command` event reports: that the command was accepted, or its outcome.
package enum CommandReport: Sendable, Hashable {
  case accepted
  case ended(CommandOutcome)
}

/// A change of the output during a session.
package enum OutputChange: Sendable, Hashable {
  case lost(cause: String)
  /// The output was restored after that many seconds.
  case restored(after: Double)
  case moved(to: String)
  /// The device was removed. The session is paused, and resumes on the device `to`.
  case unplugged(to: String)
  /// The audio server silenced the output in favour of another stream.
  case corked
  /// The computer is going to sleep. It is reported as `output.corked`, because the effect on listeners is the same.
  case asleep
}

/// The reason why a session ended.
package enum FinishReason: String, Sendable, Hashable {
  case completed, interrupted, terminated, outputFailed
  /// A command ended it.
  case stopped
}

/// The totals of a session.
package struct Totals: Sendable, Hashable {
  /// Seconds of the session that were played.
  package var played: Double
  /// Number of gong strikes, overlays and tracks that started.
  package var gongs = 0
  package var overlays = 0
  package var tracks = 0
  package var shortfalls = Shortfalls()
  /// Number of damaged, truncated or skipped sources.
  package var damaged = 0

  package init(played: Double) { self.played = played }
}

/// Counts of audio and commands that were not available in time.
package struct Shortfalls: Sendable, Hashable {
  /// The whole output was silent because no audio was available.
  package var underruns = 0
  /// One voice was silent because its audio was not available.
  package var starved = 0
  /// Commands that reached the mixer after the frame for which they were due.
  package var late = 0

  package init(underruns: Int = 0, starved: Int = 0, late: Int = 0) {
    (self.underruns, self.starved, self.late) = (underruns, starved, late)
  }
}

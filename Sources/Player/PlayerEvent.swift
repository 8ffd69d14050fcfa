public import Schedule
public import Engine
public import Signal

/// Something that happened, where in the session and when in the run.
public struct StampedEvent: Sendable {
  /// Seconds since the player started, pauses included.
  public var run: Double
  /// Seconds of the session that have been heard.
  public var session: Double
  /// Name of the stage that it belongs to.
  public var stage: String?
  /// The listener has paused the music alone.
  public var isMusicPaused: Bool
  /// The position in the session's plan, in seconds; nil behind an open stage.
  public var planned: Double?
  public var event: PlayerEvent
  /// Where the listener is then; nil before the first stage.
  public var place: SessionPlace?

  package init(
    run: Double, session: Double, stage: String? = nil, isMusicPaused: Bool = false, planned: Double? = nil,
    event: PlayerEvent, place: SessionPlace? = nil
  ) {
    self.run = run
    self.session = session
    self.stage = stage
    self.isMusicPaused = isMusicPaused
    self.planned = planned
    self.event = event
    self.place = place
  }
}

/// A place to which a session can come back, whatever ways its listener has taken.
public struct SessionPlace: Sendable, Hashable, Codable {
  /// Index of the stage.
  public var stage: Int
  /// From its beginning.
  public var seconds: Double
  /// How the listener has come there; nil where that isn't known, and the stage is as it was planned.
  public var past: Journal?
  /// What holds also where the past isn't known.
  public var volumes: Volumes?
  /// There is a past, which another version of prosper wrote, and which can't be read.
  public private(set) var isPastUnreadable = false

  private enum CodingKeys: String, CodingKey { case stage, seconds, past, volumes }

  public init(stage: Int, seconds: Double, past: Journal? = nil, volumes: Volumes? = nil) {
    self.stage = stage
    self.seconds = seconds
    self.past = past
    self.volumes = volumes
  }

  public init(from decoder: any Swift.Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    stage = try values.decode(Int.self, forKey: .stage)
    seconds = try values.decode(Double.self, forKey: .seconds)
    do { past = try values.decodeIfPresent(Journal.self, forKey: .past) } catch { isPastUnreadable = true }
    volumes = try values.decodeIfPresent(Volumes.self, forKey: .volumes)
  }
}

/// What the player reports. Frames are session frames.
public enum PlayerEvent: Sendable {
  case sessionStarted(title: String, rate: SampleRate, duration: Double?)
  case stageStarted(name: String, index: Int, duration: Double?)
  /// `previous`: the name of the state before.
  case state(PlayerState, previous: String)
  case track(title: String, index: Int, pass: Int, duration: Double?)
  case position(track: String?, position: Double?, duration: Double?)
  case crossfadeStarted(from: String, to: String, duration: Double)
  case crossfadeProgress(Double)
  case crossfadePaused(progress: Double, ResumeStrategy)
  case crossfadeResumed(progress: Double, ResumeStrategy)
  case crossfadeCompleted
  /// The next one began before it was complete.
  case crossfadeCancelled
  case loadStarted(title: String)
  case loadCompleted(title: String, milliseconds: Double)
  case loadFailed(title: String, SourceError)
  /// It takes longer than it should; the session goes on without it, or waits for it.
  case loadTimeout(title: String, milliseconds: Double)
  case trackSkipped(title: String, reason: SourceError)
  case overlayStarted(title: String)
  case overlayEnded(title: String)
  case overlayPaused(title: String)
  case overlayResumed(title: String)
  case gong(title: String)
  /// Of one layer, or of all of them: where it goes, in how many seconds.
  case volume(Layer?, Gain, over: Double)
  /// `id`: of the operation, as its log lines have it.
  case command(name: String, id: String, CommandReport)
  /// Behind a reference, for it is many times as large as the others, and each reader's buffer has room for the largest.
  indirect case metrics(QueueMetrics)
  case output(OutputChange)
  /// So long there was nothing to play: of a voice, or nil for the output, which is more than any of them.
  case underrun(Layer?, title: String, milliseconds: Double)
  /// What was to happen at `due` seconds of the session came later; `title`: what was to begin.
  case late(title: String?, due: Double, milliseconds: Double)
  case warning(String)
  case error(PlayerProblem)
  case sessionFinished(reason: FinishReason, totals: Totals)
}

extension PlayerEvent {
  /// Of what it is about; nil where that has none.
  public var title: String? {
    switch self {
    case .sessionStarted(let title, _, _), .track(let title, _, _, _), .loadStarted(let title),
      .loadCompleted(let title, _),
      .loadFailed(let title, _), .loadTimeout(let title, _), .trackSkipped(let title, _), .overlayStarted(let title),
      .overlayEnded(let title), .overlayPaused(let title), .overlayResumed(let title), .gong(let title),
      .underrun(_, let title, _):
      title
    case .late(let title, _, _): title
    default: nil
    }
  }
}

/// What is told of a command: that it has been taken, and what became of it.
public enum CommandReport: Sendable, Hashable {
  case accepted
  case ended(CommandOutcome)
}

/// What happened to the output while the session went on, or waited.
public enum OutputChange: Sendable, Hashable {
  case lost(cause: String)
  /// It is back, after that many seconds.
  case restored(after: Double)
  case moved(to: String)
  /// What it came out of is gone: the session is paused, and would go on there.
  case unplugged(to: String)
  /// Something more important sounds: the output was silenced from outside.
  case corked
  /// The computer goes to sleep: to those who listen it is the same.
  case asleep
}

/// Why a session ended.
public enum FinishReason: String, Sendable, Hashable {
  case completed, interrupted, terminated, outputFailed
  /// The listener has ended it.
  case stopped
}

/// What a whole run amounted to.
public struct Totals: Sendable, Hashable {
  public var played: Double
  public var gongs = 0
  public var overlays = 0
  public var tracks = 0
  public var shortfalls = Shortfalls()
  public var damaged = 0

  public init(played: Double) { self.played = played }
}

/// How often something was not there in time.
public struct Shortfalls: Sendable, Hashable {
  /// The output had nothing to play: everything was silent.
  public var underruns = 0
  /// A voice had nothing: it alone was silent.
  public var starved = 0
  /// Commands that came behind the frame that they were for.
  public var late = 0

  public init(underruns: Int = 0, starved: Int = 0, late: Int = 0) {
    (self.underruns, self.starved, self.late) = (underruns, starved, late)
  }
}

/// A failure that the listener is told of, with a code that scripts can match.
public struct PlayerProblem: Sendable, Hashable {
  public var code: String
  public var message: String
  public var recoverable: Bool

  public init(code: String, message: String, recoverable: Bool) {
    self.code = code
    self.message = message
    self.recoverable = recoverable
  }

  public init(_ error: AudioPlayerError) {
    self.init(code: error.code, message: error.description, recoverable: error.recoverable)
  }

  public init(_ error: SourceError) { self.init(.fileLoadFailed(error)) }
  public init(_ error: SinkError) { self.init(.outputFailed(error)) }
}

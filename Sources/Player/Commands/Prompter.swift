/// Commands that come by themselves, at times of the run or on conditions: a script.
///
/// A value that the player asks on its control thread; it never waits and never looks at a clock.
public protocol Prompter: Sendable {
  /// When it is to be asked next.
  var wake: PrompterWake { get }
  /// What is due now, in order; called whenever `wake` says so, with what is known then.
  mutating func prompt(at moment: PlayerMoment) -> [Command]
  /// Each event, in the order in which they are told.
  mutating func note(_ event: StampedEvent)
  /// The commands that the last prompt gave have their outcomes, one each.
  mutating func settle(_ outcomes: [CommandOutcome], at moment: PlayerMoment)
  /// The session is over: what is to be checked at the end is checked.
  mutating func end(at moment: PlayerMoment)
  /// Expectations that failed, each one line: place, expected, found.
  var failures: [String] { get }
  /// Commands that never came, each one line: place and why.
  var warnings: [String] { get }
}

/// When a prompter is to be asked.
public enum PrompterWake: Sendable, Hashable {
  /// At a run time in seconds; at once where that is past.
  case at(run: Double)
  /// Every 10 ms of the player's clock, and at a run time before that where there is one.
  case watching(until: Double?)
  case never

  /// The run time at which it is to be asked at the latest.
  var run: Double? {
    switch self {
    case .at(let run): run
    case .watching(let until): until
    case .never: nil
    }
  }
}

/// What is known of the player at one moment; times in seconds.
public struct PlayerMoment: Sendable, Hashable {
  /// Since the player started, pauses included.
  public var run: Double
  /// Of the session that has been heard.
  public var session: Double
  /// Its name.
  public var state: String
  /// Of the crossfade that is under way or paused, 0…1.
  public var progress: Double?
  public var stage: String?
  /// Title of the track that sounds, and its index in the stage's playlist, from 0.
  public var track: String?
  public var trackIndex: Int?
  /// Within the track.
  public var position: Double?
  /// The master volume, 0…1.
  public var volume: Double

  public init(
    run: Double, session: Double, state: String, progress: Double? = nil, stage: String? = nil, track: String? = nil,
    trackIndex: Int? = nil, position: Double? = nil, volume: Double = 1
  ) {
    self.run = run
    self.session = session
    self.state = state
    self.progress = progress
    self.stage = stage
    self.track = track
    self.trackIndex = trackIndex
    self.position = position
    self.volume = volume
  }
}

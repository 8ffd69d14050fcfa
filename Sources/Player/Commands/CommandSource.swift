/// A source of commands that are due at run times or on conditions, such as a script.
///
/// The player calls it on the control thread. It must not wait and must not read a clock.
package protocol CommandSource: Sendable {
  /// When the player calls `dueCommands` next.
  var wake: CommandSourceWake { get }
  /// Whether no command is left that could end an open stage or a pause.
  var isExhausted: Bool { get }
  /// Returns the commands that are due at `moment`, in order. `batch` is the number of the call. Live, it may be called
  /// while commands of earlier batches still run; in a render, it is not.
  mutating func dueCommands(at moment: PlayerMoment, batch: Int) -> [Command]
  /// Receives every event of the player, in order.
  mutating func note(_ event: StampedEvent)
  /// Receives the outcomes of the commands that `dueCommands` returned for `batch`, in the same order.
  mutating func settle(_ outcomes: [CommandOutcome], of batch: Int, at moment: PlayerMoment)
  /// Called once, when the session is over, to check the expectations that remain.
  mutating func end(at moment: PlayerMoment)
  /// The expectations that failed.
  var failures: [ScriptFailure] { get }
  /// Commands that were never due or that were rejected, one line each: position in the script, and why.
  var warnings: [String] { get }
}

/// An expectation of a script that failed.
public struct ScriptFailure: Sendable, Hashable, CustomStringConvertible {
  /// The path of the script, the line and the column of the expectation, as `script.jsonl:3:1`.
  public var place: String
  /// What was expected, and what was found.
  public var message: String

  package init(at place: String, _ message: String) { (self.place, self.message) = (place, message) }

  /// One line: the place and the message.
  public var description: String { "\(place): \(message)" }
}

extension CommandSource {
  package var isExhausted: Bool { wake == .never }
}

/// When the player asks a command source for commands.
package enum CommandSourceWake: Sendable, Hashable {
  /// At a time; immediately if it has passed.
  case at(CommandSourceTime)
  /// Every 10 ms of the player's clock, and also at the time `until`, if there is one.
  case watching(until: CommandSourceTime?)
  case never

  /// The latest time at which the source is asked; nil if there is none.
  package var time: CommandSourceTime? {
    switch self {
    case .at(let time): time
    case .watching(let until): until
    case .never: nil
    }
  }
}

/// A time at which the player asks a command source for commands.
package struct CommandSourceTime: Sendable, Hashable {
  /// Run time in seconds.
  package var run: Double
  /// Whether the source has no command for this time, and only checks what has happened: what the session plans for
  /// this very time has then begun.
  package var isCheck: Bool

  package init(run: Double, isCheck: Bool = false) { (self.run, self.isCheck) = (run, isCheck) }
}

/// The player's state and position at one moment. All times are seconds.
public struct PlayerMoment: Sendable, Hashable {
  /// Time since the player started, pauses included. When rendering to a file, it counts rendered frames.
  public var run: Double
  /// Session time: the part of the session that has been heard.
  public var session: Double
  /// The name of the state.
  public var state: String
  /// The progress of a running or paused crossfade, 0 to 1; nil without one.
  public var progress: Double?
  /// The name of the stage; nil before the first one.
  public var stage: String?
  /// The title of the track; nil in silence.
  public var track: String?
  /// The index of the track in the stage's playlist, from 0; nil in silence.
  public var trackIndex: Int?
  /// The position in the track; nil in silence.
  public var position: Double?
  /// The master volume, linear, 0 to 1.
  public var volume: Double
  /// The titles of the overlays that play.
  public var overlays: [String]

  package init(
    run: Double, session: Double, state: String, progress: Double? = nil, stage: String? = nil, track: String? = nil,
    trackIndex: Int? = nil, position: Double? = nil, volume: Double = 1, overlays: [String] = []
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
    self.overlays = overlays
  }
}

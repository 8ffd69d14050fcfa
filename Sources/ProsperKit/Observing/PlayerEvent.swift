import Player
import Signal
import Sounds

/// One event of a player, with its times. All times are seconds.
public struct PlayerEvent: Sendable {
  private let base: Player.StampedEvent
  /// The number of the event in its stream, from 1. Numbers are missing only if the stream's buffer was full.
  public let number: Int

  init(_ event: Player.StampedEvent, number: Int) { (base, self.number) = (event, number) }

  /// Time since the player started, pauses included. When rendering to a file, it counts rendered frames.
  public var runTime: Double { base.run }
  /// The part of the session that has been heard.
  public var sessionTime: Double { base.session }
  /// The name of the stage; nil before the first one.
  public var stage: String? { base.stage }
  /// Whether the listener has paused the music alone.
  public var isMusicPaused: Bool { base.isMusicPaused }
  /// What happened.
  public var kind: Kind { Kind(base.event) }
  /// The event as a JSON object on one line, exactly as `prosper play` prints it.
  public var json: String { base.json(sequence: number) }
}

extension PlayerEvent {
  /// What happened. Durations and positions are seconds unless a label says otherwise.
  public enum Kind: Sendable {
    /// The session starts. `sampleRate` is in hertz; `duration` is nil if a stage is open.
    case sessionStarted(title: String, sampleRate: Int, duration: Double?)
    /// A stage starts. `index` counts from 0; `duration` is nil for an open stage.
    case stageStarted(name: String, index: Int, duration: Double?)
    /// The state has changed, or the progress of a crossfade.
    case state(PlayerState, previous: PlayerState.Kind)
    /// A track starts. `index` in the playlist and `pass` count from 0; `duration` is nil for a sound without an end.
    case track(title: String, index: Int, pass: Int, duration: Double?)
    /// The position of the music, once a second. All values are nil in silence.
    case position(track: String?, position: Double?, duration: Double?)
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
    /// A sound is being opened. Exactly one of `loadCompleted`, `loadFailed` and `loadTimeout` with the same `id` reports
    /// the end.
    case loadStarted(title: String, id: String)
    /// A load has lasted for another second.
    case loadProgress(title: String, id: String, milliseconds: Double)
    /// A command waits for a load, which has lasted for a second. The command `cancel` ends both.
    case loadCancellable(title: String, id: String, command: String)
    /// A sound was opened.
    case loadCompleted(title: String, id: String, milliseconds: Double)
    /// A sound can't be opened, or is not needed any more.
    case loadFailed(title: String, id: String, PlayerError)
    /// Opening a sound has exceeded its timeout.
    case loadTimeout(title: String, id: String, milliseconds: Double)
    /// A track was skipped, because it can't be played.
    case trackSkipped(title: String, PlayerError)
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
    /// A volume starts to fade to a linear gain, 0 to 1.
    case volume(Layer, to: Double, over: Double)
    /// A command was accepted, or has an outcome. `id` identifies the operation in the log.
    case command(name: String, id: String, CommandReport)
    /// The metrics that a command has requested.
    case metrics(QueueMetrics)
    /// A live output has changed.
    case output(OutputChange)
    /// No audio was available in time: for one sound of the layer, or for the whole output if it is ``Layer/master``.
    case underrun(Layer, title: String, milliseconds: Double)
    /// A command reached the mixer too late. `due` is the session time at which it was due.
    case late(title: String?, due: Double, milliseconds: Double)
    /// Something that a person should know.
    case warning(String)
    /// Something has failed.
    case error(PlayerError)
    /// The session has ended. This is always the last event.
    case sessionFinished(FinishReason, Totals)
  }

  /// A part of the sound that has a volume of its own.
  public enum Layer: String, Sendable, Hashable {
    /// The sum of all layers.
    case master
    /// The tracks of the stages.
    case music
    /// The overlays.
    case overlay
    /// The gongs.
    case effect
  }

  /// What a command event reports.
  public enum CommandReport: Sendable, Hashable {
    /// The command waits for its execution.
    case accepted
    /// The outcome of the command.
    case ended(CommandOutcome)
  }

  /// A change of a live output.
  public enum OutputChange: Sendable, Hashable {
    /// The sound server or the device is lost, and the session waits for it.
    case lost(cause: String)
    /// The output was restored `after` that many seconds.
    case restored(after: Double)
    /// The sound server has moved the session to another device.
    case moved(to: String)
    /// The device was removed. The session is paused, and resumes on the device `to`.
    case unplugged(to: String)
    /// The sound server silenced the session in favour of another stream.
    case corked
    /// The computer is going to sleep.
    case asleep
  }
}

package import Schedule
package import Signal

/// A command to the player. Scripts, the control socket, `ctl` and keys all use it.
///
/// All times are seconds.
package enum Command: Sendable, Hashable {
  /// `play` and `resume` are the same: both resume a paused session. `toggle` pauses or resumes it.
  case play, pause, resume, toggle
  /// The next or previous track of the stage; after the last one the next stage, before the first one the previous.
  case next, previous
  /// A track of the stage's playlist, counted from 0.
  case jump(track: Int)
  case seek(Seek)
  case nextStage, previousStage
  /// A position in a stage, in seconds from its start.
  case goto(stage: String, at: Double)
  /// Ends the session at once, with the shortest ramp that doesn't click.
  case stop
  /// Ends the session with a fade of so many seconds.
  case finish(fade: Double)
  /// The master volume, 0…1, reached after `over` seconds.
  case volume(Gain, over: Double)
  /// A change of a layer's volume, or of the master volume if there is none, reached after `over` seconds.
  case volumeStep(VolumeStep, of: Layer?, over: Double)
  /// The length and curve of future transitions; nil keeps the current value.
  case crossfade(duration: Double?, curve: FadeCurve?)
  case repetition(RepeatMode, count: Int?)
  case playlist(PlaylistEdit)
  case overlay(OverlayCommand)
  case gong(Cue)
  case effects(EffectsCommand)
  case music(MusicCommand)
  case cache(CacheCommand)
  /// Emits the queue's metrics as an event, and resets them afterwards if `reset`. The metrics don't count this
  /// command. If `quietly`, no `command` events are emitted: the program asks for the metrics, not the listener.
  case metrics(reset: Bool, quietly: Bool = false)
}

/// A change to the current stage's playlist. Indices count from 0.
package enum PlaylistEdit: Sendable, Hashable {
  case replace([Cue])
  case append([Cue])
  case insert([Cue], at: Int)
  case remove(at: Int)
  case move(from: Int, to: Int)
}

/// A command that concerns overlays. `stop`, `pause` and `resume` apply to all of them.
package enum OverlayCommand: Sendable, Hashable {
  case play(OverlayRequest)
  case stop, pause, resume
  /// The volume of all overlays, 0…1, reached after `over` seconds.
  case volume(Gain, over: Double)
  /// How often the current overlay plays again, and the seconds of silence in between. Applies from its next repeat.
  case repetition(OverlayRequest.Times, delay: Double)
}

/// A command that concerns gongs.
package enum EffectsCommand: Sendable, Hashable {
  /// The volume of all gongs, 0…1, reached after `over` seconds.
  case volume(Gain, over: Double)
  case stop
  /// Decodes gongs into memory, so that they strike without delay.
  case preload([Cue])
  /// Removes them from memory.
  case unload([Cue])
}

/// A command that concerns sounds which were opened or decoded in advance.
package enum CacheCommand: Sendable, Hashable {
  case clear
}

/// A command that concerns the music alone. Overlays, gongs and the session's clock continue.
package enum MusicCommand: Sendable, Hashable {
  case pause, resume
}

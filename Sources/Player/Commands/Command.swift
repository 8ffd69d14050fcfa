package import Schedule
package import Signal

/// A command to the player. Scripts, the control socket, `prosper ctl` and keys all produce it.
///
/// All times are seconds.
package enum Command: Sendable, Hashable {
  /// `play` and `resume` are the same: both resume a paused session. `toggle` pauses or resumes it.
  case play, pause, resume, toggle
  /// Goes to the next or previous track of the stage. After the last one follows the next stage, before the first one
  /// comes the previous stage.
  case next, previous
  /// Goes to a track of the stage's playlist, counted from 0.
  case jump(track: Int)
  case seek(Seek)
  case nextStage, previousStage
  /// Goes to a position in a stage, in seconds from its start.
  case goto(stage: String, at: Double)
  /// Ends the load that a command waits for, and that command.
  case cancel
  /// Ends the session at once, with the shortest ramp that doesn't click.
  case stop
  /// Ends the session with a fade-out of that many seconds.
  case finish(fade: Double)
  /// Fades the master volume to a gain, 0…1, over that many seconds.
  case volume(Gain, over: Double)
  /// Changes a layer's volume relative to its current value, or the master volume if there is no layer, over that many
  /// seconds.
  case volumeStep(VolumeStep, of: Layer?, over: Double)
  /// Sets the length and curve of future crossfades; nil keeps the current value.
  case crossfade(duration: Double?, curve: FadeCurve?)
  case repetition(RepeatMode, count: Int?)
  case playlist(PlaylistEdit)
  case overlay(OverlayCommand)
  case gong(Cue)
  case effects(EffectsCommand)
  case music(MusicCommand)
  case cache(CacheCommand)
  /// Emits the queue's metrics as an event, and resets them afterwards if `reset`. The metrics don't count this
  /// command. If `quietly`, no `command` events are emitted, because a program requested the metrics, not the listener.
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

/// A command for overlays. `stop`, `pause` and `resume` apply to all of them.
package enum OverlayCommand: Sendable, Hashable {
  case play(OverlayRequest)
  case stop, pause, resume
  /// Fades the volume of these and all later overlays to a gain, 0 to +12 dB, over that many seconds.
  case volume(Gain, over: Double)
  /// Sets how often the current overlay repeats, from its next repeat on, and the seconds of silence between repeats.
  case repetition(OverlayRequest.Times, delay: Double)
}

/// A command for gongs.
package enum EffectsCommand: Sendable, Hashable {
  /// Fades the volume of all gongs to a gain, 0…1, over that many seconds.
  case volume(Gain, over: Double)
  case stop
  /// Decodes gongs into memory, so that they strike without delay.
  case preload([Cue])
  /// Removes decoded gongs from memory.
  case unload([Cue])
}

/// A command for sounds that were opened or decoded in advance.
package enum CacheCommand: Sendable, Hashable {
  case clear
}

/// A command for the music alone. Overlays, gongs and the session clock continue.
package enum MusicCommand: Sendable, Hashable {
  case pause, resume
  /// Fades the volume of this and all later music to a gain, 0 to +12 dB, over that many seconds.
  case volume(Gain, over: Double)
}

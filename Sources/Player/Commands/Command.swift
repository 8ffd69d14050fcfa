public import Schedule
public import Signal

/// What a listener can ask for: one vocabulary for the session itself, scripts, the control socket and keys.
///
/// Times are seconds, as everywhere at the player's edges.
public enum Command: Sendable, Hashable {
  case play, pause, resume, toggle
  /// The next or previous track of the stage; behind the last one the next stage.
  case next, previous
  /// Of the stage's playlist, counted from 0.
  case jump(track: Int)
  case seek(Seek)
  case nextStage, previousStage
  case goto(stage: String, at: Double)
  /// Ends at once, under the shortest ramp that doesn't click.
  case stop
  case finish(fade: Double)
  /// The master volume, 0…1.
  case volume(Gain, over: Double)
  /// Of the transitions to come; nil leaves what is set.
  case crossfade(duration: Double?, curve: FadeCurve?)
  case repetition(RepeatMode, count: Int?)
  case playlist(PlaylistEdit)
  case overlay(OverlayCommand)
  case gong(Cue)
  case effects(EffectsCommand)
  case music(MusicCommand)
  case cache(CacheCommand)
  /// Has the queue's metrics told as an event; counted anew from there on if `reset`. The metrics never count it.
  /// `quietly`: its outcome is not told, for no listener has asked.
  case metrics(reset: Bool, quietly: Bool = false)
}

/// A change of the stage's playlist. Indices count from 0.
public enum PlaylistEdit: Sendable, Hashable {
  case replace([Cue])
  case append([Cue])
  case insert([Cue], at: Int)
  case remove(at: Int)
  case move(from: Int, to: Int)
}

public enum OverlayCommand: Sendable, Hashable {
  case play(OverlayRequest)
  case stop, pause, resume
  /// Of all overlays, 0…1.
  case volume(Gain, over: Double)
  /// How often the overlay that sounds is still to play, and the silence between; from its next repeat on.
  case repetition(OverlayRequest.Times, delay: Double)
}

public enum EffectsCommand: Sendable, Hashable {
  /// Of all gongs, 0…1.
  case volume(Gain, over: Double)
  case stop
  case preload([Cue])
  case unload([Cue])
}

/// The sounds that are open or in memory before they are asked for.
public enum CacheCommand: Sendable, Hashable {
  case clear
}

/// The music alone; overlays, gongs and the session's clock go on.
public enum MusicCommand: Sendable, Hashable {
  case pause, resume
}

public import Schedule
public import Signal

/// A command to a player. Scripts, the control socket, `prosper ctl` and keys all produce it.
///
/// All times are seconds. ``SessionPlayer`` limits a value outside the stated range to it.
public enum Command: Sendable, Hashable {
  /// The same as `resume`.
  case play
  /// Pauses the session: music and overlays stop, and the session time does not advance.
  case pause
  /// Resumes a paused session at the exact frame.
  case resume
  /// Pauses the session, or resumes it.
  case toggle
  /// Goes to the next track of the stage, or from the last one to the next stage.
  case next
  /// Goes to the previous track of the stage, or from the first one to the previous stage.
  case previous
  /// Goes to a track of the stage's playlist, counted from 0.
  case jump(track: Int)
  /// Goes to another position in the current track.
  case seek(Seek)
  /// Goes to the next stage.
  case nextStage
  /// Goes to the previous stage.
  case previousStage
  /// Goes to a position in a stage, in seconds from its start. A name that the session does not have is rejected as
  /// `noSuchStage`.
  case goto(stage: String, at: Double = 0)
  /// Ends the load that a command waits for, and that command.
  case cancel
  /// Ends the session at once, with a ramp of 20 ms.
  case stop
  /// Ends the session with a fade-out of 0 to 60 seconds.
  case finish(fade: Double = 3)
  /// Fades the master volume to a gain, 0 to 1, over 0 to 3,600 seconds.
  case volume(Gain, over: Double = 0)
  /// Changes a layer's volume relative to its current value, or the master volume if there is no layer, over 0 to 3,600
  /// seconds. It stays within the layer's range.
  case volumeStep(VolumeStep, of: Layer? = nil, over: Double = 0)
  /// Changes all later crossfades: `duration` is 0 to 60 seconds; nil keeps the current value.
  case crossfade(duration: Double? = nil, curve: FadeCurve? = nil)
  /// Changes how the stage's playlist repeats. `count`: how many passes follow the first one, 0 or more; nil for no
  /// limit.
  case repetition(RepeatMode, count: Int? = nil)
  /// Moves the end of the current stage by up to 604,800 seconds, earlier if negative, but not before now. It is rejected
  /// in a stage that has no end.
  case extend(by: Double)
  /// Reads the session file again, and replaces what is still to come. The current stage goes on at its position.
  case reload
  /// Changes the stage's playlist.
  case playlist(PlaylistEdit)
  /// Starts or changes overlays.
  case overlay(OverlayCommand)
  /// Strikes a gong.
  case gong(Cue)
  /// Changes the gongs.
  case effects(EffectsCommand)
  /// Changes the music alone. Overlays, gongs and the session time continue.
  case music(MusicCommand)
  /// Changes what is kept open or decoded.
  case cache(CacheCommand)
  /// Emits the queue's metrics as an event, and resets them afterwards if `reset`. The metrics don't count this
  /// command. If `quietly`, no `command` events are emitted, because a program requested the metrics, not the listener.
  case metrics(reset: Bool, quietly: Bool = false)
}

/// A change to the current stage's playlist. Indices count from 0.
public enum PlaylistEdit: Sendable, Hashable {
  /// Replaces all tracks. The current one fades out, and the first of the new ones plays.
  case replace([Cue])
  /// Adds tracks after the last one.
  case append([Cue])
  /// Inserts tracks before the one with that index.
  case insert([Cue], at: Int)
  /// Removes a track.
  case remove(at: Int)
  /// Moves a track. `to` is the index that it has afterwards.
  case move(from: Int, to: Int)
}

/// A command for overlays. `stop`, `pause` and `resume` apply to all of them.
public enum OverlayCommand: Sendable, Hashable {
  /// Starts an overlay.
  case play(OverlayRequest)
  /// Fades out all overlays.
  case stop
  /// Pauses all overlays.
  case pause
  /// Resumes the paused overlays.
  case resume
  /// Fades the volume of these and all later overlays to a gain, 0 to +12 dB, over 0 to 3,600 seconds. It is rejected
  /// while no overlay plays.
  case volume(Gain, over: Double = 0)
  /// Sets how often the current overlay repeats, from its next repeat on, and the seconds of silence between repeats.
  case repetition(OverlayRequest.Times, delay: Double)
}

/// A command for gongs.
public enum EffectsCommand: Sendable, Hashable {
  /// Fades the volume of all gongs to a gain, 0 to 1, over 0 to 3,600 seconds.
  case volume(Gain, over: Double = 0)
  /// Fades out all ringing gongs.
  case stop
  /// Decodes gongs into memory, so that they strike without delay.
  case preload([Cue])
  /// Removes decoded gongs from memory.
  case unload([Cue])
}

/// A command for sounds that were opened or decoded in advance.
public enum CacheCommand: Sendable, Hashable {
  /// Releases all sounds that were opened or decoded in advance.
  case clear
}

/// A command for the music alone. Overlays, gongs and the session clock continue.
public enum MusicCommand: Sendable, Hashable {
  /// Pauses the music, until it or the session is resumed.
  case pause
  /// Resumes the music where it was paused.
  case resume
  /// Fades the volume of this and all later music to a gain, 0 to +12 dB, over 0 to 3,600 seconds.
  case volume(Gain, over: Double = 0)
}

extension Command {
  /// The name in scripts, events and on the command line, the value of the key `"do"`.
  public var name: String {
    switch self {
    case .play: "play"
    case .pause: "pause"
    case .resume: "resume"
    case .toggle: "toggle"
    case .next: "next"
    case .previous: "previous"
    case .jump: "jump"
    case .seek: "seek"
    case .nextStage: "nextStage"
    case .previousStage: "previousStage"
    case .goto: "goto"
    case .cancel: "cancel"
    case .stop: "stop"
    case .finish: "finish"
    case .volume, .volumeStep(_, of: nil, over: _): "volume"
    case .volumeStep(_, of: .overlay, over: _): "overlay"
    case .volumeStep(_, of: .music, over: _): "music"
    case .volumeStep: "effects"
    case .crossfade: "crossfade"
    case .repetition: "repeat"
    case .extend: "extend"
    case .reload: "reload"
    case .playlist: "playlist"
    case .overlay: "overlay"
    case .gong: "gong"
    case .effects: "effects"
    case .music: "music"
    case .cache: "cache"
    case .metrics: "metrics"
    }
  }

  /// Whether it only reads or resets the metrics. The metrics don't count it.
  package var isAboutMetrics: Bool { if case .metrics = self { true } else { false } }
}

extension Command {
  /// The verb phrase of a rejection, as in "can't pause while fadingOut".
  var attempt: String {
    switch self {
    case .play, .resume: "resume"
    case .pause, .toggle: "pause"
    case .next: "skip"
    case .previous: "skip back"
    case .jump: "jump"
    case .seek: "seek"
    case .nextStage: "go to the next stage"
    case .previousStage: "go back a stage"
    case .goto: "go to another stage"
    case .cancel: "cancel a load"
    case .stop: "stop"
    case .finish: "fade out again"
    case .volume, .volumeStep, .music(.volume): "change the volume"
    case .crossfade: "change the crossfades"
    case .repetition: "change the repeats"
    case .extend: "move the end of the stage"
    case .reload: "read the session again"
    case .playlist: "change the playlist"
    case .overlay(.play): "start an overlay"
    case .overlay: "change the overlays"
    case .gong: "strike a gong"
    case .effects: "change the effects"
    case .music(.pause): "pause the music"
    case .music(.resume): "resume the music"
    case .cache: "clear the cache"
    case .metrics: "report the metrics"
    }
  }
}

extension CommandOutcome {
  /// A rejection because of the player's state, worded for `command`. Other outcomes are returned unchanged.
  func refusing(_ command: Command) -> CommandOutcome {
    guard case .rejected(let error) = self, case .ending(let state) = error.kind else { return self }
    return .rejected(.invalidState(current: state, attempted: command.attempt))
  }
}

extension Command {
  /// The sounds that the command names.
  package var cues: [Cue] {
    switch self {
    case .gong(let cue): [cue]
    case .overlay(.play(let overlay)): [overlay.cue]
    case .playlist(.replace(let cues)), .playlist(.append(let cues)), .playlist(.insert(let cues, at: _)): cues
    case .effects(.preload(let cues)), .effects(.unload(let cues)): cues
    case .overlay, .playlist, .effects, .play, .pause, .resume, .toggle, .next, .previous, .jump, .seek, .nextStage,
      .previousStage, .goto, .cancel, .stop, .finish, .extend, .reload, .volume, .volumeStep, .crossfade, .repetition,
      .music, .cache,
      .metrics:
      []
    }
  }
}

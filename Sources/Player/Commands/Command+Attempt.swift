import Schedule

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

extension Command {
  /// What a refusal says can't be done, as in "can't pause while fadingOut".
  var attempt: String {
    switch self {
    case .play, .resume: "go on"
    case .pause, .toggle: "pause"
    case .next: "skip"
    case .previous: "skip back"
    case .jump: "jump"
    case .seek: "seek"
    case .nextStage: "go to the next stage"
    case .previousStage: "go back a stage"
    case .goto: "go to another stage"
    case .stop: "stop"
    case .finish: "finish later"
    case .volume: "change the volume"
    case .crossfade: "change the crossfades"
    case .repetition: "change the repeats"
    case .playlist: "change the playlist"
    case .overlay(.play): "begin an overlay"
    case .overlay: "change the overlays"
    case .gong: "strike a gong"
    case .effects: "change the effects"
    case .music(.pause): "pause the music"
    case .music(.resume): "go on with the music"
    case .cache: "clear the cache"
    case .metrics: "tell the metrics"
    }
  }
}

extension CommandOutcome {
  /// A refusal by what goes on just then, in the words of the command that it refuses.
  func refusing(_ command: Command) -> CommandOutcome {
    guard case .rejected(.invalidState(let current, _)) = self else { return self }
    return .rejected(.invalidState(current: current, attempted: command.attempt))
  }
}

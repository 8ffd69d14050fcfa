package import Schedule

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

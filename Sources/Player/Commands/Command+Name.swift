import Schedule

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

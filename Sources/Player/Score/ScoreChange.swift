import Engine
import Signal

/// What a listener can change of a score, as a value: it can be written down, and made again.
enum ScoreChange: Sendable, Hashable, Codable {
  case go(Score.Target)
  case stage(by: Int)
  case jump(Int)
  case seek(Seek)
  case goto(stage: String, at: Double)
  case crossfade(seconds: Double?, FadeCurve?)
  case repetition(RepeatMode, count: Int?)
  case playlist(PlaylistChange)
  case gong(Cue, length: FrameCount)
  case overlay(OverlayRequest, length: FrameCount)
  case overlayRepetition(OverlayRequest.Times, delay: Double)
  case stopOverlays, pauseOverlays, resumeOverlays
  case stopEffects
  case pauseMusic, resumeMusic

  /// What it brings in.
  var sources: [SoundSource] {
    switch self {
    case .gong(let cue, _): [cue.source]
    case .overlay(let request, _): [request.cue.source]
    case .playlist(.replace(let tracks)), .playlist(.insert(let tracks, _)), .playlist(.append(let tracks)):
      tracks.map(\.source)
    default: []
    }
  }

  func make(on score: inout Score, at frame: FrameTime) throws(AudioPlayerError) {
    switch self {
    case .go(let target): try score.go(to: target, at: frame)
    case .stage(let steps): try score.go(toStageBy: steps, at: frame)
    case .jump(let index): try score.jump(to: index, at: frame)
    case .seek(let seek): try score.seek(seek, at: frame)
    case .goto(let stage, let position): try score.go(toStage: stage, at: position, frame: frame)
    case .crossfade(let seconds, let curve):
      score.setCrossfade(length: seconds.map { score.rate.frames($0) }, curve: curve)
    case .repetition(let mode, let count): score.setRepetition(mode, count: count)
    case .playlist(let change): try score.change(change, at: frame)
    case .gong(let cue, let length): score.addGong(cue, length: length, at: frame)
    case .overlay(let request, let length): score.addOverlay(request, length: length, at: frame)
    case .overlayRepetition(let times, let delay): try score.setOverlayRepetition(times, delay: delay, at: frame)
    case .stopOverlays: score.stopOverlays(at: frame)
    case .pauseOverlays: score.pauseOverlays(at: frame)
    case .resumeOverlays: score.resumeOverlays(at: frame)
    case .stopEffects: score.stopEffects(at: frame)
    case .pauseMusic: score.pauseMusic(at: frame)
    case .resumeMusic: score.resumeMusic(at: frame)
    }
  }
}

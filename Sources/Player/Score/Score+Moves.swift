import Signal

/// The listener's navigation, as edits of the score.
extension Score {
  /// Goes where a target says.
  mutating func go(to target: Target, at frame: FrameTime) throws(AudioPlayerError) {
    switch target {
    case .track(let index, let pass):
      enter(track: index, pass: pass, position: 0, at: frame, over: isSilent ? nil : plan.crossfade)
    case .stage(let next): enter(stage: next, position: 0, at: frame, isCrossfaded: !isSilent)
    case .end: throw .noNextTrack
    }
  }

  mutating func jump(to index: Int, at frame: FrameTime) throws(AudioPlayerError) {
    // One that was left out because it can't be played is passed over, as everywhere.
    let place = plan.tracks.indices.first { index <= plan.tracks[$0].number ?? $0 }
    guard 0 <= index, let place else { throw .invalidPlaylistIndex(index: index, count: plan.tracks.count) }
    try go(to: .track(place, pass: 0), at: frame)
  }

  /// Moves within the track that sounds; behind its end to the next one.
  mutating func seek(_ seek: Seek, at frame: FrameTime) throws(AudioPlayerError) {
    guard let (turn, now) = position(at: frame) else { throw .noActiveTrack }
    let wanted =
      switch seek {
      case .to(let seconds): rate.frames(seconds)
      // No track is longer than that, and no sum beyond counting.
      case .by(let seconds): now + rate.frames(max(-1e9, min(1e9, seconds)))
      }
    if plan.tracks[turn.entry.index].length <= wanted {
      guard let next = target(steps: 1) else { throw .noNextTrack }
      return try go(to: next, at: frame)
    }
    enter(track: turn.entry.index, pass: turn.entry.pass, position: max(0, wanted), at: frame, over: nil)
  }

  mutating func go(toStageBy steps: Int, at frame: FrameTime) throws(AudioPlayerError) {
    let next = stage + steps
    guard programme.stages.indices.contains(next) else {
      throw steps < 0 ? .noPreviousTrack : .noNextTrack
    }
    enter(stage: next, position: 0, at: frame, isCrossfaded: !isSilent)
  }

  mutating func go(toStage name: String, at position: Double, frame: FrameTime) throws(AudioPlayerError) {
    guard let next = programme.stages.firstIndex(where: { $0.name == name }) else {
      throw .noSuchStage(name: name, known: programme.stages.map(\.name))
    }
    let frames = rate.frames(position)
    let length = programme.stages[next].end.map { $0 - programme.stages[next].begin } ?? .endless
    guard 0 <= frames, frames < length else {
      throw .invalidConfiguration(reason: "stage '\(name)' has no position \(position) s")
    }
    enter(stage: next, position: frames, at: frame, isCrossfaded: !isSilent)
  }
}

import Signal

/// A change of the stage's playlist whose tracks have been probed.
enum PlaylistChange: Sendable, Hashable, Codable {
  case replace([Track])
  case insert([Track], at: Int)
  case append([Track])
  case remove(at: Int)
  case move(from: Int, to: Int)
}

extension Score {
  /// Changes the playlist of the stage under way; the track that sounds goes on, unless it is the one that goes.
  mutating func change(_ change: PlaylistChange, at frame: FrameTime) throws(AudioPlayerError) {
    let current = (line.current ?? line.next)?.entry.index
    switch change {
    case .replace(let tracks):
      if tracks.isEmpty { throw .invalidConfiguration(reason: "a playlist can't be replaced by an empty one") }
      programme.stages[stage].music.tracks = tracks
      enter(track: 0, pass: 0, position: 0, at: frame, over: isSilent ? nil : plan.crossfade)
    case .append(let tracks): setTracks(plan.tracks + tracks, current: current)
    case .insert(let tracks, let index): try insert(tracks, at: index, current: current)
    case .remove(let index): try remove(at: index, current: current, frame)
    case .move(let from, let to): try move(from: from, to: to, current: current)
    }
  }

  private mutating func insert(_ added: [Track], at index: Int, current: Int?) throws(AudioPlayerError) {
    try check(index, count: plan.tracks.count + 1)
    var tracks = plan.tracks
    tracks.insert(contentsOf: added, at: index)
    setTracks(tracks, current: current.map { index <= $0 ? $0 + added.count : $0 })
  }

  private mutating func remove(at index: Int, current: Int?, _ frame: FrameTime) throws(AudioPlayerError) {
    try check(index, count: plan.tracks.count)
    var tracks = plan.tracks
    tracks.remove(at: index)
    guard index == current else { return setTracks(tracks, current: current.map { index < $0 ? $0 - 1 : $0 }) }
    programme.stages[stage].music.tracks = tracks
    if tracks.isEmpty {
      lines = [MusicLine(stage: stage, opening: nil)]
      return leaveMusic(at: frame, over: plan.crossfade)
    }
    let next = min(index, tracks.count - 1)
    enter(track: next, pass: 0, position: 0, at: frame, over: isSilent ? nil : plan.crossfade)
  }

  private mutating func move(from: Int, to: Int, current: Int?) throws(AudioPlayerError) {
    try check(from, count: plan.tracks.count)
    try check(to, count: plan.tracks.count)
    var order = Array(plan.tracks.indices)
    order.insert(order.remove(at: from), at: to)
    let tracks = plan.tracks
    setTracks(order.map { tracks[$0] }, current: current.flatMap { order.firstIndex(of: $0) })
  }

  private func check(_ index: Int, count: Int) throws(AudioPlayerError) {
    guard 0..<count ~= index else { throw .invalidPlaylistIndex(index: index, count: count) }
  }
}

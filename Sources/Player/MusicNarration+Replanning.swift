import Signal

/// What changes under the story while it is told.
extension MusicNarration {
  /// The placements that sound have other fades, lengths or places than they had; in a pause, these are all that will
  /// sound when it is over. A crossfade whose incoming track has been sent back is cancelled.
  mutating func replan(placements: [Placement]) -> [PlayerEvent] {
    let rest = placements.filter { new in !sounding.contains { new.standsFor($0.placement) } }
    for index in sounding.indices { update(&sounding[index], from: placements) }
    // Of what is gone from the score in the frame of its beginning nothing has sounded, and no end will be reported.
    sounding.removeAll { old in !placements.contains { $0.standsFor(old.placement) } }
    let told = replanCrossfade(isLeft: pause != nil && !rest.isEmpty)
    return told + (pause.map { replanPaused(at: $0.at, rest) } ?? [])
  }

  private func update(_ old: inout Sounding, from placements: [Placement]) {
    let track = old.placement
    let new = placements.first { $0.isSamePlaying(as: track) } ?? placements.first { $0.isSameTrack(as: track) }
    if let new { old.placement = new }
  }

  private mutating func replanCrossfade(isLeft: Bool) -> [PlayerEvent] {
    guard let old = crossfade else { return [] }
    guard !isLeft, let to = current(old.to), let fade = to.placement.fadeIn, fade.from <= fade.to else {
      return undo(old)
    }
    crossfade = Crossfade(from: current(old.from) ?? old.from, to: to, fade: fade)
    nextProgress = min(nextProgress, fade.end)
    return []
  }

  private func current(_ old: Sounding) -> Sounding? { sounding.first { $0.track.id == old.track.id } }

  private mutating func undo(_ old: Crossfade) -> [PlayerEvent] {
    endCrossfade()
    // It goes on sounding while it fades out again, but what counts is the one that comes back.
    if let index = sounding.firstIndex(where: { $0.track.id == old.to.track.id }) {
      sounding.insert(sounding.remove(at: index), at: 0)
    }
    return [.crossfadeCancelled] + (pause == nil ? become(.playing(track: old.from.track)) : [])
  }

  /// In a pause the listener has gone elsewhere: to another track, or within the one that is paused.
  private mutating func replanPaused(at frame: FrameTime, _ rest: [Placement]) -> [PlayerEvent] {
    if let new = rest.last {
      let track = announceAgain(new)
      return become(.paused(track: track, position: position(in: new, at: max(frame, new.begin))))
    }
    guard state.kind == .paused, let current = sounding.last else { return [] }
    let shown = max(frame, current.placement.begin)
    return become(.paused(track: current.track, position: position(in: current.placement, at: shown)))
  }
}

extension MusicNarration {
  /// What is announced already keeps its name, wherever it begins now.
  private mutating func announceAgain(_ placement: Placement) -> TrackInfo {
    guard let known = announced, placement.standsFor(known.placement) else { return announce(placement).track }
    announced = Sounding(placement: placement, track: known.track)
    return known.track
  }
}

extension Placement {
  /// Whether it is that one, or stands for it: the same track elsewhere, or under another number of its playlist.
  fileprivate func standsFor(_ other: Placement) -> Bool { isSamePlaying(as: other) || isSameTrack(as: other) }
}

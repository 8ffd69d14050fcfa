import Schedule
import Signal

/// What changes under the story while it is told.
extension MusicNarration {
  /// The clips that sound have other fades, lengths or places than they had; in a pause, these are all that will
  /// sound when it is over. A crossfade whose incoming track has been sent back is cancelled.
  mutating func replan(clips: [Clip]) -> [PlayerEvent] {
    let rest = clips.filter { new in !sounding.contains { new.standsFor($0.clip) } }
    for index in sounding.indices { update(&sounding[index], from: clips) }
    // Of what is gone from the score in the frame of its beginning nothing has sounded, and no end will be reported.
    sounding.removeAll { old in !clips.contains { $0.standsFor(old.clip) } }
    let told = replanCrossfade(isLeft: pause != nil && !rest.isEmpty)
    return told + (pause.map { replanPaused(at: $0.at, rest) } ?? [])
  }

  private func update(_ old: inout Sounding, from clips: [Clip]) {
    let track = old.clip
    let new = clips.first { $0.isSamePlaying(as: track) } ?? clips.first { $0.isSameTrack(as: track) }
    guard let new else { return }
    old.clip = new
    old.track.duration = duration(of: new)
  }

  private mutating func replanCrossfade(isLeft: Bool) -> [PlayerEvent] {
    guard let old = crossfade else { return [] }
    guard !isLeft, let to = current(old.to), let fade = to.clip.fadeIn, fade.from <= fade.to else {
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
  private mutating func replanPaused(at frame: FrameTime, _ rest: [Clip]) -> [PlayerEvent] {
    if let new = rest.last {
      let track = announceAgain(new)
      return become(.paused(track: track, position: position(in: new, at: max(frame, new.begin))))
    }
    guard state.kind == .paused, let current = sounding.last else { return [] }
    let shown = max(frame, current.clip.begin)
    return become(.paused(track: current.track, position: position(in: current.clip, at: shown)))
  }
}

extension MusicNarration {
  /// What is announced already keeps its name, wherever it begins now.
  private mutating func announceAgain(_ clip: Clip) -> TrackInfo {
    guard let known = announced, clip.standsFor(known.clip) else { return announce(clip).track }
    announced = Sounding(clip: clip, track: known.track)
    return known.track
  }
}

extension Clip {
  /// Whether it is that one, or stands for it: the same track elsewhere, or under another number of its playlist.
  fileprivate func standsFor(_ other: Clip) -> Bool { isSamePlaying(as: other) || isSameTrack(as: other) }
}

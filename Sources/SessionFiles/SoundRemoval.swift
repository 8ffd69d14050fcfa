import Schedule
package import Sounds

extension Session {
  /// The session without some sources, so that it can be played although these sources can't.
  ///
  /// A stage without a duration is removed if no track is left, because its length is that of its tracks.
  package func without(_ sources: Set<SoundSource>) -> Session {
    var rest = self
    rest.fadeOutLocation = nil
    rest.overlays = rest.overlays.compactMap { $0.without(sources) }
    rest.gongs.removeAll { sources.contains($0.sound.source) }
    for index in rest.stages.indices {
      let tracks = rest.stages[index].tracks
      let kept = tracks.indices.filter { !sources.contains(tracks[$0].source) }
      if kept.count < tracks.count { rest.stages[index].trackNumbers = kept }
      rest.stages[index].tracks = kept.map { tracks[$0] }
      rest.stages[index].overlays = rest.stages[index].overlays.compactMap { $0.without(sources) }
      rest.stages[index].gongs.removeAll { sources.contains($0.sound.source) }
    }
    rest.stages.removeAll { $0.duration == .natural && $0.tracks.isEmpty }
    return rest
  }
}

extension Session.Overlay {
  /// The overlay without some sources; nil if none is left. Those of a list that are left follow each other.
  fileprivate func without(_ sources: Set<SoundSource>) -> Session.Overlay? {
    let kept = sounds.filter { !sources.contains($0.source) }
    guard let first = kept.first else { return nil }
    var rest = self
    (rest.sound, rest.following) = (first, Array(kept.dropFirst()))
    // Each sound of a list plays as often as before.
    if case .times(let count) = repetition.times, !following.isEmpty {
      let heard = (0..<sounds.count).filter { !sources.contains(sounds[$0].source) }
      rest.repetition.times = .times(
        max(1, count / sounds.count * kept.count + heard.count { $0 < count % sounds.count }))
    }
    return rest
  }
}

package import Sounds

extension Session {
  /// The session without some sources, so that it can be played although these sources can't.
  ///
  /// A stage without a duration is removed if no track is left, because its length is that of its tracks.
  package func without(_ sources: Set<SoundSource>) -> Session {
    var rest = self
    rest.fadeOutLocation = nil
    rest.overlays.removeAll { sources.contains($0.sound.source) }
    rest.gongs.removeAll { sources.contains($0.sound.source) }
    for index in rest.stages.indices {
      let tracks = rest.stages[index].tracks
      let kept = tracks.indices.filter { !sources.contains(tracks[$0].source) }
      if kept.count < tracks.count { rest.stages[index].trackNumbers = kept }
      rest.stages[index].tracks = kept.map { tracks[$0] }
      rest.stages[index].overlays.removeAll { sources.contains($0.sound.source) }
      rest.stages[index].gongs.removeAll { sources.contains($0.sound.source) }
    }
    rest.stages.removeAll { $0.duration == .natural && $0.tracks.isEmpty }
    return rest
  }
}

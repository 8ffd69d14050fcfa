package import Engine

extension Session {
  /// The session as if some sources were not in it.
  package func without(_ sources: Set<SoundSource>) -> Session {
    var rest = self
    rest.overlays.removeAll { sources.contains($0.sound.source) }
    rest.gongs.removeAll { sources.contains($0.sound.source) }
    for index in rest.stages.indices {
      rest.stages[index].tracks.removeAll { sources.contains($0.source) }
      rest.stages[index].overlays.removeAll { sources.contains($0.sound.source) }
      rest.stages[index].gongs.removeAll { sources.contains($0.sound.source) }
    }
    return rest
  }
}

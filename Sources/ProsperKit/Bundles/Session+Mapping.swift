import Schedule
import SessionFiles

extension Session {
  /// The session with each use of a sound changed, and each sound that has a name.
  ///
  /// - Parameter change: gets the sound and the layer in which it plays; no layer for one that has a name.
  func mappingSounds(_ change: (inout Sound, Layer?) -> Void) -> Session {
    var session = self
    for index in session.stages.indices {
      for track in session.stages[index].tracks.indices { change(&session.stages[index].tracks[track], .music) }
      for cue in session.stages[index].overlays.indices { session.stages[index].overlays[cue].changeSounds(change) }
      for cue in session.stages[index].gongs.indices { change(&session.stages[index].gongs[cue].sound, .effect) }
    }
    for cue in session.overlays.indices { session.overlays[cue].changeSounds(change) }
    for cue in session.gongs.indices { change(&session.gongs[cue].sound, .effect) }
    for name in session.named.keys.sorted() {
      guard var sound = session.named[name] else { continue }
      change(&sound, nil)
      session.named[name] = sound
    }
    return session
  }
}

extension Session.Overlay {
  fileprivate mutating func changeSounds(_ change: (inout Session.Sound, Layer?) -> Void) {
    change(&sound, .overlay)
    for index in following.indices { change(&following[index], .overlay) }
  }
}

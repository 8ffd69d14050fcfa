package import Signal

/// A session-wide cue that an edit has dropped, because the session ends sooner.
package struct DroppedCue: Sendable, Hashable {
  package var title: String
  /// The first frame at which it would have begun.
  package var at: FrameTime
  /// How many times it would have begun.
  package var count: Int
}

extension Schedule {
  /// The session-wide cues that would have begun at or after `frame` and that an edit has dropped, one for each title.
  /// Empty if a command ends the session, or if the end of the session is unknown.
  package func cues(droppedBy edited: Schedule, at frame: FrameTime) -> [DroppedCue] {
    guard edited.lastCue == .endless, edited.spans[0].end != nil else { return [] }
    let kept = edited.sessionCues(from: frame)
    var dropped: [String: DroppedCue] = [:]
    for (key, cue) in sessionCues(from: frame) {
      let rest = cue.frames.dropFirst(kept[key]?.frames.count ?? 0)
      guard let at = rest.first else { continue }
      let known = dropped[cue.title] ?? DroppedCue(title: cue.title, at: at, count: 0)
      dropped[cue.title] = DroppedCue(title: cue.title, at: min(at, known.at), count: known.count + rest.count)
    }
    return dropped.values.sorted { ($0.at, $0.title) < ($1.at, $1.title) }
  }

  /// The session-wide cues with a known count, each with the frames at or after `frame` at which it begins.
  private func sessionCues(from frame: FrameTime) -> [CueKey: (title: String, frames: [FrameTime])] {
    if programme.overlays.isEmpty && programme.gongs.isEmpty { return [:] }
    var cues: [CueKey: (title: String, frames: [FrameTime])] = [:]
    for occurrence in occurrences where occurrence.key.visit == 0 && frame <= occurrence.at {
      cues[occurrence.key] = (occurrence.overlay.sound.title, [occurrence.at])
    }
    for series in series where series.key.visit == 0 {
      let begins = (0..<(series.count ?? 0)).compactMap { series.clip(time: $0, strike: 0)?.at }
      cues[series.key] = (series.gong.sound.title, begins.filter { frame <= $0 })
    }
    return cues
  }
}

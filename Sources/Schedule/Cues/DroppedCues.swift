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
  /// The beginnings of one session-wide cue at or after a frame.
  private struct Upcoming {
    var title: String
    var first: Double
    var interval = 0.0
    var count = 1
  }

  /// The session-wide cues that would have begun at or after `frame` and that an edit has dropped, one for each title.
  /// Empty if a command ends the session, or if the end of the session is unknown.
  package func cues(droppedBy edited: Schedule, at frame: FrameTime) -> [DroppedCue] {
    guard edited.lastCue == .endless, edited.spans[0].end != nil else { return [] }
    let kept = edited.sessionCues(from: frame, includesSounding: true)
    var dropped: [String: DroppedCue] = [:]
    for (key, cue) in sessionCues(from: frame) {
      let rest = kept[key]?.count ?? 0
      guard rest < cue.count else { continue }
      let at = FrameTime(nearest: cue.first + Double(rest) * cue.interval)
      let known = dropped[cue.title] ?? DroppedCue(title: cue.title, at: at, count: 0)
      dropped[cue.title] = DroppedCue(
        title: cue.title, at: min(at, known.at), count: known.count + cue.count - rest)
    }
    return dropped.values.sorted { ($0.at, $0.title) < ($1.at, $1.title) }
  }

  /// The session-wide cues with a known count that begin at or after `frame`.
  ///
  /// - Parameter includesSounding: whether also those that began earlier and still sound.
  private func sessionCues(from frame: FrameTime, includesSounding: Bool = false) -> [CueKey: Upcoming] {
    if programme.overlays.isEmpty && programme.gongs.isEmpty { return [:] }
    var cues: [CueKey: Upcoming] = [:]
    for occurrence in occurrences where occurrence.key.visit == 0 {
      guard frame <= occurrence.at || includesSounding && occurrence.playing(at: frame) != nil else { continue }
      cues[occurrence.key] = Upcoming(title: occurrence.overlay.sound.title, first: Double(occurrence.at))
    }
    for series in series where series.key.visit == 0 && series.count != nil {
      guard let last = series.last else { continue }
      let passed = series.firstTime(beginningAt: frame)
      let first = series.begin(of: passed)
      let isSounding = series.interval == 0 && series.lastStrike.map { frame < $0.end } ?? false
      guard passed <= last, frame <= FrameTime(nearest: first) || includesSounding && isSounding else { continue }
      cues[series.key] = Upcoming(
        title: series.gong.sound.title, first: first, interval: series.interval, count: last - passed + 1)
    }
    return cues
  }
}

extension GongSeries {
  /// Index of the first repeat that begins at `frame` or later, whether or not the stage lasts so long.
  fileprivate func firstTime(beginningAt frame: FrameTime) -> Int {
    guard 0 < interval else { return 0 }
    let passed = Int(max(0, min(1e12, (Double(frame) - start) / interval)).rounded(.up))
    guard 0 < jitterShare else { return passed }
    let first = max(0, passed - 1)
    return (first...first + 2).first { Double(frame) <= begin(of: $0) } ?? first + 3
  }
}

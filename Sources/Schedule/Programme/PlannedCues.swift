package import Signal

/// All overlays and gongs of a programme as single clips, assuming that the listener gives no commands.
package struct PlannedCues: Sendable {
  /// The cues of each stage, ordered by frame. Within one frame overlays come before gongs.
  package private(set) var stages: [[Clip]]
  /// The session-wide cues, in the same order.
  package private(set) var session: [Clip] = []
  /// The overlays that another overlay replaces before they have ended, in order of their frames.
  package let replacements: [OverlayReplacement]

  fileprivate init(_ cues: [Clip], _ replacements: [OverlayReplacement], stageCount: Int) {
    stages = Array(repeating: [], count: stageCount)
    for (stage, cues) in Dictionary(grouping: cues.indices, by: { cues[$0].stage }) {
      if let stage { stages[stage].reserveCapacity(cues.count) } else { session.reserveCapacity(cues.count) }
    }
    self.replacements = replacements.sorted { $0.frame < $1.frame }
    // Cues at one frame keep the order of the session file.
    for index in cues.indices.sorted(by: { (cues[$0].at, $0) < (cues[$1].at, $1) }) {
      if let stage = cues[index].stage { stages[stage].append(cues[index]) } else { session.append(cues[index]) }
    }
  }
}

/// An overlay that is cut off, or never heard, because another one begins.
package struct OverlayReplacement: Sendable {
  /// The numbers of the cues in the session.
  package let replaced: Int
  package let replacing: Int
  /// The session frame at which the replaced overlay began.
  package let begin: FrameTime
  /// The session frame at which the other one begins.
  package let frame: FrameTime
}

extension Programme {
  /// Cues that repeat until the stage ends are listed for this many seconds of an open stage: one day.
  package static let plannedOpenStage = 86_400.0

  /// All cues as a list, which is made anew on each use. `visitCues` tells whether there are too many for one.
  package var plannedCues: PlannedCues {
    // A clip is large, so the list is made when its length is known.
    var count = 0
    visitCues(limit: .max) { _, _ in count += 1 }
    var cues: [Clip] = []
    cues.reserveCapacity(count)
    let replacements = visitCues(limit: .max) { cues.append($1) }
    return PlannedCues(cues, replacements ?? [], stageCount: stages.count)
  }

  /// Visits all cues, in runs of stages that end with an open stage or with the session. The frames of a run count from 0.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of cues.
  ///   - visit: receives the number of the run, from 0, and a cue.
  /// - Returns: the overlays that another one replaces; nil if there are more than `limit` cues.
  @discardableResult
  package func visitCues(limit: Int, _ visit: (_ run: Int, Clip) -> Void) -> [OverlayReplacement]? {
    var programme = self
    _ = programme.assignIDs()
    var (count, run) = (0, 0)
    var replacements: [OverlayReplacement] = []
    var rest = layout[...]
    while let last = rest.firstIndex(where: { $0.end == nil }) ?? rest.indices.last {
      let spans = programme.spans(of: Array(rest[...last]))
      let overlays = OverlayPlayer().occurrences(of: programme, in: spans)
      programme.visitCues(of: overlays, spans) { clip in
        count += 1
        if count <= limit { visit(run, clip) }
        return count <= limit
      }
      if limit < count { return nil }
      replacements += OverlayPlayer.replacements(among: overlays)
      // Session-wide cues belong to the first run of stages.
      (programme.overlays, programme.gongs) = ([], [])
      rest = rest[(last + 1)...]
      run += 1
    }
    return replacements
  }

  /// Visits the cues of one run of stages, as long as `visit` returns true.
  private func visitCues(of overlays: [OverlayOccurrence], _ spans: [CueSpan], _ visit: (Clip) -> Bool) {
    func visitAll(until end: FrameTime, clips: (_ time: Int) -> [Clip]) -> Bool {
      var time = 0
      while case let repeated = clips(time), let first = repeated.first, first.at < end {
        if !repeated.allSatisfy(visit) { return false }
        time += 1
      }
      return true
    }
    let openStage = Self.plannedOpenStage * Double(rate.hertz)
    let end = { (span: CueSpan) in span.end == nil ? FrameTime(nearest: span.begin + openStage) : .endless }
    for occurrence in overlays {
      let isUnbounded = occurrence.overlay.times == .forever
      let isComplete = visitAll(until: isUnbounded ? end(occurrence.span) : .endless) { occurrence.clips(of: $0) ?? [] }
      if !isComplete { return }
    }
    for series in SoundEffectsPlayer().series(of: self, in: spans) {
      let isComplete = visitAll(until: series.count == nil ? end(series.span) : .endless) { time in
        (0..<series.gong.strikes).compactMap { series.clip(time: time, strike: $0) }
      }
      if !isComplete { return }
    }
  }
}

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
    self.replacements = replacements.sorted { $0.frame < $1.frame }
    // Cues at one frame keep the order of the session file.
    for (_, cue) in cues.enumerated().sorted(by: { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }) {
      if let stage = cue.stage { stages[stage].append(cue) } else { session.append(cue) }
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

  /// Lists all cues.
  ///
  /// - Parameter limit: the maximum number of cues.
  /// - Returns: nil if there are more than `limit` cues.
  package func plannedCues(limit: Int) -> PlannedCues? {
    var programme = self
    _ = programme.assignIDs()
    var cues: [Clip] = []
    var replacements: [OverlayReplacement] = []
    var rest = layout[...]
    while let last = rest.firstIndex(where: { $0.end == nil }) ?? rest.indices.last {
      let spans = programme.spans(of: Array(rest[...last]))
      let overlays = OverlayPlayer().occurrences(of: programme, in: spans)
      programme.addCues(of: overlays, spans, to: &cues, limit: limit)
      replacements += OverlayPlayer.replacements(among: overlays)
      // Session-wide cues belong to the first run of stages.
      (programme.overlays, programme.gongs) = ([], [])
      rest = rest[(last + 1)...]
    }
    return cues.count <= limit ? PlannedCues(cues, replacements, stageCount: stages.count) : nil
  }

  /// Appends the cues of one run of stages. Stops when there are more than `limit` cues.
  private func addCues(of overlays: [OverlayOccurrence], _ spans: [CueSpan], to cues: inout [Clip], limit: Int) {
    func add(until end: FrameTime, clips: (_ time: Int) -> [Clip]) {
      var time = 0
      while cues.count <= limit {
        let repeated = clips(time)
        guard let first = repeated.first, first.at < end else { return }
        cues += repeated
        time += 1
      }
    }
    let openStage = Self.plannedOpenStage * Double(rate.hertz)
    let end = { (span: CueSpan) in span.end == nil ? FrameTime(nearest: span.begin + openStage) : .endless }
    for occurrence in overlays {
      let isUnbounded = occurrence.overlay.times == .forever
      add(until: isUnbounded ? end(occurrence.span) : .endless) { occurrence.clips(of: $0) ?? [] }
    }
    for series in SoundEffectsPlayer().series(of: self, in: spans) {
      add(until: series.count == nil ? end(series.span) : .endless) { time in
        (0..<series.gong.strikes).compactMap { series.clip(time: time, strike: $0) }
      }
    }
  }
}

package import Signal

/// All overlays and gongs of a programme as single clips, assuming that the listener gives no commands.
package struct PlannedCues: Sendable {
  /// The cues of each stage, ordered by frame. Within one frame overlays come before gongs.
  package private(set) var stages: [[Clip]]
  /// The session-wide cues, in the same order.
  package private(set) var session: [Clip] = []
  private let limit: Int
  private var count = 0

  fileprivate init(stageCount: Int, limit: Int) {
    stages = Array(repeating: [], count: stageCount)
    self.limit = limit
  }
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
    var planned = PlannedCues(stageCount: stages.count, limit: limit)
    var rest = layout[...]
    while let last = rest.firstIndex(where: { $0.end == nil }) ?? rest.indices.last {
      let spans = CueSpans(of: rest[...last], isWhole: last + 1 == stages.count)
      guard planned.add(programme, in: spans) else { return nil }
      // Session-wide cues belong to the first run of stages.
      (programme.overlays, programme.gongs) = ([], [])
      rest = rest[(last + 1)...]
    }
    planned.sort()
    return planned
  }

  /// The frame at which the last sound of a run of stages ends; nil if the run's last stage is open.
  package func end(ofRun run: Range<Int>) -> FrameTime? { Schedule(self, fromStage: run.lowerBound).end }

  /// The frame at which the last sound ends; nil if any stage is open.
  package var end: FrameTime? {
    let run = run(containing: 0)
    return run == stages.indices ? end(ofRun: run) : nil
  }
}

extension CueSpans {
  /// - Parameter isWhole: the run ends with the session's last stage.
  fileprivate init(of run: ArraySlice<StageLayout>, isWhole: Bool) {
    session = CueSpan(sessionEnding: isWhole ? run.last?.exactEnd : nil)
    stages = run.map { CueSpan($0) }
  }
}

extension PlannedCues {
  /// - Returns: false if there are more cues than the limit.
  fileprivate mutating func add(_ programme: Programme, in spans: CueSpans) -> Bool {
    let openStage = Programme.plannedOpenStage * Double(programme.rate.hertz)
    let limit = { (span: CueSpan) in span.end == nil ? FrameTime(nearest: span.begin + openStage) : .endless }
    for occurrence in OverlayPlayer().occurrences(of: programme, in: spans) {
      let isUnbounded = occurrence.overlay.times == .forever
      guard add(occurrence, until: isUnbounded ? limit(occurrence.span) : .endless) else { return false }
    }
    for series in SoundEffectsPlayer().series(of: programme, in: spans) {
      guard add(series, until: series.count == nil ? limit(series.span) : .endless) else { return false }
    }
    return true
  }

  private mutating func add(_ occurrence: OverlayOccurrence, until limit: FrameTime) -> Bool {
    var time = 0
    while let clips = occurrence.clips(of: time), let first = clips.first, first.at < limit {
      for clip in clips { guard add(clip) else { return false } }
      time += 1
    }
    return true
  }

  private mutating func add(_ series: GongSeries, until limit: FrameTime) -> Bool {
    var time = 0
    while let first = series.clip(time: time, strike: 0), first.at < limit {
      for strike in 0..<series.gong.strikes {
        guard let clip = series.clip(time: time, strike: strike) else { break }
        guard add(clip) else { return false }
      }
      time += 1
    }
    return true
  }

  private mutating func add(_ clip: Clip) -> Bool {
    guard count < limit else { return false }
    count += 1
    if let stage = clip.stage { stages[stage].append(clip) } else { session.append(clip) }
    return true
  }

  /// Cues at one frame keep the order of the session file.
  fileprivate mutating func sort() {
    let sorted = { (clips: [Clip]) in
      clips.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }
    stages = stages.map(sorted)
    session = sorted(session)
  }
}

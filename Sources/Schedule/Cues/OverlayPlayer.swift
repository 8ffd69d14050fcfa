import Signal

/// The overlays of a session, from the session file and from commands: which one replaces which, and the effects of
/// pauses, stops and changes of repeats. It is a value from which clips are computed.
struct OverlayPlayer: Sendable {
  /// The changes to an occurrence that has begun.
  private struct History: Sendable {
    var at: FrameTime
    var cut: FrameTime?
    var pauses: [PausedFrames] = []
    var changes: [OverlayOccurrence.RepeatChange] = []
  }

  private var commanded: [CommandedCue<Programme.Overlay>] = []
  private var history: [CueKey: History] = [:]
  private var recurrences = Recurrences()

  /// All occurrences in the spans, session-wide ones first. If two begin at the same frame, the later one in this order
  /// replaces the other.
  func occurrences(of programme: Programme, in spans: [CueSpan]) -> [OverlayOccurrence] {
    var found: [OverlayOccurrence] = []
    for span in spans {
      let overlays = span.stage.map { programme.stages[$0].overlays } ?? programme.overlays
      for overlay in overlays { found += occurrences(of: overlay, in: span, programme.ramp) }
    }
    for command in commanded {
      let (stage, visit) = (command.stage, command.key.visit)
      guard let span = spans.first(where: { $0.stage == stage && $0.visit == visit }) else { continue }
      found.append(occurrence(of: command.cue, command.key, span, at: command.at, programme.ramp))
    }
    return replaced(found.filter { !$0.isEmpty && $0.at < $0.span.until })
  }

  private func occurrences(of overlay: Programme.Overlay, in span: CueSpan, _ ramp: FadeShape) -> [OverlayOccurrence] {
    recurrences.starts(of: overlay.id, at: overlay.at, in: span).compactMap { key, due in
      guard let at = history[key]?.at ?? due else { return nil }
      return occurrence(of: overlay, key, span, at: at, ramp)
    }
  }

  private func occurrence(
    of overlay: Programme.Overlay, _ key: CueKey, _ span: CueSpan, at: FrameTime, _ ramp: FadeShape
  ) -> OverlayOccurrence {
    let past = history[key] ?? History(at: at)
    return OverlayOccurrence(
      key: key, overlay: overlay, span: span, at: at, ramp: ramp, cut: past.cut, pauses: past.pauses,
      changes: past.changes)
  }

  /// Ends each overlay where the next one begins. Layers neither replace other overlays nor are replaced.
  ///
  /// Within a stage an overlay ends as planned, even if the listener has skipped the next one. An overlay of another
  /// span, such as the session, ends only where the next one is heard.
  private func replaced(_ occurrences: [OverlayOccurrence]) -> [OverlayOccurrence] {
    var occurrences = occurrences
    for (_, visit) in Dictionary(grouping: occurrences.indices, by: { occurrences[$0].span.stage }) {
      Self.replace(visit, in: &occurrences) { $0.at }
    }
    Self.replace(Array(occurrences.indices), in: &occurrences) { $0.heardFrom }
    return occurrences
  }

  /// Ends each of these overlays, except layers, where the next one begins; one that begins at `.endless` replaces none.
  private static func replace(
    _ indices: [Int], in occurrences: inout [OverlayOccurrence], begin: (OverlayOccurrence) -> FrameTime
  ) {
    let begins = indices.map { begin(occurrences[$0]) }
    for (index, next) in successions(of: indices.map { occurrences[$0] }, begins) {
      occurrences[indices[index]].cut = min(occurrences[indices[index]].cut ?? .endless, begins[next])
    }
  }

  /// Each overlay that is no layer, and the next one: indices into `occurrences`.
  private static func successions(
    of occurrences: [OverlayOccurrence], _ begins: [FrameTime]
  ) -> some Sequence<(Int, Int)> {
    let ordered = occurrences.indices.filter { !occurrences[$0].overlay.isLayer && begins[$0] != .endless }
      .sorted { (begins[$0], $0) < (begins[$1], $1) }
    return zip(ordered, ordered.dropFirst())
  }

  /// The overlays of a plan that another one cuts off.
  static func replacements(among occurrences: [OverlayOccurrence]) -> [OverlayReplacement] {
    successions(of: occurrences, occurrences.map(\.at)).compactMap { occurrences[$0].replacement(by: occurrences[$1]) }
  }
}

/// Commands.
extension OverlayPlayer {
  mutating func play(_ overlay: Programme.Overlay, stage: Int, visit: Int, at frame: FrameTime) {
    commanded.append(CommandedCue(overlay, id: overlay.id, visit: visit, stage: stage, at: frame))
  }

  /// Records the beginnings and ends of occurrences that began before `frame`, so that later edits don't move them.
  mutating func recordBegun(_ occurrences: [OverlayOccurrence], before frame: FrameTime) {
    for occurrence in occurrences where occurrence.at < frame {
      var past = history[occurrence.key] ?? History(at: occurrence.at)
      if let cut = occurrence.cut, cut < frame { past.cut = cut }
      history[occurrence.key] = past
    }
  }

  /// Removes the commanded occurrences that have ended, so that their number does not grow with the session. Those that
  /// they have replaced keep their ends.
  mutating func forgetCommanded(_ occurrences: [OverlayOccurrence], endingBefore frame: FrameTime) {
    guard !commanded.isEmpty else { return }
    for occurrence in occurrences where occurrence.overlay.times == .times(1) && occurrence.changes.isEmpty {
      guard occurrence.at < frame, commanded.contains(where: { $0.key == occurrence.key }),
        let clip = occurrence.clips(of: 0)?.last, !clip.isPaused, clip.releaseEnd <= frame
      else { continue }
      commanded.removeAll { $0.key == occurrence.key }
      history[occurrence.key] = nil
    }
  }

  /// Fades out the occurrences that have begun, each with its own fade, and ends their repeats.
  mutating func stop(at frame: FrameTime) {
    for (key, past) in history { history[key]?.cut = min(past.cut ?? .endless, frame) }
    // An overlay that a command started at this frame has not begun, so it is removed.
    commanded.removeAll { frame <= $0.at }
  }

  /// Pauses every overlay that has begun and has not been replaced or stopped. Each one later resumes from its position
  /// in the sound, the fade or the delay. One that a command has started at this frame waits at its beginning.
  mutating func pause(at frame: FrameTime) {
    for command in commanded where command.at == frame && history[command.key] == nil {
      history[command.key] = History(at: frame)
    }
    for (key, past) in history where past.cut == nil {
      if let last = past.pauses.last, last.to == nil { continue }
      history[key]?.pauses.append(PausedFrames(from: frame, to: nil))
    }
  }

  mutating func resume(at frame: FrameTime) {
    for (key, past) in history {
      guard let last = past.pauses.last, last.to == nil else { continue }
      history[key]?.pauses[past.pauses.count - 1].to = frame
    }
  }

  /// Changes the repeats of the playing overlay that began last, from its next repeat on. An overlay that a command has
  /// started at this frame counts as playing.
  ///
  /// - Parameter delay: frames of silence between two repeats.
  /// - Throws: `noOverlay` if no overlay is playing.
  mutating func change(
    _ times: Programme.Times, delay: Double, among occurrences: [OverlayOccurrence], at frame: FrameTime
  ) throws(EditError) {
    var newest: (occurrence: OverlayOccurrence, time: Int, begin: FrameTime)?
    for occurrence in occurrences {
      let isNew = commanded.contains { $0.key == occurrence.key && $0.at == frame }
      guard let (time, begin) = isNew ? (0, frame) : occurrence.playing(at: frame) else { continue }
      if newest.map({ $0.begin <= begin }) ?? true { newest = (occurrence, time, begin) }
    }
    guard let (occurrence, time, _) = newest else { throw .noOverlay }
    let change = OverlayOccurrence.RepeatChange(after: time, period: occurrence.period(delay: delay), times: times)
    var past = history[occurrence.key] ?? History(at: occurrence.at)
    past.changes.removeAll { time <= $0.after }
    past.changes.append(change)
    history[occurrence.key] = past
  }

  /// Makes session-wide overlays that count from the end due again if they have begun, because the listener goes to a
  /// stage. The repeats of earlier ones end.
  mutating func goBack(among overlays: [Programme.Overlay], in span: CueSpan, at frame: FrameTime) {
    let cues = overlays.map { ($0.id, $0.at) }
    let begun = recurrences.goBack(among: cues, in: span, at: frame) { [history] in history[$0] != nil }
    let repeating = Set(overlays.filter { $0.times != .times(1) }.map(\.id))
    for key in begun where repeating.contains(key.cue) {
      let cut = history[key]?.cut ?? .endless
      history[key]?.cut = min(cut, frame)
    }
  }

  /// Removes the overlays of a stage visit that has ended.
  mutating func leave(visit: Int) {
    commanded.removeAll { $0.key.visit == visit }
    history = history.filter { $0.key.visit != visit }
  }
}

extension OverlayOccurrence {
  /// The clip that a command has paused; nil if none is paused.
  var pausedClip: Clip? {
    guard let pause = pauses.last, pause.to == nil, let (time, _) = playing(at: pause.from) else { return nil }
    return heardClips(of: time)?.last { $0.isPaused }
  }

  /// The frame at which it ends if it stays paused: that of a stop, that of the next overlay, or the end of its stage.
  var pausedEnd: FrameTime { min(cut ?? .endless, span.fadeOut == nil ? .endless : span.endFrame) }

  /// The repeat that began before `frame` and is playing at it.
  func playing(at frame: FrameTime) -> (time: Int, begin: FrameTime)? {
    var time = firstTime(endingAfter: frame)
    while let clips = heardClips(of: time), clips.first.map({ $0.begin < frame }) ?? true {
      if let clip = clips.last(where: { $0.begin < frame && frame < $0.end }) { return (time, clip.begin) }
      time += 1
    }
    return nil
  }

  /// Index of a repeat at or before the first one that ends after `frame`.
  func firstTime(endingAfter frame: FrameTime) -> Int {
    guard changes.isEmpty, period.isFinite, at < frame else { return 0 }
    let paused = pauses.reduce(0) { $0 + (($1.to ?? $1.from) - $1.from) }
    let elapsed = Double(frame - at - paused - (overlay.duck?.release ?? 0)) - Double(overlay.sound.length)
    return max(0, Int(min(1e12, elapsed / period)) - 1)
  }
}

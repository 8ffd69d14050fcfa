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

  /// Pauses every overlay that has begun and not ended. Each one later resumes from its position in the sound, the fade
  /// or the silence between two repeats. One that a command has started at this frame waits at its beginning.
  ///
  /// - Throws: `noOverlay` if there is none, `noEffect` if all of them are paused.
  mutating func pause(among occurrences: [OverlayOccurrence], at frame: FrameTime) throws(EditError) {
    let current = current(among: occurrences, at: frame)
    if current.isEmpty { throw .noOverlay }
    let playing = current.filter { !$0.isPaused }
    if playing.isEmpty { throw .noEffect("the overlays are already paused") }
    for occurrence in playing {
      history[occurrence.key, default: History(at: occurrence.at)].pauses.append(PausedFrames(from: frame, to: nil))
    }
  }

  /// Resumes every paused overlay.
  ///
  /// - Throws: `noOverlay` if there is none, `noEffect` if none is paused.
  mutating func resume(among occurrences: [OverlayOccurrence], at frame: FrameTime) throws(EditError) {
    let current = current(among: occurrences, at: frame)
    let paused = current.filter(\.isPaused)
    if current.isEmpty { throw .noOverlay }
    if paused.isEmpty { throw .noEffect("no overlay is paused") }
    for occurrence in paused {
      guard let count = history[occurrence.key]?.pauses.count, 0 < count else { continue }
      history[occurrence.key]?.pauses[count - 1].to = frame
    }
  }

  /// The overlays that a command at `frame` changes: those that have begun and not ended, also while they are paused or
  /// silent between two repeats, and those that a command has started at this frame.
  func current(among occurrences: [OverlayOccurrence], at frame: FrameTime) -> [OverlayOccurrence] {
    occurrences.filter { occurrence in
      let isNew = occurrence.at == frame && commanded.contains { $0.key == occurrence.key }
      return (isNew || occurrence.at < frame) && occurrence.repetition(at: frame) != nil
    }
  }

  /// Changes the repeats of the current overlay that began last, from its next repeat on. Silence between two repeats
  /// that has begun keeps its length.
  ///
  /// - Parameter delay: frames of silence between two repeats.
  /// - Throws: `noOverlay` if there is none, `noEffect` if its repeats are like that already.
  mutating func change(
    _ times: Programme.Times, delay: Double, among occurrences: [OverlayOccurrence], at frame: FrameTime
  ) throws(EditError) {
    let current = current(among: occurrences, at: frame).sorted { $0.at < $1.at }
    guard let newest = current.last, let time = newest.newestTime(at: frame) else { throw .noOverlay }
    let rhythm = Programme.Overlay.Rhythm(delay: delay)
    let change = OverlayOccurrence.RepeatChange(after: time, rhythm: rhythm, times: times)
    if newest.isUnchanged(by: change) { throw .noEffect("the overlay already repeats like that") }
    history[newest.key, default: History(at: newest.at)].changes.removeAll { time <= $0.after }
    history[newest.key]?.changes.append(change)
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

  /// Makes overlays that count from the end of a span due again if they have ended and that end is still to come.
  ///
  /// - Parameter playing: those that have begun and not ended.
  mutating func comeAgain(
    among overlays: [Programme.Overlay], in span: CueSpan, at frame: FrameTime, except playing: Set<CueKey>
  ) {
    recurrences.comeAgain(among: overlays.map { ($0.id, $0.at) }, in: span, at: frame) { [history] key in
      history[key] != nil && !playing.contains(key)
    }
  }

  /// Continues the overlays of a visit as those of another one.
  mutating func renumber(visit old: Int, to new: Int, ofStage stage: Int) {
    history = Dictionary(history.map { ($0.key.renumbered(old, new), $0.value) }) { first, _ in first }
    recurrences.renumber(visit: old, to: new)
    for index in commanded.indices where commanded[index].key.visit == old {
      (commanded[index].key.visit, commanded[index].stage) = (new, stage)
    }
  }

  /// Removes the overlays of a stage visit that has ended.
  mutating func leave(visit: Int) {
    commanded.removeAll { $0.key.visit == visit }
    history = history.filter { $0.key.visit != visit }
  }
}

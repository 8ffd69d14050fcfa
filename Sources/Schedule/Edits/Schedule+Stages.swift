package import Signal

/// Edits of the current stage as a whole.
extension Schedule {
  /// Whether the end of a stage that plays can move: it has one, and that is still to come.
  package func canExtend(stage index: Int, at frame: FrameTime) -> Bool {
    layouts.first { $0.stage == index }?.end.map { frame < $0 } ?? false
  }

  /// Moves the end of the current stage, but not before `frame`. The stage has a fixed duration from then on.
  ///
  /// - Throws: `noStageEnd` for a stage without an end, `tooLong` beyond the longest session, `noEffect` if the end
  ///   does not move.
  mutating func extend(by seconds: Double, at frame: FrameTime) throws(EditError) {
    let isOver = current + 1 == layouts.count && layout.end ?? .endless <= frame
    if isOver { throw .noEffect("the stage is over, so its end can't move") }
    let name = programme.stages[stage].name
    guard let end = layout.exactEnd else { throw .noStageEnd(name: name, isMusicPaused: endsWithPausedMusic) }
    let moved = max(Double(frame), end + seconds * Double(rate.hertz))
    if FrameTime(nearest: moved) == layout.end {
      throw .noEffect(seconds < 0 ? "the stage already ends now" : "the end of the stage would not move")
    }
    programme.stages[stage].duration = .frames(moved - layout.exactBegin)
    updateLayouts(at: frame)
    let last = layouts.last?.end ?? FrameTime(nearest: moved)
    if 0 < seconds, rate.frames(Programme.maximumSeconds) < last { throw .tooLong }
    repeatCuesBeforeEnd(at: frame)
  }

  /// Whether the current stage has no end only because its music, with which it ends, is paused.
  private var endsWithPausedMusic: Bool {
    pausedMusic != nil && programme.stages[stage].duration == .natural && plan.playlist.isBounded
  }

  /// Makes the cues that count from an end due again if they are over and the end is later now: it comes a second time.
  private mutating func repeatCuesBeforeEnd(at frame: FrameTime) {
    let occurrences = occurrences
    let playing = Set(overlays.current(among: occurrences, at: frame).map(\.key))
    for span in spans where span.stage == nil || span.stage == stage {
      let (stageOverlays, stageGongs) =
        span.stage.map { (programme.stages[$0].overlays, programme.stages[$0].gongs) }
        ?? (programme.overlays, programme.gongs)
      overlays.comeAgain(among: stageOverlays, in: span, at: frame, except: playing)
      effects.comeAgain(among: stageGongs, in: span, at: frame)
    }
  }
}

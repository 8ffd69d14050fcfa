import Markup
import Schedule
import SessionFiles
import Signal

/// Lays out the stages of a session and checks them.
///
/// Reports stages without an end, and warns if the tracks are too short for the fades and durations in the file.
struct StageChecks {
  private let session: Session
  private let programme: Programme
  private let layouts: [StageLayout]
  private let notes: TimelineNotes

  private var rate: SampleRate { programme.rate }

  init(session: Session, programme: Programme, notes: TimelineNotes) {
    (self.session, self.programme, self.notes) = (session, programme, notes)
    var bounded = programme
    // A stage without an end gets no length, so that the stages after it can be checked, too.
    for index in bounded.stages.indices where Self.fault(of: bounded.stages[index]) != nil {
      bounded.stages[index].duration = .frames(0)
    }
    layouts = bounded.layout
  }

  /// Checks every stage.
  ///
  /// - Returns: the layout of each stage, in order.
  /// - Throws: every error so far, if there is any.
  func check() throws(TimelineFailure) -> [StageLayout] {
    for layout in layouts {
      check(layout)
      let seconds = (layout.exactEnd ?? 0) / Double(rate.hertz)
      if Session.Limit.session < seconds {
        notes.error(
          .tooLarge, session.stages[layout.stage].location, "the session is longer than 168 hours",
          fix: "shorten its stages")
        break
      }
    }
    // After an error, the stage has no length, so this check would report only a consequence of that error.
    if notes.problems.isEmpty, layouts.allSatisfy({ $0.end == 0 }) {
      notes.error(
        .empty, session.stages[0].location, "the session ends as soon as it begins", fix: "give a stage a duration")
    }
    try notes.check()
    return layouts
  }

  private func check(_ layout: StageLayout) {
    let stage = session.stages[layout.stage]
    if layout.stage == 0 { warnOfShortFadeIn(of: stage, layout.music) }
    if layout.stage + 1 < layouts.count { warnOfShortCrossfade(into: layout.stage + 1) }
    if let fault = Self.fault(of: programme.stages[layout.stage]) {
      notes.error(fault.code, stage.location, fault.problem, fix: fault.fix)
    }
    warnOfSeparateFades(of: stage, layout)
    if layout.stage + 1 == layouts.count { checkFadeOut(of: stage, layout.music) }
    warnOfSilence(of: stage, layout)
    CrossfadeChecks(of: stage, layout, rate: rate).warn(notes)
  }

  /// Why a stage that lasts as long as its tracks has no end; nil if it has one.
  private static func fault(of stage: Programme.Stage) -> (code: Diagnostic.Code, problem: String, fix: String)? {
    guard stage.duration == .natural else { return nil }
    if stage.playlist.tracks.isEmpty {
      return (.missingKey, "stage '\(stage.name)' has neither tracks nor a duration", "add one of them")
    }
    guard MusicPlan(stage.playlist, crossfade: stage.crossfade).naturalLength == .endless else { return nil }
    return (
      .endless, "stage '\(stage.name)' would never end", "give it a duration, a repeatCount, or \"duration\": \"open\""
    )
  }

  /// Reports a fade-out that is longer than a last stage without a duration. The parser has checked a last stage with
  /// one.
  private func checkFadeOut(of stage: Session.Stage, _ music: MusicPlan) {
    guard let location = session.fadeOutLocation, stage.duration == .natural, !stage.tracks.isEmpty else { return }
    let length = music.naturalLength
    if programme.fadeOut <= length { return }
    notes.error(
      .fadeTooLong, location,
      "'fadeOut' is \(TimeSpelling.text(session.fadeOut)), but the last stage in \(stage.location.named(at: location)) lasts only \(TimeSpelling.text(rate.seconds(length)))",
      fix: "shorten the fade")
  }

  /// Warns of a fade-in that is longer than the first track allows.
  private func warnOfShortFadeIn(of stage: Session.Stage, _ music: MusicPlan) {
    let (requested, played) = (programme.fadeIn, music.openingFade.length)
    if requested <= played { return }
    notes.warn(
      .shortened, stage.tracks.first?.location ?? stage.location,
      "the session's fade-in is shortened from \(Clock.text(requested, rate)) to \(Clock.text(played, rate))"
        + ", because the first track is too short", fix: "shorten the fade-in, or use a longer track")
  }

  /// Warns of a crossfade into a stage that its tracks are too short for.
  private func warnOfShortCrossfade(into index: Int) {
    let stage = session.stages[index]
    let (requested, played) = (programme.stages[index].crossfade.length, layouts[index].music.openingFade.length)
    if requested <= played { return }
    let isLimitedByStage =
      if case .frames(let length) = programme.stages[index].duration {
        played == FrameTime(nearest: length)
      } else { false }
    notes.warn(
      .shortened, stage.location,
      "the crossfade into stage '\(stage.name)' is shortened from \(Clock.text(requested, rate)) to "
        + "\(Clock.text(played, rate)), \(isLimitedByStage ? "the length of the stage" : "half of the shorter track")",
      fix: "shorten the crossfade, or \(isLimitedByStage ? "lengthen the stage" : "use longer tracks")")
  }

  /// Warns if the music of a stage ends during the crossfade into the next stage. The two fades are then independent of
  /// each other.
  private func warnOfSeparateFades(of stage: Session.Stage, _ layout: StageLayout) {
    let music = layout.music
    guard let ending = music.ending, ending.kind == .crossfade, music.naturalLength != .endless else { return }
    let left = music.begin + music.naturalLength - ending.fade.start
    guard 0 < left, case .separate = CrossfadeOrchestrator.strategy(remaining: left, wanted: ending.fade.length)
    else { return }
    notes.warn(
      .shortened, stage.location,
      "the music of stage '\(stage.name)' has \(Clock.text(left, rate)) left for the crossfade of "
        + "\(Clock.text(ending.fade.length, rate)) into the next stage, so it fades out on its own",
      fix: "end the stage earlier, or repeat its tracks")
  }

  /// Warns of a second or more of silence after the last track of a stage with a duration.
  private func warnOfSilence(of stage: Session.Stage, _ layout: StageLayout) {
    let music = layout.music
    guard let end = layout.end, case .seconds = stage.duration, !music.tracks.isEmpty,
      music.naturalLength != .endless
    else { return }
    let silence = end - music.begin - music.naturalLength
    // Less than a second is probably not intended.
    guard Int64(rate.hertz) <= silence else { return }
    notes.warn(
      .silentEnd, stage.location,
      "stage '\(stage.name)' is silent for its last \(Clock.text(silence, rate)): its tracks have ended",
      fix: "repeat them, or shorten the stage")
  }
}

import Markup
import Schedule
import SessionFiles
import Signal

/// Checks overlays and gongs against the layout of the stages: whether they are within their stage or the session, and
/// whether their sounds fit into it.
///
/// The parser has checked the stages whose length the file gives. Here the lengths of the tracks are known, too. Times
/// are exact frames (`Double`), which are rounded only to compare them.
struct CueChecks {
  /// The stage or the session that a cue belongs to.
  private struct Owner {
    var span: CueSpan
    /// The name in diagnostics.
    var name: String
  }

  private let session: Session
  private let programme: Programme
  private let layouts: [StageLayout]
  private let notes: TimelineNotes

  private var rate: SampleRate { programme.rate }

  init(session: Session, programme: Programme, layouts: [StageLayout], notes: TimelineNotes) {
    (self.session, self.programme, self.layouts, self.notes) = (session, programme, layouts, notes)
  }

  /// Checks every cue, then throws if there are errors, including those of earlier checks.
  func check() throws(TimelineFailure) {
    let isOpen = layouts.contains { $0.end == nil }
    let whole = Owner(span: CueSpan(sessionEnding: isOpen ? nil : layouts.last?.exactEnd), name: "the session")
    let stages = layouts.map { layout in
      Owner(span: CueSpan(layout), name: "stage '\(programme.stages[layout.stage].name)'")
    }
    for (overlay, planned) in zip(session.overlays, programme.overlays) { check(overlay, planned, in: whole) }
    for index in stages.indices {
      let overlays = zip(session.stages[index].overlays, programme.stages[index].overlays)
      for (overlay, planned) in overlays { check(overlay, planned, in: stages[index]) }
    }
    for index in stages.indices {
      let gongs = zip(session.stages[index].gongs, programme.stages[index].gongs)
      for (gong, planned) in gongs { check(gong, planned, in: stages[index]) }
    }
    for (gong, planned) in zip(session.gongs, programme.gongs) { check(gong, planned, in: whole) }
    try notes.check()
  }

  private func check(_ overlay: Session.Overlay, _ planned: Programme.Overlay, in owner: Owner) {
    warnOfShortInterval(of: overlay, planned)
    for (position, exact) in zip(overlay.at, planned.at) {
      guard let at = frame(of: exact, at: position.location, in: owner) else { continue }
      warnOfCut(of: overlay, planned, from: at, in: owner)
    }
  }

  /// Warns of each sound that the next one of its overlay cuts off before its fade-out.
  private func warnOfShortInterval(of overlay: Session.Overlay, _ planned: Programme.Overlay) {
    guard let interval = planned.interval, !planned.isLayer else { return }
    for (sound, length) in zip(overlay.sounds, planned.sounds.map(\.length)).prefix(planned.followed) {
      guard length != .endless, interval + Double(planned.fadeOut.length) < Double(length) else { continue }
      notes.warn(
        .replaced, sound.location,
        "'\(sound.title)' lasts \(Clock.text(length, rate)) and is cut off after "
          + "\(Clock.text(FrameTime(nearest: interval), rate)), when the next sound of its overlay begins",
        of: sound.source, fix: "make 'every' longer, or write \"layer\": true, so that both are heard")
    }
  }

  /// Warns if the next stage begins before all repeats of an overlay have ended.
  private func warnOfCut(
    of overlay: Session.Overlay, _ planned: Programme.Overlay, from at: Double, in owner: Owner
  ) {
    // An overlay that repeats forever is meant to end with its stage, and one in the last stage is not cut off.
    guard let length = planned.plannedLength, owner.span.fadeOut != nil, let end = owner.span.end, end < at + length
    else { return }
    notes.warn(
      .cutOff, overlay.location, "overlay '\(overlay.sound.title)' is cut off at the end of \(owner.name)",
      of: overlay.sound.source,
      fix: "start it earlier, or lengthen the stage")
  }

  /// Reports an endless sound and strikes outside the stage; warns of strikes that never sound.
  private func check(_ gong: Session.Gong, _ planned: Programme.Gong, in owner: Owner) {
    if planned.sound.length == .endless {
      notes.error(
        .endless, gong.sound.location, "'\(gong.sound.title)' never ends, so it can't be a gong", of: gong.sound.source,
        fix: "use an overlay, or give the sound an 'end'")
      return
    }
    if case .at(let positions) = gong.times, case .at(let planned) = planned.pattern {
      for (position, exact) in zip(positions, planned) { _ = frame(of: exact, at: position.location, in: owner) }
    }
    for (position, exact) in zip(gong.extra, planned.positions) {
      _ = frame(of: exact, at: position.location, in: owner)
    }
    guard case .every(let interval, let count) = planned.pattern else { return }
    if let count {
      checkCount(count, of: gong, every: interval, in: owner)
    } else {
      checkFirst(of: gong, at: owner.span.begin + interval, in: owner)
    }
  }

  /// Warns of a gong without a count whose first strike is after the end. An open stage counts as one day, as in
  /// `Programme.plannedCues`.
  private func checkFirst(of gong: Session.Gong, at first: Double, in owner: Owner) {
    let end = owner.span.end ?? owner.span.begin + Programme.plannedOpenStage * Double(rate.hertz)
    guard end.rounded() <= first.rounded() else { return }
    notes.warn(
      .neverPlays, gong.location, "gong '\(gong.sound.title)' never sounds within \(owner.name)", of: gong.sound.source,
      fix: "make 'every' smaller, or strike it \"at\": \"end\"")
  }

  /// Warns of a gong with a count that is larger than the number of strikes that fit.
  private func checkCount(_ count: Int, of gong: Session.Gong, every interval: Double, in owner: Owner) {
    guard let end = owner.span.end else { return }
    let length = FrameTime(nearest: end) - FrameTime(nearest: owner.span.begin)
    let fitting = (1...count).prefix {
      FrameTime(nearest: owner.span.begin + interval + Double($0 - 1) * interval) <= FrameTime(nearest: end)
    }
    if fitting.count == count { return }
    if fitting.isEmpty { return checkFirst(of: gong, at: owner.span.begin + interval, in: owner) }
    notes.warn(
      .neverPlays, gong.location,
      "gong '\(gong.sound.title)' sounds only \(fitting.count) of \(count) times, because \(owner.name) lasts "
        + Clock.text(length, rate), of: gong.sound.source, fix: "make 'every' or 'count' smaller")
  }

  /// The frame of a position; nil, with an error reported, if it is outside its stage or the session.
  private func frame(of position: Programme.Position, at location: SourceLocation, in owner: Owner) -> Double? {
    let span = owner.span
    guard let frame = span.exact(position)?.rounded() else {
      notes.error(
        .endless, location, "\(owner.name) is open, so it has no end to count back from", fix: "count from its start")
      return nil
    }
    if frame < span.begin.rounded() {
      notes.error(
        .outsideSpan, location, "the position is before the start of \(owner.name)",
        fix: "choose a position closer to its end")
      return nil
    }
    // In an open stage, any position within the longest session is accepted.
    let end = span.end ?? span.begin + Session.Limit.session * Double(rate.hertz)
    if end.rounded() < frame {
      let length = Clock.text(FrameTime(nearest: end - span.begin), rate)
      notes.error(
        .outsideSpan, location, "the position is after the end of \(owner.name) at \(length)",
        fix: "choose an earlier one, or \"end\""
      )
      return nil
    }
    return frame
  }
}

package import Markup
import Schedule
package import SessionFiles
import Signal

extension Session {
  /// A session that was fitted to a time, and warnings about tracks that are cut off.
  package struct Fitted: Sendable {
    package var session: Session
    package var warnings: [Diagnostic]
  }

  /// The session with its stages stretched or shortened by one factor, so that the last one ends at `seconds`. Stages
  /// that don't stretch keep their lengths, as do those that are as long as the texts that they speak; the others make up
  /// the rest.
  ///
  /// Cues that count from a start move with their stage, and so do gongs with a count; see `StageStretch`. Cues
  /// that count from an end keep their distance to it. Sounds, crossfades, strikes, and intervals without a count
  /// keep their lengths. Gongs may sound beyond the end. A stage without a duration gets one; its tracks repeat if it
  /// becomes longer.
  ///
  /// - Parameter timeline: the timeline of this session.
  /// - Throws: `FitError` with the stage that does not fit, and with the nearest time that fits.
  package func fitted(to seconds: Double, on timeline: Timeline) throws(FitError) -> Fitted {
    guard 0 < seconds, seconds <= Session.Limit.session else { throw .outOfRange(seconds) }
    let lengths = try lengths(on: timeline)
    let whole = lengths.reduce(0, +)
    // A session that has this length already stays exactly as it is.
    if timeline.rate.frames(whole) == timeline.rate.frames(seconds) { return Fitted(session: self, warnings: []) }
    guard 0 < whole else { throw .impossible(seconds, problem: "the session has no length") }
    let times = SessionTimes(of: self, lengths: lengths)
    guard let factor = times.factor(for: seconds) else {
      throw .kept(seconds, length: times.whole.fixed, stages: times.kept, isAll: times.whole.slope == 0)
    }
    do throws(FitError) { return try fitted(by: factor, times, timeline.programme, seconds) } catch {
      throw times.kept.isEmpty ? error : .keeping(times.kept, error)
    }
  }

  private func fitted(
    by factor: Double, _ times: SessionTimes, _ programme: Programme, _ seconds: Double
  ) throws(FitError) -> Fitted {
    let conditions = FitConditions(of: self, times, programme: programme)
    var (broken, stretches) = (conditions.all.filter { !$0.holds(at: factor) }, [StageStretch]())
    for (index, stage) in stages.enumerated() {
      do throws(StageStretch.Failure) {
        stretches.append(
          try StageStretch(
            of: stage, lasting: times.lengths[index].planned, by: stage.isStretchable ? factor : 1,
            conditions.overlays(ofStage: index), overlays: conditions.overlayRanges(ofStage: index)))
      } catch { broken.append(error.easiest) }
    }
    try Self.check(broken, at: seconds, of: times)
    return stretched(by: factor, times, stretches)
  }

  /// The length of each stage in seconds.
  private func lengths(on timeline: Timeline) throws(FitError) -> [Double] {
    var lengths: [Double] = []
    for (stage, laidOut) in zip(stages, timeline.stages) {
      if case .seconds(let length) = stage.duration {
        lengths.append(length)
      } else if let end = laidOut.end {
        lengths.append(timeline.rate.seconds(end - laidOut.begin))
      } else {
        throw .open(stage: stage.name)
      }
    }
    return lengths
  }

  /// Throws the broken condition that is furthest from being met, so that the time in the error meets all of them.
  private static func check(
    _ broken: [FitCondition], at seconds: Double, of times: SessionTimes
  ) throws(FitError) {
    let length = { (condition: FitCondition) in times.whole.stretched(by: condition.needed / condition.slope) }
    if let worst = broken.filter({ 0 < $0.slope }).max(by: { $0.needed / $0.slope < $1.needed / $1.slope }) {
      // Rounded up to a whole second, which is easier to type; the session's own length always fits.
      let shortest = min(times.whole.planned, (length(worst) - 1e-6).rounded(.up))
      throw .tooShort(seconds, shortest: shortest, stage: worst.stage, worst.constraint)
    }
    if let worst = broken.min(by: { $0.needed / $0.slope < $1.needed / $1.slope }) {
      let longest = max(times.whole.planned, (length(worst) + 1e-6).rounded(.down))
      throw .tooLong(seconds, longest: longest, stage: worst.stage, worst.constraint)
    }
  }

  private func stretched(by factor: Double, _ times: SessionTimes, _ stretches: [StageStretch]) -> Fitted {
    var fitted = Fitted(session: self, warnings: [])
    for (index, time) in times.lengths.enumerated() where stages[index].isStretchable {
      let length = time.planned
      if stages[index].duration == .natural, factor < 1 {
        fitted.warnings.append(cut(stages[index], from: length, to: length * factor))
      }
      fitted.session.stages[index].stretch(by: factor, from: length, stretches[index].time)
    }
    let move = { (seconds: Double) in times.time(of: seconds).stretched(by: factor) }
    let average = times.kept.isEmpty ? factor : times.whole.stretched(by: factor) / times.whole.planned
    for index in overlays.indices { fitted.session.overlays[index].move(to: move) }
    for index in gongs.indices { fitted.session.gongs[index].stretch(by: average, move) }
    if !keepsFadeOut, stages.last?.isStretchable ?? true { fitted.session.fadeOut *= factor }
    return fitted
  }

  /// The warning for a stage whose tracks are cut off.
  private func cut(_ stage: Stage, from length: Double, to end: Double) -> Diagnostic {
    Diagnostic(
      .warning, .cutOff, stage.location,
      "the tracks of the stage '\(shown(stage.name))' take \(TimeSpelling.text(length)); they are cut off after "
        + TimeSpelling.text(end), fix: "choose a longer time to hear all of them")
  }
}

extension Session.Stage {
  fileprivate mutating func stretch(by factor: Double, from length: Double, _ time: (Double) -> Double) {
    // Otherwise the stage would be silent after its last track.
    if duration == .natural, 1 < factor { (repetition, repeatCount) = (.playlist, nil) }
    duration = .seconds(length * factor)
    for index in overlays.indices { overlays[index].move(to: time) }
    for index in gongs.indices { gongs[index].stretch(by: factor, time) }
  }
}

extension Session.Overlay {
  fileprivate mutating func move(to time: (Double) -> Double) { at = at.map { $0.moved(to: time) } }
}

extension Session.Gong {
  /// An interval with a count stands for that many positions, so it is stretched. One without a count is kept: the
  /// number of strikes changes.
  fileprivate mutating func stretch(by factor: Double, _ time: (Double) -> Double) {
    switch times {
    case .at(let positions): times = .at(positions.map { $0.moved(to: time) })
    case .every(let interval, let count?): times = .every(interval * factor, count: count)
    case .every(_, nil), .random: break
    }
    extra = extra.map { $0.moved(to: time) }
  }
}

extension Session.Position {
  fileprivate func moved(to time: (Double) -> Double) -> Session.Position {
    guard case .afterStart(let seconds) = anchor else { return self }
    var moved = self
    moved.anchor = .afterStart(time(seconds))
    return moved
  }
}

import SessionFiles

/// Maps the times of cues in a stage to their times in the stretched stage, in seconds.
///
/// Normally all times are multiplied by the same factor. If an overlay would then be cut off, overlays keep their
/// lengths, and so does the part from the first cue that counts from the end. Only the pauses between these parts are
/// stretched.
struct StageStretch {
  private let length: Double
  private let factor: Double
  /// The parts that keep their lengths, in order and without overlaps; nil if all times have the same factor.
  private let fixed: [ClosedRange<Double>]?
  /// The factor by which the pauses are stretched.
  private let pauseFactor: Double

  /// - Parameters:
  ///   - conditions: the conditions of the overlays if all times have the same factor.
  ///   - overlays: the parts of the stage during which overlays play.
  /// - Throws: `Failure` if the overlays don't fit into the new length in either way.
  init(
    of stage: Session.Stage, lasting length: Double, by factor: Double, _ conditions: [FitCondition],
    overlays: [ClosedRange<Double>]
  ) throws(Failure) {
    (self.length, self.factor) = (length, factor)
    if conditions.allSatisfy({ $0.holds(at: factor) }) {
      (fixed, pauseFactor) = (nil, factor)
      return
    }
    let fixed = Self.union(overlays + stage.closingPart(of: length))
    let total = fixed.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
    let room = FitCondition(slope: length, needed: total, stage: stage.name, constraint: .overlayTime(total))
    guard room.holds(at: factor) else { throw Failure(easiest: Self.easiest(of: conditions, or: room)) }
    self.fixed = fixed
    pauseFactor = total < length ? max(0, (length * factor - total) / (length - total)) : 1
  }

  /// The overlays don't fit. `easiest` is the condition that the smallest increase of the length would meet.
  struct Failure: Error {
    var easiest: FitCondition
  }

  /// The time in the stretched stage.
  func time(of seconds: Double) -> Double {
    guard let fixed else { return seconds * factor }
    let before = fixed.reduce(0) { $0 + max(0, min($1.upperBound, seconds) - $1.lowerBound) }
    return min(length * factor, before + (seconds - before) * pauseFactor)
  }

  /// The ranges in order, with overlapping ones joined.
  private static func union(_ ranges: [ClosedRange<Double>]) -> [ClosedRange<Double>] {
    var union: [ClosedRange<Double>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = union.last, range.lowerBound <= last.upperBound {
        union[union.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        union.append(range)
      }
    }
    return union
  }

  /// Of the two ways to stretch, the condition of the one that needs the shorter time.
  private static func easiest(of conditions: [FitCondition], or room: FitCondition) -> FitCondition {
    let worst = conditions.filter { 0 < $0.slope }.max { $0.needed / $0.slope < $1.needed / $1.slope }
    guard let worst, conditions.allSatisfy({ $0.holds(at: worst.needed / worst.slope) }) else { return room }
    return worst.needed / worst.slope < room.needed / room.slope ? worst : room
  }
}

extension Session.Stage {
  /// The part from the first cue that counts from the end, to the end of the stage; empty without such a cue.
  fileprivate func closingPart(of length: Double) -> [ClosedRange<Double>] {
    let back = (overlays.flatMap(\.at) + gongs.flatMap(\.positions)).compactMap { position -> Double? in
      if case .beforeEnd(let seconds) = position.anchor, 0 < seconds { return seconds }
      return nil
    }
    return back.max().map { [max(0, length - $0)...length] } ?? []
  }
}

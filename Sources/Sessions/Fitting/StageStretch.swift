/// Where the cues of a stage go when the stage is stretched: a map from times in the stage to new ones, in seconds.
///
/// Cues normally keep their shares. If an overlay would be cut off in this way, the overlays and what counts back from the
/// end keep their lengths, and only the pauses between them are stretched.
struct StageStretch {
  private let length: Double
  private let factor: Double
  /// The parts that keep their lengths, in order and without overlaps; nil if everything is stretched alike.
  private let kept: [ClosedRange<Double>]?
  /// The factor of the pauses.
  private let pauses: Double

  /// - Parameters:
  ///   - conditions: what the overlays need if everything is stretched alike.
  ///   - overlays: the parts of the stage during which overlays play.
  /// - Throws: what the overlays need, if they don't fit into the new length in either way.
  init(
    of stage: Session.Stage, lasting length: Double, by factor: Double, _ conditions: [FitCondition],
    overlays: [ClosedRange<Double>]
  ) throws(Misfit) {
    (self.length, self.factor) = (length, factor)
    if conditions.allSatisfy({ $0.holds(at: factor) }) {
      (kept, pauses) = (nil, factor)
      return
    }
    let kept = Self.union(overlays + stage.lastPart(of: length))
    let total = kept.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
    let room = FitCondition(slope: length, needed: total, stage: stage.name, obstacle: .overlayTime(total))
    guard room.holds(at: factor) else { throw Misfit(easiest: Self.easiest(of: conditions, or: room)) }
    self.kept = kept
    pauses = total < length ? max(0, (length * factor - total) / (length - total)) : 1
  }

  /// What a stage needs.
  struct Misfit: Error {
    var easiest: FitCondition
  }

  /// The new time of a time in the stage.
  func time(of seconds: Double) -> Double {
    guard let kept else { return seconds * factor }
    let before = kept.reduce(0) { $0 + max(0, min($1.upperBound, seconds) - $1.lowerBound) }
    return min(length * factor, before + (seconds - before) * pauses)
  }

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

  /// What allows the shorter time: that everything is stretched alike, or that only the pauses are.
  private static func easiest(of conditions: [FitCondition], or room: FitCondition) -> FitCondition {
    let worst = conditions.filter { 0 < $0.slope }.max { $0.needed / $0.slope < $1.needed / $1.slope }
    guard let worst, conditions.allSatisfy({ $0.holds(at: worst.needed / worst.slope) }) else { return room }
    return worst.needed / worst.slope < room.needed / room.slope ? worst : room
  }
}

extension Session.Stage {
  /// The end of the stage, from the first cue that counts back from it; empty without such a cue.
  fileprivate func lastPart(of length: Double) -> [ClosedRange<Double>] {
    let struck = gongs.flatMap { gong -> [Session.Position] in
      if case .at(let positions) = gong.times { return positions }
      return []
    }
    let back = (overlays.flatMap(\.at) + struck).compactMap { position -> Double? in
      if case .beforeEnd(let seconds) = position.anchor, 0 < seconds { return seconds }
      return nil
    }
    return back.max().map { [max(0, length - $0)...length] } ?? []
  }
}

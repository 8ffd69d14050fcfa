import Signal

/// The starts of cues at positions. A cue that counts from the end is due again if the listener goes back after it, or
/// moves the end: the end then comes a second time.
struct Recurrences: Sendable {
  /// How often each of these cues is due again.
  private var returns: [CueKey: Int] = [:]
  /// They are not due before this frame, that of the last navigation to a stage.
  private var earliest: FrameTime = .min

  mutating func renumber(visit old: Int, to new: Int) {
    returns = Dictionary(returns.map { ($0.key.renumbered(old, new), $0.value) }) { first, _ in first }
  }

  /// All starts of a cue in a span, with the frames at which they are due; nil if they are not. Each return has a key of
  /// its own.
  func starts(
    of cue: Int, at positions: [Programme.Position], in span: CueSpan
  ) -> [(key: CueKey, due: FrameTime?)] {
    var starts: [(key: CueKey, due: FrameTime?)] = []
    starts.reserveCapacity(positions.count)
    for (start, position) in positions.enumerated() {
      var key = CueKey(visit: span.visit, cue: cue, start: start)
      let due = due(position, in: span)
      for _ in 0...(returns[key] ?? 0) {
        starts.append((key, due))
        key.start += positions.count
      }
    }
    return starts
  }

  private func due(_ position: Programme.Position, in span: CueSpan) -> FrameTime? {
    guard let frame = span.frame(position) else { return nil }
    if case .beforeEnd = position, span.visit == 0, frame < earliest { return nil }
    return frame
  }

  /// Makes session-wide cues that count from the end due again if they have begun and the listener goes to a stage that
  /// is followed by them.
  ///
  /// - Parameter span: the session as it continues from there.
  /// - Returns: the keys of their starts that have begun last.
  @discardableResult
  mutating func goBack(
    among cues: [(id: Int, positions: [Programme.Position])], in span: CueSpan, at frame: FrameTime,
    hasBegun: (CueKey) -> Bool
  ) -> [CueKey] {
    earliest = frame
    return comeAgain(among: cues, in: span, at: frame, isOver: hasBegun)
  }

  /// Makes cues that count from the end of a span due again if they are over and that end is still to come.
  ///
  /// - Returns: the keys of their starts that have begun last.
  @discardableResult
  mutating func comeAgain(
    among cues: [(id: Int, positions: [Programme.Position])], in span: CueSpan, at frame: FrameTime,
    isOver: (CueKey) -> Bool
  ) -> [CueKey] {
    var recurring: [CueKey] = []
    for (id, positions) in cues {
      for (start, position) in positions.enumerated() {
        guard case .beforeEnd = position, span.exact(position).map({ frame <= FrameTime(nearest: $0) }) ?? true
        else { continue }
        let first = CueKey(visit: span.visit, cue: id, start: start)
        let last = CueKey(visit: span.visit, cue: id, start: start + (returns[first] ?? 0) * positions.count)
        guard isOver(last) else { continue }
        returns[first, default: 0] += 1
        recurring.append(last)
      }
    }
    return recurring
  }
}

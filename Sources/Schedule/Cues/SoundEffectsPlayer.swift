import Signal

/// All strikes of a gong from one start on.
package struct GongSeries: Sendable {
  let key: CueKey
  package let gong: Programme.Gong
  let span: CueSpan
  /// Session frame of the first strike, with its fraction.
  package let start: Double
  /// Frames between two repeats, with their fraction; 0 if there is only one.
  package let interval: Double
  /// Number of repeats, the first one included; nil until the stage ends.
  package let count: Int?

  /// The clip of one strike; nil after the last strike.
  ///
  /// - Parameters:
  ///   - time: index of the repeat, from 0; each repeat has `gong.strikes` strikes.
  ///   - strike: index of the strike within that repeat, from 0.
  package func clip(time: Int, strike: Int) -> Clip? {
    let first = begin(of: time)
    let begin = FrameTime(nearest: first)
    // Only a counted repeat may begin at the end of the span.
    guard count.map({ time < $0 && begin <= span.endFrame }) ?? (begin < span.endFrame) else { return nil }
    let sound = gong.sound
    let number = time * gong.strikes + strike
    var clip = Clip(
      ClipID(.cue(visit: key.visit, cue: key.cue, start: key.start, time: number), stage: span.stage), layer: .effect,
      source: sound.source, title: sound.title,
      at: FrameTime(nearest: first + Double(strike) * gong.spacing), length: sound.length, gain: sound.gain)
    clip.captions = sound.captions
    return clip
  }

  /// The session frame of one repeat, with its fraction, whether or not the stage lasts so long.
  ///
  /// A repeat that is moved stays on its side of the planned end: none is lost, and an extended stage strikes those that
  /// follow that end after it, so that a later end moves no strike.
  func begin(of time: Int) -> Double {
    let due = start + Double(time) * interval
    guard 0 < interval, let jitter = gong.jitter, 0 < jitter.share else { return due }
    var random = SplitMix(seed: jitter.seed, index: time)
    let offset = (2 * random.fraction() - 1) * jitter.share * interval
    guard let end = jitter.length.map({ span.begin + $0 }) else { return due + offset }
    // Rounded, because a sum of intervals may miss the end by less than a frame.
    let isPlanned = count == nil ? due.rounded() < end.rounded() : due.rounded() <= end.rounded()
    return (due + offset < end) == isPlanned ? due + offset : due - offset
  }

  /// The largest distance by which a repeat is moved, as a share of the interval.
  var jitterShare: Double { gong.jitter?.share ?? 0 }

  /// Whether one of the repeats, moved or not, begins at a frame.
  func strikes(at frame: FrameTime) -> Bool {
    guard 0 < interval else { return FrameTime(nearest: start) == frame }
    let nearest = Int(max(0, min(1e12, ((Double(frame) - start) / interval).rounded())))
    return (max(0, nearest - 1)...nearest + 1).contains { clip(time: $0, strike: 0)?.at == frame }
  }

  /// Index of a repeat at or before the first one with a strike that ends after `frame`.
  func firstTime(endingAfter frame: FrameTime) -> Int {
    guard 0 < interval else { return 0 }
    let spread = Double(gong.strikes) * gong.spacing + Double(gong.sound.length) + jitterShare * interval
    return max(0, Int(min(1e12, (Double(frame) - spread - start) / interval)) - 1)
  }
}

/// The gongs of a session, from the session file and from commands. They overlap: no strike ends another. It is a
/// value from which clips are computed.
struct SoundEffectsPlayer: Sendable {
  private var commanded: [CommandedCue<Programme.Gong>] = []
  /// First frames of the strikes that have begun, so that a later change of the stage's end does not move them.
  private var begun: [CueKey: Double] = [:]
  private var recurrences = Recurrences()
  /// Frames at which all ringing gongs were faded out, in ascending order.
  private(set) var stops: [FrameTime] = []

  /// All series in the spans, session-wide ones first.
  func series(of programme: Programme, in spans: [CueSpan]) -> [GongSeries] {
    let gongs = spans.map { span in (span, span.stage.map { programme.stages[$0].gongs } ?? programme.gongs) }
    var found: [GongSeries] = []
    found.reserveCapacity(gongs.reduce(commanded.count) { $0 + $1.1.count })
    for (span, gongs) in gongs { for gong in gongs { found += series(of: gong, in: span) } }
    for command in commanded {
      // It plays to its end even if its stage has ended.
      var span = CueSpan(sessionEnding: nil)
      span.stage = command.stage
      found.append(
        GongSeries(key: command.key, gong: command.cue, span: span, start: Double(command.at), interval: 0, count: 1))
    }
    return found
  }

  private func series(of gong: Programme.Gong, in span: CueSpan) -> [GongSeries] {
    switch gong.pattern {
    case .at(let positions):
      let all = strikes(of: gong, at: gong.allPositions, in: span)
      if gong.positions.isEmpty { return all }
      let isOther = { (one: GongSeries) in one.key.start % (positions.count + gong.positions.count) >= positions.count }
      let regular = Set(all.filter { !isOther($0) }.map { FrameTime(nearest: $0.start) })
      return all.filter { !isOther($0) || !regular.contains(FrameTime(nearest: $0.start)) }
    case .every(let interval, let count):
      let regular = GongSeries(
        key: CueKey(visit: span.visit, cue: gong.id, start: Self.regular(gong)), gong: gong, span: span,
        start: span.begin + interval, interval: interval, count: count)
      // Two strikes of one gong at one frame would only be louder.
      let others = strikes(of: gong, at: gong.positions, in: span)
        .filter { !regular.strikes(at: FrameTime(nearest: $0.start)) }
      return [regular] + others
    }
  }

  /// The part of the key that stands for all strikes at an interval: no position has it.
  private static func regular(_ gong: Programme.Gong) -> Int { gong.positions.isEmpty ? 0 : 1 << 18 - 1 }

  private func strikes(
    of gong: Programme.Gong, at positions: [Programme.Position], in span: CueSpan
  ) -> [GongSeries] {
    recurrences.starts(of: gong.id, at: positions, in: span).compactMap { key, due in
      guard let at = begun[key] ?? due.map(Double.init) else { return nil }
      return GongSeries(key: key, gong: gong, span: span, start: at, interval: 0, count: 1)
    }
  }

  mutating func strike(_ gong: Programme.Gong, stage: Int, visit: Int, at frame: FrameTime) {
    commanded.append(CommandedCue(gong, id: gong.id, visit: visit, stage: stage, at: frame))
  }

  /// Records the strikes that began before `frame`, so that later edits don't move them. Repeating series count from
  /// the beginning of the stage, which doesn't move.
  mutating func recordBegun(_ series: [GongSeries], before frame: FrameTime) {
    for one in series where one.interval == 0 && FrameTime(nearest: one.start) < frame { begun[one.key] = one.start }
  }

  /// Removes the commanded strikes that have ended, so that their number does not grow with the session.
  mutating func forgetCommanded(endingBefore frame: FrameTime) {
    let isOver = { (strike: CommandedCue<Programme.Gong>) in
      strike.at < frame && strike.cue.sound.length <= frame - strike.at
    }
    for strike in commanded where isOver(strike) { begun[strike.key] = nil }
    commanded.removeAll(where: isOver)
  }

  /// Makes session-wide strikes that count from the end due again if they have begun, because the listener goes to a
  /// stage.
  mutating func goBack(among gongs: [Programme.Gong], in span: CueSpan, at frame: FrameTime) {
    recurrences.goBack(among: positions(of: gongs), in: span, at: frame) { [begun] in begun[$0] != nil }
  }

  /// Makes strikes that count from the end of a span due again if they have begun and that end is still to come.
  mutating func comeAgain(among gongs: [Programme.Gong], in span: CueSpan, at frame: FrameTime) {
    recurrences.comeAgain(among: positions(of: gongs), in: span, at: frame) { [begun] in begun[$0] != nil }
  }

  private func positions(of gongs: [Programme.Gong]) -> [(id: Int, positions: [Programme.Position])] {
    gongs.map { ($0.id, $0.allPositions) }
  }

  /// Continues the strikes of a visit as those of another one.
  mutating func renumber(visit old: Int, to new: Int, ofStage stage: Int) {
    begun = Dictionary(begun.map { ($0.key.renumbered(old, new), $0.value) }) { first, _ in first }
    recurrences.renumber(visit: old, to: new)
    for index in commanded.indices where commanded[index].key.visit == old {
      (commanded[index].key.visit, commanded[index].stage) = (new, stage)
    }
  }

  /// Fades out ringing strikes. Later strikes are kept.
  mutating func stop(at frame: FrameTime) { if stops.last != frame { stops.append(frame) } }

  /// Lets the strikes ring on that `stop` was about to fade out.
  mutating func withdrawStop(at frame: FrameTime) { if stops.last == frame { stops.removeLast() } }

  /// Whether a strike that a command has started begins at `frame` or later.
  func hasCommanded(from frame: FrameTime) -> Bool { commanded.contains { frame <= $0.at } }

  /// Fades out ringing strikes and removes commanded strikes that have not begun.
  mutating func stopCommanded(at frame: FrameTime) {
    stop(at: frame)
    commanded.removeAll { frame <= $0.at }
  }

  /// Removes the commanded strikes of a stage visit that ends at `frame`, except those at `frame` itself.
  mutating func leave(visit: Int, at frame: FrameTime) {
    commanded.removeAll { $0.key.visit == visit && $0.at != frame }
    begun = begun.filter { $0.key.visit != visit }
  }
}

import Signal

/// What is to sound from some frame on: the programme, as the listener has changed it so far. A value: an edit at a frame
/// takes the score to another one, and `Upcoming` writes out what it holds.
struct Score: Sendable {
  /// All stages; those of the run under way at the session frames at which they are played.
  var programme: Programme
  /// As it was laid out before the listener did anything.
  private let plain: Programme
  /// The stages from the one under way to the next open one, or to the last.
  private(set) var run: Range<Int>
  /// The stage under way.
  private(set) var stage: Int
  /// The music of the stage under way last; before it those that still fade out.
  var lines: [MusicLine]
  /// What has begun and goes on, as it goes on.
  var underWay: [Placement] = []
  var series: [OverlaySeries] = []
  /// Earlier cues of the programme have begun, or are left out.
  var from: FrameTime = .min
  /// Cues that were to begin before begin here: they are not to be lost in a pause.
  var postponed: FrameTime = .min
  /// Nothing is heard at the frame of the edit: what leaves is gone at once.
  var isSilent = false
  /// The stages whose cues are still to come.
  var cueStages: Range<Int>
  /// The music that the listener has paused alone.
  var pausedMusic: PausedMusic?

  struct PausedMusic: Sendable {
    var at: FrameTime
    var underWay: [Placement]
    var line: MusicLine
  }

  /// The overlays that the listener has paused alone.
  var pausedOverlays: PausedOverlays?

  struct PausedOverlays: Sendable {
    var at: FrameTime
    var underWay: [Placement]
    var series: [OverlaySeries]
    /// Of the plan, to come.
    var repeats: [Placement]

    /// Its stage is left.
    mutating func keepSessionWide() {
      underWay.removeAll { $0.stage != nil }
      series.removeAll { $0.first.stage != nil }
      repeats.removeAll { $0.stage != nil }
    }
  }

  init(_ programme: Programme, fromStage stage: Int) {
    (self.programme, plain) = (programme, programme)
    run = programme.run(containing: stage)
    self.stage = run.lowerBound
    if 0 < run.lowerBound { self.programme.cues = [] }
    lines = [MusicLine(stage: run.lowerBound, opening: programme.stages[run.lowerBound].music.first)]
    cueStages = run.lowerBound..<run.lowerBound + 1
  }

  var rate: SampleRate { programme.rate }
  var plan: MusicPlan { programme.stages[stage].music }
  var line: MusicLine { lines[lines.count - 1] }
  /// The shortest fade that doesn't click.
  var ramp: FadeShape { FadeShape(length: rate.frames(0.02), curve: .sCurve) }

  /// The frame at which everything is over; nil while an open stage decides.
  var end: FrameTime? {
    if pausedMusic != nil, programme.stages[stage].endsWithMusic { return nil }
    guard let last = lastEnd else { return nil }
    let cues = run.flatMap { programme.stages[$0].cues } + sessionCues + series.map(\.first)
    return max(last, cues.filter { from <= $0.at }.map(\.end).max() ?? 0, underWay.map(\.end).max() ?? 0)
  }

  /// No series begins after the last stage's end; one that has begun by then sounds to its last strike.
  var sessionCues: [Placement] {
    let last = lastEnd ?? .endless
    return programme.cues.filter { $0.seriesBegin <= last }
  }

  /// Brings the score up to a frame: what has begun before is under way as it sounds now, the rest is to come.
  mutating func rebase(at frame: FrameTime, sounding: [Placement]) {
    if postponed < frame { from = max(from, frame) }
    underWay = sounding.filter { isUnderWay($0, at: frame) }
    while stage + 1 < run.upperBound, programme.stages[stage + 1].begin < frame { enter(stage + 1) }
    for index in lines.indices {
      let plan = programme.stages[lines[index].stage].music
      lines[index].advance(to: frame, in: plan)
    }
    lines = lines.filter { $0.stage == stage || ($0.next?.at ?? .endless) < departureEnd(of: $0.stage) ?? frame }
    for index in series.indices { series[index].advance(to: frame) }
    series.removeAll { $0.head == nil }
  }

  /// What is entered at this very frame has begun long ago, unless it is an edit that would enter it there.
  private func isUnderWay(_ placement: Placement, at frame: FrameTime) -> Bool {
    let isEntered = placement.begin == frame && (placement.isTakenUp || placement.at < frame && !isNext(placement))
    return (placement.begin < frame || isEntered) && frame < placement.end
  }

  private func isNext(_ placement: Placement) -> Bool {
    lines.contains { line in
      guard let next = line.next, line.stage == placement.stage else { return false }
      return next.entry == placement.entry && next.enters == placement.enters
    }
  }

  /// The music that sounds at a frame, or is entered there; what the listener has paused alone, as it stood.
  func music(at frame: FrameTime) -> [Placement] {
    if let pausedMusic { return pausedMusic.underWay }
    let entered = line.next.flatMap { $0.enters == frame ? plan.placement(of: $0, in: stage) : nil }
    let sounding = underWay.filter { $0.layer == .music && !$0.isSetAside && frame < $0.end }
    return sounding + [entered].compactMap { $0 }
  }

  private func departureEnd(of stage: Int) -> FrameTime? { programme.stages[stage].music.departure?.end }

  private mutating func enter(_ next: Int) {
    stage = next
    pausedMusic = nil
    lines.append(MusicLine(stage: next, opening: programme.stages[next].music.first))
    cueStages = cueStages.lowerBound..<next + 1
  }

  /// Makes a stage the one under way at `frame`, `position` frames behind its beginning. It and those behind it are laid
  /// out as if nobody had gone anywhere in them before.
  mutating func move(to next: Int, at frame: FrameTime, position: FrameCount) {
    let oldEnd = lastEnd
    run = next..<programme.run(containing: next).upperBound
    let shift = frame - position - plain.stages[next].begin
    for index in run {
      var fresh = plain.stages[index]
      fresh.shift(by: shift)
      let music = programme.stages[index].music
      (fresh.music.tracks, fresh.music.crossfade) = (music.tracks, music.crossfade)
      (fresh.music.repetition, fresh.music.repeatCount) = (music.repetition, music.repeatCount)
      programme.stages[index] = fresh
    }
    moveSessionCues(from: oldEnd)
    stage = next
    pausedMusic = nil
    from = frame
    cueStages = next..<next + 1
    pausedOverlays?.keepSessionWide()
    // A gong that was struck in this very frame rings out like those before it.
    series.removeAll { $0.first.layer != .effect || $0.head?.begin != frame }
  }

  /// Where the last stage ends; nil while an open stage decides.
  private var lastEnd: FrameTime? { programme.stages[run.upperBound - 1].end }

  /// Cues that count from the session's end move with it, unless their series has begun.
  private mutating func moveSessionCues(from old: FrameTime?) {
    guard let old, let new = lastEnd, old != new else { return }
    for (index, cue) in programme.cues.enumerated() where cue.countsFromEnd && from <= cue.seriesBegin {
      programme.cues[index] = cue.shifted(by: new - old)
    }
    programme.cues.sort { $0.at < $1.at }
  }

  /// The session is to end: the stage's music goes on, and nothing else begins any more.
  mutating func wind() {
    run = run.lowerBound..<stage + 1
    from = .endless
    series = []
  }

  /// Brings the end of a stage that ends with its music, and all that follows, to where they are now.
  mutating func retime() {
    guard programme.stages[stage].endsWithMusic, let end = programme.stages[stage].end,
      let turn = line.current ?? line.next
    else { return }
    let music = plan.end(from: turn)
    guard music != .endless else { return }
    let oldEnd = lastEnd
    var now = music
    if case .crossfade(_, let shape) = plan.departure { now -= min(shape.length, now - turn.at) }
    programme.stages[stage].end = now
    programme.stages[stage].music.departure = plan.departure?.shifted(by: now - end)
    for index in run where stage < index { programme.stages[index].shift(by: now - end) }
    programme.stages[stage].cues.removeAll { now < $0.seriesBegin }
    moveSessionCues(from: oldEnd)
  }
}

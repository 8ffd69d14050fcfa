public import Signal

/// What sounds when, from some frame on: a programme as its listener has changed it so far. A pure value.
///
/// Clips, their names and their gains follow from the programme as it now is and from where the listener is in it. An edit
/// makes a new schedule that is worked out anew from its frame on (`applying`); nothing that is to come is patched. Clips
/// that have begun to leave stay as they are, in `tails`.
public struct Schedule: Sendable {
  /// As edited.
  public internal(set) var programme: Programme
  /// The stages of this visit: those that are over, the one under way, and those that follow it without the listener.
  public internal(set) var layouts: [StageLayout]
  /// Index in `layouts` of the stage under way.
  var current = 0
  /// How often the listener has gone to a stage, and at which frame last.
  var visit = 1
  var from: FrameTime = .min
  /// The music of the stage under way.
  var line: MusicLine
  /// Of stages before it, as long as they still sound.
  var outgoing: [MusicLine] = []
  /// Clips that have begun to leave, and sounds of stages that the listener has left.
  var tails: [Clip] = []
  var overlays = OverlayPlayer()
  var effects = SoundEffectsPlayer()
  /// Cues that were to begin while the session fell silent for a pause begin behind it.
  var postponed: [PausedFrames] = []
  /// The session is being ended: no cue begins from here on.
  var lastCue: FrameTime = .endless
  /// The music that the listener has paused alone.
  var pausedMusic: PausedMusic?
  /// Ramps over what an edit would have jump.
  var eases: [ClipID: Fade] = [:]
  /// Nothing is heard at the frame of the edit: what leaves is gone at once.
  var isSilent = false
  /// Everything that ends behind this frame is still known.
  var kept: FrameTime = .min
  private var nextCue: Int

  struct PausedMusic: Sendable {
    var at: FrameTime
    var line: MusicLine
    var outgoing: [MusicLine] = []
    var tails: [Clip] = []
  }

  /// A session that begins with the run of stages in which `stage` lies.
  public init(_ programme: Programme, fromStage stage: Int = 0) {
    var programme = programme
    let first = programme.run(containing: stage).lowerBound
    if 0 < first { (programme.overlays, programme.gongs) = ([], []) }
    nextCue = programme.name()
    self.programme = programme
    layouts = programme.layOut(from: first, at: 0)
    line = MusicLine(move: 0, stage: first, plan: layouts[0].music, turn: layouts[0].music.first)
  }

  public var rate: SampleRate { programme.rate }
  /// Index of the stage under way.
  public var stage: Int { layouts[current].stage }
  public var layout: StageLayout { layouts[current] }
  public var ramp: FadeShape { programme.ramp }
  public var isMusicPaused: Bool { pausedMusic != nil }
  var plan: MusicPlan { line.plan }

  /// The frame at which a stage of this visit begins; of another one, as if it began now.
  public func begin(ofStage index: Int) -> FrameTime {
    layouts.first { $0.stage == index }?.begin ?? layout.begin
  }

  /// The frame at which a stage begins that only the listener ends; nil where none follows.
  public var openBegin: FrameTime? { layouts.last.flatMap { $0.end == nil ? $0.begin : nil } }

  mutating func newCue() -> Int {
    nextCue += 1
    return nextCue - 1
  }
}

/// The music.
extension Schedule {
  /// Whether the stage under way has music that has begun or is to come.
  public var hasMusic: Bool { (pausedMusic?.line ?? line).turn != nil }

  /// The music that sounds at a frame, or that the listener enters there; what is paused alone, as it stood. The current
  /// track is last: the one that the stage under way is playing.
  public func music(at frame: FrameTime) -> [Clip] {
    if let paused = pausedMusic {
      return paused.tails + (paused.outgoing + [paused.line]).compactMap { $0.waiting(at: paused.at) }
    }
    let current = line.waiting(at: frame)?.id
    let music = sounding(at: frame).filter { clip in
      clip.layer == .music && !clip.isPaused && (clip.begin < frame || clip.isContinued || clip.enters == frame)
    }
    // An incoming track that has been sent back is first.
    let (leaving, others) = (music.filter(\.isSentBack), music.filter { !$0.isSentBack })
    return leaving + others.filter { $0.id != current } + others.filter { $0.id == current }
  }
}

/// Cues.
extension Schedule {
  var spans: CueSpans {
    // Counted from the session's end only what knows it.
    let isWhole = layouts.last.map { $0.stage + 1 == programme.stages.count } ?? false
    var session = CueSpan(sessionEnding: isWhole ? layouts.last?.exactEnd : nil)
    session.until = lastCue
    let stages = layouts.map { layout in
      var span = CueSpan(layout, visit: visit)
      (span.from, span.until) = (from, lastCue)
      return span
    }
    return CueSpans(session: session, stages: stages)
  }

  var occurrences: [OverlayOccurrence] { overlays.occurrences(of: programme, in: spans) }
  var series: [GongSeries] { effects.series(of: programme, in: spans) }

  /// Titles of the overlays that sound at a frame, and of those that the listener has paused.
  public func overlays(at frame: FrameTime) -> (sounding: [String], paused: [String]) {
    let sounding = sounding(at: frame).filter { $0.layer == .overlay && !$0.isPaused }
    return (sounding.map(\.title), occurrences.filter(\.isPaused).map(\.overlay.sound.title))
  }

  /// The frame at which everything is over; nil while an open stage decides.
  public var end: FrameTime? {
    guard let last = layouts.last?.end else { return nil }
    var end = max(last, tails.map(\.end).max() ?? 0)
    for occurrence in occurrences { end = max(end, occurrence.end ?? 0) }
    for one in series { end = max(end, one.end ?? 0) }
    return end
  }
}

/// Time.
extension Schedule {
  /// Moves to a frame: what has begun before is under way, the rest is to come.
  ///
  /// - Parameter kept: everything that ends behind this frame stays known.
  public mutating func advance(to frame: FrameTime, keeping kept: FrameTime) {
    self.kept = kept
    overlays.settle(occurrences, at: frame)
    effects.settle(series, at: frame)
    while current + 1 < layouts.count, layouts[current + 1].begin < frame { enterNextStage() }
    for index in outgoing.indices { tails += outgoing[index].advance(to: frame, keeping: kept) }
    if pausedMusic == nil { tails += line.advance(to: frame, keeping: kept) }
    tails.removeAll { $0.end <= kept && $0.releaseEnd <= kept }
    outgoing.removeAll { $0.end <= kept }
    eases = eases.filter { kept < $0.value.end }
  }

  private mutating func enterNextStage() {
    current += 1
    if pausedMusic == nil { outgoing.append(line) }
    line = MusicLine(move: line.move, stage: stage, plan: layout.music, turn: layout.music.first)
    if pausedMusic != nil { pausedMusic = PausedMusic(at: layout.begin, line: line) }
  }

  /// Works out anew what follows from the programme as it now is.
  mutating func layOutAnew(at frame: FrameTime) {
    let old = layout
    let music = (pausedMusic?.line ?? line).turn.map { Programme.Music.under($0) } ?? .none(end: old.exactEnd)
    let rest = programme.layOut(
      from: old.stage, at: old.exactBegin, entrance: old.music.entrance, music: music, isHeld: pausedMusic != nil,
      earliest: min(Double(frame), old.exactEnd ?? .infinity))
    layouts.replaceSubrange(current..., with: lastCue == .endless ? rest : [rest[0]])
    let plan = layout.music
    line.plan = plan
    pausedMusic?.line.plan = plan
  }
}

extension Clip {
  /// Whether its fade-in has been turned round, because the crossfade that it belongs to has been left.
  fileprivate var isSentBack: Bool { fadeIn.map { $0.to < $0.from } ?? false }

  /// Where the music has come forward again behind it.
  var releaseEnd: FrameTime { end == .endless ? .endless : end + (duck?.release ?? 0) }
}

extension OverlayOccurrence {
  /// Where its last repeat ends; nil where it never sounds, or nothing ends it.
  public var end: FrameTime? {
    guard let last = lastTime else { return nil }
    let clips = (clips(of: last) ?? []).filter { span.holds($0.at) }
    return clips.last.flatMap { $0.end == .endless ? nil : $0.end }
  }

  /// The last repeat that sounds.
  private var lastTime: Int? {
    guard clips(of: 0) != nil else { return nil }
    var (low, high) = (0, 1)
    while clips(of: high) != nil {
      (low, high) = (high, 2 * high)
      if 1 << 40 < high { return nil }
    }
    while low + 1 < high {
      let middle = (low + high) / 2
      if clips(of: middle) == nil { high = middle } else { low = middle }
    }
    return low
  }
}

extension GongSeries {
  /// Where its last strike ends; nil where none sounds.
  public var end: FrameTime? {
    guard clip(time: 0, strike: 0) != nil else { return nil }
    let room = span.endFrame == .endless ? nil : Optional(Double(span.endFrame) - start)
    var last = count.map { $0 - 1 } ?? 0
    if 0 < interval, let room { last = min(count.map { $0 - 1 } ?? .max, max(0, Int(room / interval) + 1)) }
    while 0 < last, clip(time: last, strike: 0) == nil { last -= 1 }
    guard let clip = clip(time: last, strike: gong.strikes - 1), span.holds(clip.at) else { return nil }
    return clip.end
  }
}

package import Signal

/// Which sound plays at which frame: a programme with all the edits that the listener has made so far, as a value.
///
/// Clips, their identifiers and their gains are computed from the edited programme and from the position in it. An edit
/// (`applying`) returns a new schedule that is computed again from the edit's frame on. Clips that have started to fade
/// out are kept unchanged in `tails`.
package struct Schedule: Sendable {
  /// The programme, including all edits.
  package internal(set) var programme: Programme
  /// The stages since the last navigation to a stage: finished stages, the current one, and those that follow it
  /// without a command.
  package internal(set) var layouts: [StageLayout]
  /// Index of the current stage in `layouts`.
  var current = 0
  /// Number of visits to stages, the first one included. Cues are identified by it.
  package internal(set) var visit = 1
  /// The session frame of the last navigation to a stage; cues before it are omitted.
  var from: FrameTime = .min
  /// The music of the current stage.
  var stageMusic: StageMusic
  /// The music of earlier stages that can still be heard.
  var outgoing: [StageMusic] = []
  /// Clips that have started to fade out, and cues of stages that the listener has left.
  var tails: [Clip] = []
  var overlays = OverlayPlayer()
  var effects = SoundEffectsPlayer()
  /// Frames of the ramps into pauses. Cues that are due within such a ramp begin after the pause.
  var postponed: [Range<FrameTime>] = []
  /// No cue begins at or after this frame, because a command is ending the session.
  var lastCue: FrameTime = .endless
  /// What the music continues from while it is paused separately from the session; otherwise nil.
  var pausedMusic: PausedMusic?
  /// Ramps that prevent clicks where an edit changes the gain of a clip. Each replaces the clip's own ramp.
  var editRamps: [ClipID: Fade] = [:]
  /// Whether the output is silent at the frame of the edit, so that clips are removed without a fade.
  var isSilent = false
  /// Clips that end after this session frame are kept, because the renderer may be rewound to it.
  var kept: FrameTime = .min
  /// The session frame at which playback began.
  private(set) var start: FrameTime = 0
  /// Whether the session began in its first run of stages, which has the session-wide cues.
  let hasSessionCues: Bool
  /// The first unused number of a cue.
  var nextCue: Int

  /// When the music was paused, and what was then fading out. `stageMusic` does not advance.
  struct PausedMusic: Sendable {
    var at: FrameTime
    var outgoing: [StageMusic] = []
    var tails: [Clip] = []
  }

  /// A session that begins with the run of stages that contains `stage`. Session-wide cues are dropped unless that is
  /// the first run.
  ///
  /// - Parameter start: the session frame to which the caller will advance first.
  package init(_ programme: Programme, fromStage stage: Int = 0, at start: FrameTime = 0) {
    var programme = programme
    let first = programme.firstStage(ofRunContaining: stage)
    hasSessionCues = first == 0
    if !hasSessionCues { (programme.overlays, programme.gongs) = ([], []) }
    nextCue = programme.assignIDs()
    self.programme = programme
    layouts = programme.layOut(from: first, at: 0)
    stageMusic = StageMusic(move: 0, stage: first, plan: layouts[0].music, trackPlay: layouts[0].music.first)
    self.start = start
  }

  package var rate: SampleRate { programme.rate }
  /// Index of the current stage in the programme.
  package var stage: Int { layouts[current].stage }
  /// The layout of the current stage.
  package var layout: StageLayout { layouts[current] }
  /// The shortest fade that prevents a click: 20 ms.
  package var ramp: FadeShape { programme.ramp }
  package var isMusicPaused: Bool { pausedMusic != nil }
  var plan: MusicPlan { stageMusic.plan }

  /// The session frame at which a stage begins. For a stage that is not in `layouts` it is the beginning of the current
  /// stage.
  package func begin(ofStage index: Int) -> FrameTime {
    layouts.first { $0.stage == index }?.begin ?? layout.begin
  }

  /// The open stage that ends `layouts`; nil if there is none.
  package var openLayout: StageLayout? { layouts.last.flatMap { $0.end == nil ? $0 : nil } }

  /// A number for a cue that a command starts.
  mutating func newCue() -> Int {
    nextCue += 1
    return nextCue - 1
  }
}

/// Music.
extension Schedule {
  /// Whether the current stage has music that is playing or still to come.
  package var hasMusic: Bool { stageMusic.trackPlay != nil }

  /// The music clips that play at `frame`, or that the listener has navigated to there. If the music is paused
  /// separately, they are the clips at the frame of the pause. The current track of the current stage is last.
  package func music(at frame: FrameTime) -> [Clip] {
    if let paused = pausedMusic {
      return paused.tails + (paused.outgoing + [stageMusic]).compactMap { $0.waiting(at: paused.at) }
    }
    let current = stageMusic.waiting(at: frame)?.id
    let music = playing(at: frame).filter { clip in
      clip.layer == .music && !clip.isPaused && (clip.begin < frame || clip.isContinued || clip.entryFrame == frame)
    }
    // An incoming track whose crossfade is being rolled back comes first: it is not the current track.
    let (leaving, others) = (music.filter(\.isRolledBack), music.filter { !$0.isRolledBack })
    return leaving + others.filter { $0.id != current } + others.filter { $0.id == current }
  }
}

/// Cues.
extension Schedule {
  /// The spans of the session and of the stages in `layouts`, the session first.
  var spans: [CueSpan] {
    programme.spans(of: layouts, visit: visit).map { span in
      var span = span
      if span.stage != nil { span.from = from }
      span.until = lastCue
      return span
    }
  }

  /// All overlays in the spans.
  var occurrences: [OverlayOccurrence] { overlays.occurrences(of: programme, in: spans) }
  /// All gongs in the spans.
  var series: [GongSeries] { effects.series(of: programme, in: spans) }

  /// Titles of the overlays that play at `frame`, and of those that the listener has paused.
  package func overlays(at frame: FrameTime) -> (playing: [String], paused: [String]) {
    let playing = playing(at: frame).filter { $0.layer == .overlay && !$0.isPaused }
    return (playing.map(\.title), pausedOverlays.filter { frame < $0.end }.map(\.clip.title))
  }

  /// The overlays that the listener has paused: the clip that the pause ended or, between two repeats, the next repeat,
  /// and the session frame at which the overlay ends if it is not resumed.
  package var pausedOverlays: [(clip: Clip, end: FrameTime)] { occurrences.compactMap(\.paused) }

  /// Whether an overlay is heard at `frame`, is paused there, or is silent between two repeats.
  package func hasOverlay(at frame: FrameTime) -> Bool {
    !overlays.current(among: occurrences, at: frame).isEmpty
      || playing(at: frame).contains { $0.layer == .overlay && !$0.isPaused }
  }

  /// Whether an overlay's clip ends after `frame`.
  package func isToCome(_ id: ClipID, at frame: FrameTime) -> Bool {
    guard case .cue(let visit, let cue, let start, let time) = id.origin else { return false }
    let occurrence = occurrences.first { $0.key == CueKey(visit: visit, cue: cue, start: start) }
    return occurrence?.heardClips(of: time)?.last.map { frame < $0.end } ?? false
  }

  /// The frame at which the last sound ends, as pauses and stops leave it; nil if the last stage in `layouts` is open.
  package var end: FrameTime? {
    guard let last = layouts.last?.end else { return nil }
    // If a command ends the session, the music may be crossfading into a stage that does not begin.
    var end = max(last, lastCue == .endless ? 0 : stageMusic.end, tails.map { adjusted($0).end }.max() ?? 0)
    func extend(by cue: Clip) { if cue.end != .endless { end = max(end, adjusted(cue).end) } }
    for occurrence in occurrences { occurrence.last.map(extend) }
    for one in series { one.lastStrike.map(extend) }
    return end
  }
}

/// Time.
extension Schedule {
  /// Moves the position to `frame`: clips that begin before it are current or finished, all others are upcoming.
  ///
  /// - Parameter kept: clips that end after this frame are kept.
  package mutating func advance(to frame: FrameTime, keeping kept: FrameTime) {
    self.kept = kept
    let (occurrences, series) = (occurrences, series)
    overlays.recordBegun(occurrences, before: frame)
    effects.recordBegun(series, before: frame)
    // A ramp into a pause may have moved a cue by some milliseconds.
    let over = kept == .min ? .min : kept - rate.frames(1)
    overlays.forgetCommanded(occurrences, endingBefore: over)
    effects.forgetCommanded(endingBefore: over)
    while current + 1 < layouts.count, layouts[current + 1].begin < frame { enterNextStage() }
    for index in outgoing.indices { tails += outgoing[index].advance(to: frame, keeping: kept) }
    if pausedMusic == nil { tails += stageMusic.advance(to: frame, keeping: kept) }
    tails.removeAll { $0.end <= kept && $0.releaseEnd <= kept }
    outgoing.removeAll { $0.end <= kept }
    editRamps = editRamps.filter { kept < $0.value.end }
  }

  /// Makes the track or stage that begins at `frame` without a crossfade the current one, because its predecessor has
  /// ended.
  mutating func enterWithoutCrossfade(at frame: FrameTime) {
    if current + 1 < layouts.count, layouts[current + 1].begin == frame, layout.crossfadeOut?.length == 0 {
      enterNextStage()
      stageMusic.hasBegun = stageMusic.trackPlay != nil
    } else if let now = stageMusic.current(at: frame - 1), now.end == frame, let trackPlay = stageMusic.trackPlay,
      let next = plan.successor(of: trackPlay), next.begin == frame, !stageMusic.isOver(by: frame), pausedMusic == nil
    {
      if kept < now.end { tails.append(now) }
      stageMusic.trackPlay = next
    }
  }

  private mutating func enterNextStage() {
    current += 1
    if pausedMusic == nil { outgoing.append(stageMusic) }
    stageMusic = StageMusic(move: stageMusic.move, stage: stage, plan: layout.music, trackPlay: layout.music.first)
    // Separately paused music waits at the beginning of the next stage.
    if pausedMusic != nil { pausedMusic = PausedMusic(at: layout.begin) }
  }

  /// Recomputes the layouts from the current stage on, after the programme has changed.
  mutating func updateLayouts(at frame: FrameTime) {
    let old = layout
    let music = stageMusic.trackPlay.map { Programme.Music.current($0) } ?? .none(end: old.exactEnd)
    let rest = programme.layOut(
      from: old.stage, at: old.exactBegin, openingFade: old.music.openingFade, music: music,
      isMusicPaused: pausedMusic != nil, hasEnded: old.exactEnd.map { $0 <= Double(frame) } ?? false,
      earliest: min(Double(frame), old.exactEnd ?? .infinity))
    // While a command ends the session, no stage follows the current one.
    layouts.replaceSubrange(current..., with: lastCue == .endless ? rest : [rest[0]])
    stageMusic.plan = layout.music
    updateTails(at: frame)
  }

  /// Gives the outgoing track of a running crossfade within the stage the stage's new ending.
  private mutating func updateTails(at frame: FrameTime) {
    // If the music has been left, its tails already have their fades.
    guard let trackPlay = stageMusic.trackPlay else { return }
    let ending = plan.effectiveEnding(from: trackPlay)
    for index in tails.indices where tails[index].isTrack(ofMove: stageMusic.move, stage: stage) {
      guard !tails[index].isPaused, let fadeOut = tails[index].fadeOut, fadeOut.to == 0, fadeOut.start < frame,
        tails[index].leave.map({ frame <= $0.start }) ?? true
      else { continue }
      plan.replaceEnding(of: &tails[index], crossfading: fadeOut, by: ending)
    }
  }
}

extension Clip {
  /// Whether it is a track of one visit to a stage, planned after `move` navigations.
  func isTrack(ofMove move: Int, stage: Int) -> Bool {
    if case .track(move, _, _) = id.origin { id.stage == stage } else { false }
  }

  /// Whether the fade-in runs backwards, because the crossfade was rolled back.
  fileprivate var isRolledBack: Bool { fadeIn.map { $0.to < $0.from } ?? false }

  /// The frame at which the music is back at full volume after ducking for this clip.
  var releaseEnd: FrameTime { end == .endless ? .endless : end + (duck?.release ?? 0) }
}

extension OverlayOccurrence {
  /// The clip that ends last; nil if there is none or no bound.
  fileprivate var last: Clip? {
    guard var time = lastTime, var last = heardClips(of: time)?.last else { return nil }
    // A layer may be longer than those that begin after it.
    while overlay.overlaps, 0 < time, let begin = begin(of: time - 1), last.end - begin < overlay.longest {
      time -= 1
      if let earlier = heardClips(of: time)?.last, last.end < earlier.end { last = earlier }
    }
    return last
  }

  /// Index of the last repeat, found by binary search; nil if there is none or no bound.
  private var lastTime: Int? {
    guard heardClips(of: 0) != nil else { return nil }
    var (low, high) = (0, 1)
    while heardClips(of: high) != nil {
      (low, high) = (high, 2 * high)
      if 1 << 40 < high { return nil }
    }
    while low + 1 < high {
      let middle = (low + high) / 2
      if heardClips(of: middle) == nil { high = middle } else { low = middle }
    }
    return low
  }
}

extension GongSeries {
  /// The last strike that is heard; nil if there is none. A command may end the session between two strikes, also
  /// when strikes of an earlier repeat follow those of the last one.
  var lastStrike: Clip? {
    guard let last else { return nil }
    let isCut = span.until != .endless && 0 < interval
    let overlapping = isCut ? Int(min(1e6, Double(gong.strikes) * gong.spacing / interval + 2 * jitterShare)) : 0
    let heard = (max(0, last - overlapping)...last).lazy.compactMap { time in
      (0..<gong.strikes).reversed().lazy.compactMap { clip(time: time, strike: $0) }.first { span.holds($0.at) }
    }
    return heard.max { $0.at < $1.at }
  }

  /// Index of the last repeat that begins before a command ends the session; nil if there is none.
  var last: Int? {
    let holds = { (time: Int) in clip(time: time, strike: 0).map { $0.at < span.until } ?? false }
    guard holds(0) else { return nil }
    let bound = min(span.endFrame, span.until)
    let room = bound == .endless ? nil : Optional(Double(bound) - start)
    // Starts at the last repeat that could begin in the span, and goes back to the first one that does.
    var last = count.map { $0 - 1 } ?? 0
    if 0 < interval, let room { last = min(count.map { $0 - 1 } ?? .max, max(0, Int(room / interval) + 1)) }
    while 0 < last, !holds(last) { last -= 1 }
    return last
  }
}

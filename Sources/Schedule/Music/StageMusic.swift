import Signal

/// The music of one stage while it plays: the current track play, from which all later ones are computed.
struct StageMusic: Sendable {
  /// Number of navigations before this music began.
  var move: Int
  var stage: Int
  /// The plan of the stage. For a stage that has ended, it is the plan at its end.
  var plan: MusicPlan
  /// The track play that began last, or the first one if none has begun; nil if there is no music.
  var trackPlay: MusicPlan.TrackPlay?
  /// Whether `trackPlay` has begun.
  var hasBegun = false

  /// The clips from the current track play on.
  var clips: MusicPlan.Clips { MusicPlan.Clips(plan: plan, from: trackPlay, move: move, stage: stage) }

  func clip(of trackPlay: MusicPlan.TrackPlay) -> Clip { plan.clip(of: trackPlay, move: move, stage: stage) }

  /// The current clip; nil if none has begun, or if the last one has ended.
  func current(at frame: FrameTime) -> Clip? {
    guard hasBegun, let trackPlay else { return nil }
    let clip = clip(of: trackPlay)
    return frame < clip.end ? clip : nil
  }

  /// The current clip of paused music. Includes a clip that was due to begin at the frame of the pause.
  func waiting(at frame: FrameTime) -> Clip? {
    if hasBegun { return current(at: frame) }
    return trackPlay.map { clip(of: $0) }.flatMap { $0.begin <= frame && frame < $0.end ? $0 : nil }
  }

  /// Advances to the last track play that began before `frame`.
  ///
  /// - Returns: the earlier clips that end after `kept`.
  mutating func advance(to frame: FrameTime, keeping kept: FrameTime) -> [Clip] {
    guard let first = trackPlay, first.begin < frame else { return [] }
    hasBegun = true
    var passed: [Clip] = []
    // Tracks overlap by at most half of the shorter one, so only the last few can still be heard.
    if let recent = recentTrackPlay(before: min(frame, kept)) { trackPlay = recent }
    while let now = trackPlay, let next = plan.successor(of: now), next.begin < frame, !isOver(by: next.begin) {
      let clip = clip(of: now)
      if kept < clip.end { passed.append(clip) }
      trackPlay = next
    }
    return passed
  }

  /// A track play shortly before the last one that has begun, from which the caller can step on; nil if that is not
  /// faster than stepping from `trackPlay`.
  private func recentTrackPlay(before frame: FrameTime) -> MusicPlan.TrackPlay? {
    guard let trackPlay, let next = plan.successor(of: trackPlay), next.at < frame else { return nil }
    let length = plan.tracks.map { min($0.length, 1 << 40) }.max() ?? 0
    let safe = min(frame, plan.ending?.end ?? .endless) - 3 * length
    return trackPlay.at < safe ? plan.trackPlay(at: safe, from: trackPlay) : nil
  }

  /// Stores the fade-in of the current track play, so that a change of the plan's crossfade does not affect it.
  mutating func keepFadeIn() {
    guard hasBegun, var trackPlay else { return }
    trackPlay.fadeIn = clip(of: trackPlay).fadeIn
    self.trackPlay = trackPlay
  }

  /// The first frame at which the music is silent.
  var end: FrameTime {
    guard let trackPlay else { return .min }
    return min(plan.ending?.end ?? .endless, plan.end(from: trackPlay))
  }

  /// Whether the fade-out at the end of the stage has started by `frame` and can still be heard.
  func isFadingOut(at frame: FrameTime) -> Bool {
    guard let ending = plan.ending else { return false }
    return ending.fade.start <= frame && frame < end
  }

  /// Shortens the rest of the fade-out at the end of the stage to `length` frames.
  mutating func shortenEnding(at frame: FrameTime, over length: FrameCount) {
    guard var ending = plan.effectiveEnding(from: trackPlay) else { return }
    ending.fade = ending.fade.shortened(at: frame, over: length)
    plan.ending = ending
  }

  /// Whether the stage has ended the music by `frame`.
  func isOver(by frame: FrameTime) -> Bool { plan.ending.map { $0.end <= frame } ?? false }

  /// The music resumed at `frame` after a pause of `shift` frames.
  func continued(at frame: FrameTime, later shift: FrameCount, ramp: FrameCount) -> StageMusic {
    guard let trackPlay, shift != 0 else { return self }
    var stageMusic = self
    stageMusic.trackPlay = trackPlay.continued(at: frame, later: shift, fadeIn: clip(of: trackPlay).fadeIn, ramp: ramp)
    return stageMusic
  }
}

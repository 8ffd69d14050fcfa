import Signal

/// The music of one stage as it is played: the current playing, from which all following ones are computed.
struct MusicLine: Sendable {
  /// Number of navigations before this line began.
  var move: Int
  var stage: Int
  /// The plan of the stage; for a stage that was left, the plan at that time.
  var plan: MusicPlan
  /// The playing that began last, or the first one if none has begun; nil if the line has no music.
  var trackPlay: MusicPlan.TrackPlay?
  /// Whether `turn` has begun.
  var hasBegun = false

  /// The clips from the current playing on.
  var clips: MusicPlan.Clips { MusicPlan.Clips(plan: plan, from: trackPlay, move: move, stage: stage) }

  func clip(of trackPlay: MusicPlan.TrackPlay) -> Clip { plan.clip(of: trackPlay, move: move, stage: stage) }

  /// The current clip; nil if none has begun, or if the last one has ended.
  func current(at frame: FrameTime) -> Clip? {
    guard hasBegun, let trackPlay else { return nil }
    let clip = clip(of: trackPlay)
    return frame < clip.end ? clip : nil
  }

  /// The same for paused music, including a clip that was due to begin when the pause began.
  func waiting(at frame: FrameTime) -> Clip? {
    if hasBegun { return current(at: frame) }
    return trackPlay.map { clip(of: $0) }.flatMap { $0.begin <= frame ? $0 : nil }
  }

  /// Advances to the last playing that began before `frame`.
  ///
  /// - Returns: the earlier clips that end after `kept`.
  mutating func advance(to frame: FrameTime, keeping kept: FrameTime) -> [Clip] {
    guard let first = trackPlay, first.begin < frame else { return [] }
    hasBegun = true
    var passed: [Clip] = []
    // Playings overlap by at most half of the shorter track, so only the last few can still be heard.
    if let far = farTrackPlay(before: min(frame, kept)) { trackPlay = far }
    while let now = trackPlay, let next = plan.successor(of: now), next.begin < frame, !isOver(by: next.begin) {
      let clip = clip(of: now)
      if kept < clip.end { passed.append(clip) }
      trackPlay = next
    }
    return passed
  }

  /// A playing shortly before the last one that has begun; nil if stepping there is as fast.
  private func farTrackPlay(before frame: FrameTime) -> MusicPlan.TrackPlay? {
    guard let trackPlay, let next = plan.successor(of: trackPlay), next.at < frame else { return nil }
    let length = plan.tracks.map { min($0.length, 1 << 40) }.max() ?? 0
    let safe = min(frame, plan.departure?.end ?? .endless) - 3 * length
    return trackPlay.at < safe ? plan.trackPlay(at: safe, from: trackPlay) : nil
  }

  /// Fixes the fade-in of the current playing, so that a change of the plan's crossfade does not affect it.
  mutating func keepFadeIn() {
    guard hasBegun, var trackPlay else { return }
    trackPlay.fadeIn = clip(of: trackPlay).fadeIn
    self.trackPlay = trackPlay
  }

  /// The first frame at which the line is silent.
  var end: FrameTime {
    guard let trackPlay else { return .min }
    return min(plan.departure?.end ?? .endless, plan.end(from: trackPlay))
  }

  private func isOver(by frame: FrameTime) -> Bool { plan.departure.map { $0.end <= frame } ?? false }

  /// The line resumed at `frame` after a pause of `shift` frames.
  func continued(at frame: FrameTime, later shift: FrameCount, ramp: FrameCount) -> MusicLine {
    guard let trackPlay, shift != 0 else { return self }
    var line = self
    line.trackPlay = trackPlay.continued(at: frame, later: shift, fadeIn: clip(of: trackPlay).fadeIn, ramp: ramp)
    return line
  }
}

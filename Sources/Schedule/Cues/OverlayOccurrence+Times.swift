import Signal

/// What an occurrence does at a frame.
extension OverlayOccurrence {
  /// Whether a command has paused it and not resumed it.
  var isPaused: Bool { pauses.last.map { $0.to == nil } ?? false }

  /// The repeat that plays at `frame`, or else the next one, and its first frame; if the overlay is paused, those at the
  /// frame of the pause. Of several that play, the one that began last. Nil after the last repeat, and once the overlay
  /// fades out because it was stopped or replaced or its stage has ended.
  func repetition(at frame: FrameTime) -> (time: Int, begin: FrameTime)? {
    if let pause = pauses.last, pause.to == nil {
      return paused.flatMap { frame < $0.end ? resumedAtOnce.repetition(at: pause.from) : nil }
    }
    var time = firstTime(endingAfter: frame)
    var newest: (time: Int, begin: FrameTime)?
    while let clips = heardClips(of: time) {
      if let first = clips.first, let last = clips.last, frame < last.end {
        let isLeaving = last.leave.map { $0.start <= frame } ?? false
        if frame < first.begin { return newest ?? (isLeaving ? nil : (time, first.begin)) }
        if !isLeaving { newest = (time, first.begin) }
        if !overlay.overlaps { return newest }
      }
      time += 1
    }
    return newest
  }

  /// Index of the repeat from which a change of the repeats at `frame` counts: the one that plays, or the next one; of
  /// several that have begun, the last.
  func newestTime(at frame: FrameTime) -> Int? {
    guard var (time, _) = repetition(at: frame) else { return nil }
    while overlay.overlaps, let next = heardClips(of: time + 1)?.first, next.begin <= frame { time += 1 }
    return time
  }

  /// The overlay without its last pause.
  private var resumedAtOnce: OverlayOccurrence {
    var running = self
    running.pauses.removeLast()
    return running
  }

  /// What a command has paused, and the frame at which the overlay ends if it is not resumed: that of a stop, that of the
  /// next overlay, or the end of its stage. The clip is the part that the pause has ended or, between two repeats, the
  /// next repeat. Nil if the overlay is not paused.
  var paused: (clip: Clip, end: FrameTime)? {
    guard let pause = pauses.last, pause.to == nil,
      let (time, begin) = resumedAtOnce.repetition(at: pause.from)
    else { return nil }
    let isWaiting = pause.from <= begin
    let clip =
      isWaiting ? resumedAtOnce.heardClips(of: time)?.first : heardClips(of: time)?.last { $0.isPaused }
    let end = span.fadeOut != nil || isWaiting && isBounded ? span.endFrame : .endless
    return clip.map { ($0, min(cut ?? .endless, end)) }
  }

  /// Whether the repeats already are as a change would make them.
  func isUnchanged(by change: RepeatChange) -> Bool {
    let last =
      changes.last { $0.after <= change.after }
      ?? RepeatChange(after: 0, rhythm: overlay.rhythm, times: overlay.times)
    let isInRhythm =
      last.rhythm == change.rhythm
      || overlay.following.isEmpty
        && overlay.step(after: 0, in: last.rhythm) == overlay.step(after: 0, in: change.rhythm)
    guard case .times(let count) = last.times else { return isInRhythm && change.times == .forever }
    return isInRhythm && change.times == .times(count - (change.after - last.after))
  }

  /// The repeat that began before `frame` and is playing at it.
  func playing(at frame: FrameTime) -> (time: Int, begin: FrameTime)? {
    var time = firstTime(endingAfter: frame)
    while let clips = heardClips(of: time), clips.first.map({ $0.begin < frame }) ?? true {
      if let clip = clips.last(where: { $0.begin < frame && frame < $0.end }) { return (time, clip.begin) }
      time += 1
    }
    return nil
  }

  /// Index of a repeat at or before the first one that ends after `frame`.
  func firstTime(endingAfter frame: FrameTime) -> Int {
    let round = overlay.roundLength(in: overlay.rhythm)
    guard changes.isEmpty, round.isFinite, at < frame else { return 0 }
    let paused = pauses.reduce(0) { $0 + (($1.to ?? $1.from) - $1.from) }
    let elapsed = Double(frame - at - paused - (overlay.duck?.release ?? 0)) - Double(overlay.longest)
    if overlay.following.isEmpty { return max(0, Int(min(1e12, elapsed / round)) - 1) }
    return max(0, Int(max(0, min(1e12, elapsed / round))) * overlay.round - 1)
  }
}

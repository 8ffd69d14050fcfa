public import Signal

/// One start of an overlay with all its repeats, in closed form.
public struct OverlayOccurrence: Sendable {
  let key: CueKey
  public let overlay: Programme.Overlay
  let span: CueSpan
  public let at: FrameTime
  let ramp: FadeShape
  /// Another overlay takes its place, or the listener has stopped it: what sounds leaves, nothing more begins.
  public var cut: FrameTime?
  var pauses: [PausedFrames] = []
  /// Another number of repeats, from a repeat on.
  var changes: [RepeatChange] = []

  struct RepeatChange: Sendable, Hashable {
    /// The repeat that sounded then: those behind it are `period` apart.
    var after: Int
    var period: Double
    var times: Programme.Times
  }

  init(_ overlay: Programme.Overlay, key: CueKey, span: CueSpan, at: FrameTime, ramp: FadeShape) {
    (self.overlay, self.key, self.span, self.at, self.ramp) = (overlay, key, span, at, ramp)
  }

  /// Frames from one repeat's beginning to the next one's; infinite for a sound without an end.
  public var period: Double {
    overlay.sound.length == .endless ? .infinity : max(1, Double(overlay.sound.length) + overlay.delay)
  }

  /// None begins at or behind the end of its stage, where another stage follows or it repeats for as long as that lasts.
  private var isBounded: Bool { span.leaving != nil || (changes.last?.times ?? overlay.times) == .forever }

  /// Where a repeat would begin if it were never paused; nil behind the last one.
  func begin(of time: Int) -> FrameTime? {
    var (origin, first, period, times) = (Double(at), 0, self.period, overlay.times)
    for change in changes where change.after < time {
      origin += Double(change.after - first) * period
      (first, period, times) = (change.after, change.period, change.times)
    }
    if case .times(let count) = times, count <= time - first { return nil }
    guard first < time else { return FrameTime(nearest: origin) }
    return period.isFinite ? FrameTime(nearest: origin + Double(time - first) * period) : nil
  }

  /// Whether it would sound at all.
  public var isEmpty: Bool { isBounded && span.endFrame <= at }

  /// The parts of one repeat, in order: one, unless it is paused within; nil behind the last repeat.
  public func clips(of time: Int) -> [Clip]? {
    guard let begin = begin(of: time), var whole = whole(at: begin, time: time) else { return nil }
    var parts: [Clip] = []
    for pause in pauses {
      if whole.end <= pause.from { break }
      if pause.to == pause.from { continue }
      if whole.begin < pause.from {
        var part = whole
        part.leave(at: pause.from, over: ramp)
        part.isPaused = true
        parts.append(part)
        guard let to = pause.to else { return parts.compactMap(bounded) }
        whole = whole.continued(at: to, later: to - pause.from, ramp: ramp.length)
      } else {
        guard let to = pause.to else { return nil }
        whole = whole.shifted(by: to - pause.from)
      }
    }
    if isBounded, span.endFrame <= whole.at, parts.isEmpty { return nil }
    let clips = (parts + [whole]).compactMap(bounded)
    return clips.isEmpty ? nil : clips
  }

  private func whole(at: FrameTime, time: Int) -> Clip? {
    if isBounded, span.endFrame <= at { return nil }
    let sound = overlay.sound
    var clip = Clip(
      ClipID(.cue(visit: key.visit, cue: key.cue, start: key.start, time: time), stage: span.stage), layer: .overlay,
      source: sound.source, title: sound.title, at: at, length: sound.length, gain: sound.gain)
    clip.isLayer = overlay.isLayer
    clip.duck = overlay.duck
    if sound.length == .endless, span.leaving == nil, at < span.endFrame, span.end != nil {
      clip.length = span.endFrame - at
    }
    addFades(to: &clip)
    return clip
  }

  /// Both shortened in proportion where the sound is too short for them.
  private func addFades(to clip: inout Clip) {
    var (fadeIn, fadeOut) = (overlay.fadeIn.length, overlay.fadeOut.length)
    let isCutByTheEnd = overlay.sound.length == .endless && clip.length != .endless
    if isCutByTheEnd { fadeOut = max(fadeOut, ramp.length) }
    if clip.length != .endless, clip.length < fadeIn + fadeOut {
      fadeIn = FrameCount(Double(clip.length) * Double(fadeIn) / Double(fadeIn + fadeOut))
      fadeOut = clip.length - fadeIn
    }
    if 0 < fadeIn { clip.fadeIn = .rising(at: clip.at, over: fadeIn, overlay.fadeIn.curve) }
    if 0 < fadeOut, clip.length != .endless {
      clip.fadeOut = .falling(at: clip.end - fadeOut, over: fadeOut, overlay.fadeOut.curve)
    }
  }

  /// Leaves at the stage's end or at the cut, whichever comes first; nil for what would begin there.
  private func bounded(_ part: Clip) -> Clip? {
    if let cut, cut <= part.begin { return nil }
    var fade: Fade?
    if let leaving = span.leaving, span.end != nil {
      fade = .falling(at: span.endFrame, over: max(ramp.length, leaving.length), leaving.curve)
    }
    if let cut, cut < fade?.start ?? .endless {
      fade = .falling(at: cut, over: max(ramp.length, overlay.fadeOut.length), overlay.fadeOut.curve)
    }
    guard let fade, fade.start < part.end else { return part }
    if fade.start <= part.begin { return nil }
    var clip = part
    if let paused = part.leave, paused.start <= fade.start { return part }
    clip.isPaused = false
    clip.leave = fade
    clip.length = min(part.end, fade.end) - clip.at
    if let fadeOut = clip.fadeOut, clip.end <= fadeOut.start { clip.fadeOut = nil }
    return clip
  }
}

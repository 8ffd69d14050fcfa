package import Signal
import Sounds

/// One start of an overlay, with all its repeats.
package struct OverlayOccurrence: Sendable {
  let key: CueKey
  package let overlay: Programme.Overlay
  let span: CueSpan
  /// The session frame at which the first repeat begins.
  package let at: FrameTime
  let ramp: FadeShape
  /// The frame at which another overlay replaces it or a command stops it: the current repeat fades out, and no further
  /// repeat begins.
  package var cut: FrameTime?
  var pauses: [PausedFrames] = []
  /// Changes of the repeat settings, in order.
  var changes: [RepeatChange] = []

  struct RepeatChange: Sendable, Hashable {
    /// Index of the repeat that was playing; later repeats are `period` frames apart.
    var after: Int
    var period: Double
    var times: Programme.Times
  }

  /// Frames from the beginning of one repeat to the next, as planned; infinite for a sound without an end.
  package var period: Double { period(delay: overlay.delay) }

  /// The same with `delay` frames of silence between the repeats.
  func period(delay: Double) -> Double {
    if delay == 0, let loop { return max(1, loop.exact.frames) }
    return overlay.sound.length == .endless ? .infinity : max(1, Double(overlay.sound.length) + delay)
  }

  /// The exact length, if repeats without a delay between them are converted as one sound: nothing fades in or out.
  private var loop: ResampledLength? {
    overlay.fadeIn.length == 0 && overlay.fadeOut.length == 0 ? overlay.sound.resampled : nil
  }

  /// Whether no repeat may begin at or after the end of the stage: another stage follows, or the overlay repeats until
  /// the stage ends.
  var isBounded: Bool { span.fadeOut != nil || (changes.last?.times ?? overlay.times) == .forever }

  /// The frame at which a repeat would begin if there were no pauses; nil after the last repeat.
  func begin(of time: Int) -> FrameTime? { exactBegin(of: time).map(FrameTime.init(nearest:)) }

  /// The same with its fraction.
  private func exactBegin(of time: Int) -> Double? {
    var (origin, first, period, times) = (Double(at), 0, self.period, overlay.times)
    for change in changes where change.after < time {
      origin += Double(change.after - first) * period
      (first, period, times) = (change.after, change.period, change.times)
    }
    if case .times(let count) = times, count <= time - first { return nil }
    guard first < time else { return origin }
    return period.isFinite ? origin + Double(time - first) * period : nil
  }

  /// Whether the overlay is never heard, because it would begin at the end of its stage.
  package var isEmpty: Bool { isBounded && span.endFrame <= at }

  /// The first frame at which the listener hears it; `.endless` if that is skipped, stopped, paused or replaced.
  var heardFrom: FrameTime {
    let skipped = span.from <= at ? 0 : (Double(span.from - at) / period).rounded(.up)
    return skipped < 1e12 ? heardClips(of: Int(skipped))?.first?.begin ?? .endless : .endless
  }

  /// The loss when the next overlay begins before the last repeat of this one has ended, or before its fade-out; nil if
  /// nothing is lost. To replace a sound without an end, or one that repeats forever between two repeats, is no loss.
  func replacement(by next: OverlayOccurrence) -> OverlayReplacement? {
    let frame = next.at
    guard overlay.sound.length != .endless, !isBounded || frame < span.endFrame else { return nil }
    let time = Int(Double(frame - at) / period)
    let isCut = begin(of: time).map { frame + overlay.fadeOut.length < $0 + overlay.sound.length } ?? false
    let isFollowed = begin(of: time + 1).map { !isBounded || $0 < span.endFrame } ?? false
    guard isCut || overlay.times != .forever && isFollowed else { return nil }
    return OverlayReplacement(replaced: key.cue, replacing: next.key.cue, begin: at, frame: frame)
  }

  /// The parts of one repeat, in order: one, plus one for each pause within it. Nil after the last repeat.
  package func clips(of time: Int) -> [Clip]? {
    guard let begin = begin(of: time), var whole = whole(at: begin, time: time) else { return nil }
    var parts: [Clip] = []
    for pause in pauses {
      if whole.end <= pause.from { break }
      // A pause without length does not split the repeat.
      if pause.to == pause.from { continue }
      if whole.begin < pause.from {
        var part = whole
        part.leave(at: pause.from, over: ramp)
        part.isPaused = true
        parts.append(part)
        // Nothing follows until the overlay is resumed.
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

  /// The parts of one repeat, or none if the listener has skipped it. Nil after the last repeat, and for repeats that
  /// would begin after a command has started to end the session.
  func heardClips(of time: Int) -> [Clip]? {
    guard let clips = clips(of: time), let first = clips.first, first.at < span.until else { return nil }
    return span.from <= first.at ? clips : []
  }

  /// One repeat without its pauses, beginning at `at`; nil if it would begin after the end of its span.
  private func whole(at: FrameTime, time: Int) -> Clip? {
    if isBounded, span.endFrame <= at { return nil }
    let sound = overlay.sound
    var clip = Clip(
      ClipID(.cue(visit: key.visit, cue: key.cue, start: key.start, time: time), stage: span.stage), layer: .overlay,
      source: sound.source, title: sound.title, at: at, length: sound.length, gain: sound.gain)
    clip.isLayer = overlay.isLayer
    clip.duck = overlay.duck
    join(&clip, time: time)
    // No crossfade follows that would end the sound, so it ends with its span.
    if sound.length == .endless, span.fadeOut == nil, at < span.endFrame, span.end != nil {
      clip.length = span.endFrame - at
    }
    addFades(to: &clip)
    return clip
  }

  /// Joins a repeat and those directly before and after it.
  private func join(_ clip: inout Clip, time: Int) {
    guard let loop, let begin = exactBegin(of: time) else { return }
    let length = loop.exact.frames
    func follows(_ later: Int) -> Bool {
      guard let end = exactBegin(of: later - 1), let begin = exactBegin(of: later) else { return false }
      return abs(end + length - begin) < 0.001
    }
    clip.join = SoundJoin(
      delay: ExactFrames(nearest: begin - begin.rounded()),
      before: 0 < time && follows(time) ? SoundJoin.Predecessor(clip.source, loop) : nil,
      after: follows(time + 1) ? clip.source : nil)
    if clip.join != nil { clip.length = FrameTime(nearest: begin + length) - FrameTime(nearest: begin) }
  }

  /// Adds the fade-in and the fade-out, both shortened in proportion if the sound is shorter than their sum.
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

  /// The part with the fade-out at the stage's end or at `cut`, whichever comes first; nil for a part that would begin
  /// at or after that fade-out.
  private func bounded(_ part: Clip) -> Clip? {
    if let cut, cut <= part.begin { return nil }
    var fade: Fade?
    if let fadeOut = span.fadeOut, span.end != nil {
      fade = .falling(at: span.endFrame, over: max(ramp.length, fadeOut.length), fadeOut.curve)
    }
    if let cut, cut < fade?.start ?? .endless {
      fade = .falling(at: cut, over: max(ramp.length, overlay.fadeOut.length), overlay.fadeOut.curve)
    }
    guard let fade, fade.start < part.end else { return part }
    if fade.start <= part.begin { return nil }
    var clip = part
    // The ramp into the pause ends the part before the fade-out begins.
    if let paused = part.leave, paused.start <= fade.start { return part }
    clip.isPaused = false
    clip.leave = fade
    clip.length = min(part.end, fade.end) - clip.at
    if let fadeOut = clip.fadeOut, clip.end <= fadeOut.start { clip.fadeOut = nil }
    return clip
  }
}

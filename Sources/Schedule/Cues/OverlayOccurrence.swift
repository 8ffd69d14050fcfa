package import Signal
import Sounds

/// One start of an overlay, with all its repeats. The sounds of a list are repeats, too, each of another sound.
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
    /// Index of the repeat that was playing; later repeats follow in this rhythm.
    var after: Int
    var rhythm: Programme.Overlay.Rhythm
    var times: Programme.Times
  }

  /// Whether no repeat may begin at or after the end of the stage: another stage follows, or the overlay repeats until
  /// the stage ends.
  var isBounded: Bool { span.fadeOut != nil || (changes.last?.times ?? overlay.times) == .forever }

  /// Whether a repeat of a layer could begin at `frame` or before it, although earlier ones play.
  func mayBegin(_ time: Int, by frame: FrameTime) -> Bool {
    overlay.overlaps && overlay.isLayer && begin(of: time).map { $0 <= frame } ?? false
  }

  /// The frame at which a repeat would begin if there were no pauses; nil after the last repeat.
  func begin(of time: Int) -> FrameTime? { exactBegin(of: time).map(FrameTime.init(nearest:)) }

  /// The same with its fraction.
  private func exactBegin(of time: Int) -> Double? {
    var (origin, first, rhythm, times) = (Double(at), 0, overlay.rhythm, overlay.times)
    for change in changes where change.after < time {
      origin += overlay.distance(from: first, to: change.after, in: rhythm)
      (first, rhythm, times) = (change.after, change.rhythm, change.times)
    }
    if case .times(let count) = times, count <= time - first { return nil }
    guard first < time else { return origin }
    let distance = overlay.distance(from: first, to: time, in: rhythm)
    return distance.isFinite ? origin + distance : nil
  }

  /// Whether the overlay is never heard, because it would begin at the end of its stage.
  package var isEmpty: Bool { isBounded && span.endFrame <= at }

  /// The first frame at which the listener hears it; `.endless` if that is skipped, stopped, paused or replaced.
  var heardFrom: FrameTime {
    if span.from <= at { return heardClips(of: 0)?.first?.begin ?? .endless }
    let rounds = (Double(span.from - at) / overlay.roundLength(in: overlay.rhythm)).rounded(.down)
    guard rounds < 1e12 else { return .endless }
    var time = Int(rounds) * overlay.round
    while let begin = begin(of: time), begin < span.from { time += 1 }
    return heardClips(of: time)?.first?.begin ?? .endless
  }

  /// The loss when the next overlay begins before the last repeat of this one has ended, or before its fade-out; nil if
  /// nothing is lost. To replace a sound without an end, or one that repeats forever between two repeats, is no loss.
  func replacement(by next: OverlayOccurrence) -> OverlayReplacement? {
    let frame = next.at
    guard overlay.longest != .endless, !isBounded || frame < span.endFrame else { return nil }
    let time = lastTime(plannedBy: frame)
    let isCut = begin(of: time).map { frame + overlay.fadeOut.length < $0 + overlay.sound(of: time).length } ?? false
    let isFollowed = begin(of: time + 1).map { !isBounded || $0 < span.endFrame } ?? false
    guard isCut || overlay.times != .forever && isFollowed else { return nil }
    return OverlayReplacement(replaced: key.cue, replacing: next.key.cue, begin: at, frame: frame)
  }

  /// Index of the last repeat that is planned to begin at `frame` or before it; 0 if there is none.
  private func lastTime(plannedBy frame: FrameTime) -> Int {
    let rounds = (Double(frame - at) / overlay.roundLength(in: overlay.rhythm)).rounded(.down)
    var time = Int(max(0, min(1e12, rounds))) * overlay.round
    if overlay.following.isEmpty { return time }
    while let next = begin(of: time + 1), next <= frame { time += 1 }
    return time
  }

  /// The parts of one repeat, in order: one, plus one for each pause within it. Nil after the last repeat.
  package func clips(of time: Int) -> [Clip]? {
    guard let begin = begin(of: time), var whole = whole(at: begin, time: time) else { return nil }
    var parts: [Clip] = []
    // The frame at which the next sound ends this one.
    var next = successor(of: time).flatMap { $0 < whole.end ? $0 : nil }
    for pause in pauses {
      // One that fades out since the next sound began is over before the pause ends.
      if whole.end <= pause.from || next ?? .endless < pause.from { break }
      // A pause without length does not split the repeat.
      if pause.to == pause.from { continue }
      if whole.begin < pause.from {
        var part = whole
        part.leave(at: pause.from, over: ramp)
        part.isPaused = true
        parts.append(part)
        // Nothing follows until the overlay is resumed.
        guard let to = pause.to else { return parts.compactMap { bounded($0) } }
        whole = whole.continued(at: to, later: to - pause.from, ramp: ramp.length)
        next? += to - pause.from
      } else {
        guard let to = pause.to else { return nil }
        whole = whole.shifted(by: to - pause.from)
        next? += to - pause.from
      }
    }
    if isBounded, span.endFrame <= whole.at, parts.isEmpty { return nil }
    let clips = parts.compactMap { bounded($0) } + [bounded(whole, replacedAt: next)].compactMap(\.self)
    return clips.isEmpty ? nil : clips
  }

  /// The parts of one repeat, or none if the listener has skipped it. Nil after the last repeat, and for repeats that
  /// would begin after a command has started to end the session.
  func heardClips(of time: Int) -> [Clip]? {
    guard let clips = clips(of: time), let first = clips.first, first.at < span.until else { return nil }
    return span.from <= first.at ? clips : []
  }

  /// The frame at which the next repeat begins if there are no pauses, and replaces this one; nil if it does not.
  private func successor(of time: Int) -> FrameTime? {
    guard overlay.overlaps, !overlay.isLayer, let next = begin(of: time + 1) else { return nil }
    return isBounded && span.endFrame <= next ? nil : next
  }

  /// One repeat without its pauses, beginning at `at`; nil if it would begin after the end of its span.
  private func whole(at: FrameTime, time: Int) -> Clip? {
    if isBounded, span.endFrame <= at { return nil }
    let sound = overlay.sound(of: time)
    var clip = Clip(
      ClipID(.cue(visit: key.visit, cue: key.cue, start: key.start, time: time), stage: span.stage), layer: .overlay,
      source: sound.source, title: sound.title, at: at, length: sound.length, gain: sound.gain)
    (clip.isLayer, clip.captions) = (overlay.isLayer, sound.captions)
    clip.duck = overlay.duck
    join(&clip, time: time)
    // No crossfade follows that would end the sound, so it ends with its span.
    if sound.length == .endless, span.fadeOut == nil, at < span.endFrame, span.end != nil {
      clip.length = span.endFrame - at
    }
    addFades(to: &clip, isEndless: sound.length == .endless)
    return clip
  }

  /// Joins a repeat and those directly before and after it.
  private func join(_ clip: inout Clip, time: Int) {
    guard let loop = overlay.loop, let begin = exactBegin(of: time) else { return }
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
  private func addFades(to clip: inout Clip, isEndless: Bool) {
    var (fadeIn, fadeOut) = (overlay.fadeIn.length, overlay.fadeOut.length)
    let isCutByTheEnd = isEndless && clip.length != .endless
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

  /// The part with the fade-out at the stage's end, at `cut` or where the next sound begins, whichever comes first; nil
  /// for a part that would begin at or after that fade-out.
  private func bounded(_ part: Clip, replacedAt next: FrameTime? = nil) -> Clip? {
    let cut = next.map { min($0, self.cut ?? .endless) } ?? self.cut
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

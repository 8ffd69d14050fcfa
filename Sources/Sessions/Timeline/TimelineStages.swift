import Engine
import Player
import Signal

/// A stage in frames, with the exact place of its boundaries: rounding comes last, so that it never adds up.
struct StageSpan {
  var stage: Timeline.Stage
  /// In frames, with their fractions; the end is nil for an open stage.
  var begin: Double
  var end: Double?
  /// From the stage's end on, into the next one; nil for a stage that nothing follows.
  var leaving: FadeShape?
}

/// Lays the stages out one after the other, and their music with them.
struct TimelineStages {
  let session: Session
  let sounds: TimelineSounds
  var notes: TimelineNotes

  var rate: SampleRate { sounds.rate }

  mutating func layOut() throws(TimelineFailure) -> [StageSpan] {
    var spans: [StageSpan] = []
    var begin = 0.0
    for index in session.stages.indices {
      let span = span(of: index, from: begin, entrance: entrance(of: index, behind: spans.last))
      begin = span.end ?? 0
      spans.append(span)
      let seconds = begin / Double(rate.hertz)
      if TimelineLimits.seconds < seconds {
        notes.error(session.stages[index].place, "the session is longer than 168 hours", mend: "shorten its stages")
        break
      }
    }
    if notes.problems.isEmpty, spans.allSatisfy({ $0.stage.end == 0 }) {
      notes.error(session.stages[0].place, "the session is over as soon as it begins", mend: "give a stage a duration")
    }
    try notes.check()
    return spans
  }

  private mutating func span(of index: Int, from begin: Double, entrance: FadeShape) -> StageSpan {
    let stage = session.stages[index]
    var music = music(of: stage, begin: FrameTime(nearest: begin), entrance: entrance)
    let isLast = index + 1 == session.stages.count
    let cross = isLast ? FadeShape.none : crossfade(into: index + 1, from: stage, music, begin)
    let end = end(of: stage, music: music, begin: begin, crossfade: cross.length)
    let asked = index == 0 ? nil : Optional(rate.frames(stage.crossfade.duration))
    let frame = end.map { FrameTime(nearest: $0) }
    if let frame { music.departure = departure(of: stage, music, end: frame, isLast: isLast, cross) }
    if isLast { checkFadeOut(of: stage, music) }
    tellSilence(of: stage, music, end: frame)
    tellShortened(in: stage, music, end: frame)
    var layout = Timeline.Stage(
      name: stage.name, begin: music.begin, end: frame, crossfade: index == 0 ? .none : entrance,
      crossfadeAsked: asked == entrance.length ? nil : asked, music: music, cues: [])
    layout.endsWithMusic = stage.duration == .natural
    return StageSpan(stage: layout, begin: begin, end: end, leaving: isLast ? nil : cross)
  }

  private func music(of stage: Session.Stage, begin: FrameTime, entrance: FadeShape) -> MusicPlan {
    let tracks = stage.tracks.enumerated().map { index, sound in
      var track = Track(
        source: sound.source, title: sound.title, gain: sound.volume, length: sounds.length(of: sound))
      track.number = stage.trackNumbers?[index]
      return track
    }
    return MusicPlan(
      tracks: tracks, repetition: stage.repetition, repeatCount: stage.repeatCount, gain: stage.volume,
      crossfade: shape(stage.crossfade), entrance: entrance, departure: nil, begin: begin)
  }

  /// Where the stage ends, in exact frames; nil for an open one.
  private mutating func end(
    of stage: Session.Stage, music: MusicPlan, begin: Double, crossfade: FrameCount
  ) -> Double? {
    switch stage.duration {
    case .open: return nil
    case .seconds(let seconds): return begin + seconds * Double(rate.hertz)
    case .natural:
      if stage.tracks.isEmpty {
        notes.error(
          stage.place, "stage '\(stage.name)' has neither tracks nor a duration", mend: "give it one of them")
        return begin
      }
      let length = music.naturalLength
      if length == .endless {
        notes.error(
          stage.place, "stage '\(stage.name)' would never end",
          mend: "give it a duration, a repeatCount, or \"duration\": \"open\"")
        return begin
      }
      return begin + Double(length - crossfade)
    }
  }

  /// The reader checks the fade-out of a stage with a duration; the length of this one follows from its tracks.
  private mutating func checkFadeOut(of stage: Session.Stage, _ music: MusicPlan) {
    guard let place = session.fadeOutPlace, stage.duration == .natural, !stage.tracks.isEmpty else { return }
    let length = music.naturalLength
    if rate.frames(session.fadeOut) <= length { return }
    notes.error(
      place,
      "'fadeOut' is \(TimeSpelling.text(session.fadeOut)), the last stage in line \(stage.place.line) lasts \(TimeSpelling.text(rate.seconds(length)))",
      mend: "shorten the fade")
  }

  /// Of the first stage the session's fade-in, of the others the crossfade out of the one before.
  private mutating func entrance(of index: Int, behind previous: StageSpan?) -> FadeShape {
    let stage = session.stages[index]
    if let previous { return previous.leaving ?? .none }
    var entrance = FadeShape(length: rate.frames(session.fadeIn), curve: stage.crossfade.curve)
    guard let first = stage.tracks.first else { return entrance }
    // The first track's fades must not overlap, or it would never come to its full volume.
    let rest = stage.tracks.count > 1 || stage.repetition != .off ? rate.frames(stage.crossfade.duration) : 0
    let length = sounds.length(of: first)
    let asked = entrance.length
    entrance.length = min(asked, length - min(rest, length / 2))
    if entrance.length < asked { tellShortFadeIn(of: stage, from: asked, to: entrance.length) }
    return entrance
  }

  /// Shortened to half of the incoming track, and of the one that sounds where the stage ends.
  private mutating func crossfade(
    into index: Int, from stage: Session.Stage, _ music: MusicPlan, _ begin: Double
  ) -> FadeShape {
    let next = session.stages[index]
    var shape = shape(next.crossfade)
    let asked = shape.length
    if let incoming = next.tracks.first { shape.length = min(shape.length, sounds.length(of: incoming) / 2) }
    if let outgoing = outgoingLength(of: stage, music, begin) { shape.length = min(shape.length, outgoing / 2) }
    if shape.length < asked {
      notes.warn(
        next.place,
        "the crossfade into stage '\(next.name)' is shortened from \(Clock.text(asked, rate)) to "
          + "\(Clock.text(shape.length, rate)), half of the shorter track", mend: "shorten it, or take longer tracks")
    }
    return shape
  }

  private func outgoingLength(of stage: Session.Stage, _ music: MusicPlan, _ begin: Double) -> FrameCount? {
    switch stage.duration {
    case .open: return nil
    case .natural: return music.tracks.last?.length
    case .seconds(let seconds):
      let end = FrameTime(nearest: begin + seconds * Double(rate.hertz))
      guard let turn = music.turn(at: end - 1) else { return nil }
      let length = music.tracks[turn.entry.index].length
      return length == .endless || end < turn.at + length ? length : nil
    }
  }

  private mutating func departure(
    of stage: Session.Stage, _ music: MusicPlan, end: FrameTime, isLast: Bool, _ cross: FadeShape
  ) -> Departure? {
    if music.tracks.isEmpty { return nil }
    if !isLast && 0 < cross.length {
      tellSeparateFades(of: stage, music, end: end, cross)
      return .crossfade(at: end, cross)
    }
    let fadeOut = min(rate.frames(session.fadeOut), end - music.begin)
    if isLast && 0 < fadeOut {
      return .fadeOut(end: end, FadeShape(length: fadeOut, curve: stage.crossfade.curve))
    }
    if stage.duration == .natural { return nil }
    return .cut(at: end, ramp: min(rate.frames(TimelineLimits.ramp), end - music.begin))
  }

  private func shape(_ crossfade: Session.Crossfade) -> FadeShape {
    FadeShape(length: rate.frames(crossfade.duration), curve: crossfade.curve)
  }
}

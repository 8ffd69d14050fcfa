package import Signal

/// The session frames of one stage, and the plan of its music.
///
/// The boundaries keep their fractions and are rounded last, so that rounding errors do not accumulate. After an open
/// stage the frames start again at 0.
package struct StageLayout: Sendable {
  /// Index of the stage.
  package var stage: Int
  /// Session frames with their fractions; the end is nil for an open stage.
  package var exactBegin: Double
  package var exactEnd: Double?
  /// The crossfade into the next stage, which starts at this stage's end; nil for the last stage.
  package var crossfadeOut: FadeShape?
  package var music: MusicPlan

  package var begin: FrameTime { music.begin }
  /// The clip of the first track, as planned after `move` navigations; nil if the stage has no music.
  func opening(after move: Int) -> Clip? { music.first.map { music.clip(of: $0, move: move, stage: stage) } }
  package var end: FrameTime? { exactEnd.map { FrameTime(nearest: $0) } }
}

extension FrameTime {
  /// The nearest frame. Values beyond ±1e15 are clamped, so that the conversion never traps.
  package init(nearest exact: Double) { self = FrameTime(Swift.min(Swift.max(exact.rounded(), -1e15), 1e15)) }
}

extension Programme {
  /// The shortest fade that prevents a click: 20 ms.
  package var ramp: FadeShape { FadeShape(length: max(1, rate.frames(0.02)), curve: .sCurve) }

  /// Every stage. The frames start at 0 again after each open stage.
  package var layout: [StageLayout] {
    var layouts: [StageLayout] = []
    while layouts.count < stages.count { layouts += layOut(from: layouts.count, at: 0) }
    return layouts
  }

  /// The first stage of the run that contains `stage`. A run starts after an open stage and reaches to the next open
  /// stage; within it the stages follow each other without a command. Its frames count from its beginning. Session-wide
  /// cues belong to the first run.
  func firstStage(ofRunContaining stage: Int) -> Int {
    layout.prefix(max(0, stage)).lastIndex { $0.end == nil }.map { $0 + 1 } ?? 0
  }

  /// Computes the stages from `first` to the next open stage, or to the last stage.
  ///
  /// - Parameters:
  ///   - begin: the beginning of the first one, in frames with their fraction.
  ///   - openingFade: the fade into it; nil for the planned one.
  ///   - music: what is playing in it.
  ///   - isMusicPaused: a stage that ends with its music does not end while this is true, if it has music.
  ///   - hasEnded: the first stage has ended, and stays ended even if the music is paused.
  ///   - earliest: the first stage does not end before this frame; with its fraction.
  func layOut(
    from first: Int, at begin: Double, openingFade: FadeShape? = nil, music: Music = .planned,
    isMusicPaused: Bool = false, hasEnded: Bool = false, earliest: Double = -.infinity
  ) -> [StageLayout] {
    var layouts: [StageLayout] = []
    var begin = begin
    for index in first..<stages.count {
      let isFirst = index == first
      let opening = layouts.last?.crossfadeOut ?? (isFirst ? openingFade : nil) ?? self.openingFade(of: index)
      var layout = layOut(
        index, at: begin, openingFade: opening, isFirst ? music : .planned,
        isMusicPaused: isMusicPaused && !(isFirst && hasEnded))
      if isFirst, let end = layout.exactEnd { layout.exactEnd = max(end, earliest) }
      layout.music.ending = ending(of: layout)
      layouts.append(layout)
      guard let end = layout.exactEnd else { break }
      begin = end
    }
    return layouts
  }

  /// What is playing in a stage.
  enum Music {
    case planned
    case current(MusicPlan.TrackPlay)
    /// The music has ended. A stage that ends with its music ends at `end`.
    case none(end: Double?)
  }

  private func layOut(
    _ index: Int, at begin: Double, openingFade: FadeShape, _ playing: Music, isMusicPaused: Bool
  ) -> StageLayout {
    let stage = stages[index]
    let music = MusicPlan(
      stage.playlist, gain: stage.gain, crossfade: stage.crossfade, openingFade: openingFade,
      begin: FrameTime(nearest: begin)
    )
    var (trackPlay, end): (MusicPlan.TrackPlay?, Double?) = (nil, nil)
    switch playing {
    // If no track is playable, a stage that ends with its music ends at once.
    case .planned: (trackPlay, end) = (music.first, begin)
    case .current(let now): trackPlay = now
    case .none(let lastEnd): end = lastEnd
    }
    let isLast = index + 1 == stages.count
    let fixedEnd: Double? = if case .frames(let length) = stage.duration { begin + length } else { nil }
    let cross =
      isLast
      ? FadeShape.none
      : crossfade(into: index + 1, outgoing: trackPlay.map { outgoingLength(of: music, $0, end: fixedEnd) } ?? .endless)
    if stage.duration != .natural {
      end = fixedEnd
    } else if let trackPlay {
      end = isMusicPaused ? nil : naturalEnd(of: music, trackPlay, begin, cross.length)
    }
    return StageLayout(
      stage: index, exactBegin: begin, exactEnd: end, crossfadeOut: isLast ? nil : cross, music: music)
  }

  /// The end of a stage that ends with its music, with its fraction: the next stage starts where the crossfade from the
  /// last track begins. Nil if the music never ends.
  private func naturalEnd(
    of music: MusicPlan, _ trackPlay: MusicPlan.TrackPlay, _ begin: Double, _ crossfade: FrameCount
  ) -> Double? {
    let end = music.end(from: trackPlay)
    guard end != .endless else { return nil }
    // The crossfade can't be longer than the last track.
    let last = music.trackPlay(at: .endless, from: trackPlay)
    let leaving = CrossfadeOrchestrator.strategy(remaining: end - last.begin, wanted: crossfade)
    return begin + Double(end - music.begin - leaving.fadeOut)
  }

  /// The session's fade-in for the first stage; for other stages the crossfade from the open stage before.
  private func openingFade(of index: Int) -> FadeShape {
    guard index == 0 else { return crossfade(into: index) }
    let stage = stages[index]
    var openingFade = FadeShape(length: fadeIn, curve: stage.crossfade.curve)
    guard let first = stage.playlist.openingTrack else { return openingFade }
    // The first track's fades must not overlap; otherwise it would never reach full volume.
    let isFollowed = stage.playlist.tracks.count > 1 || stage.playlist.repetition != .off
    let rest = isFollowed ? CrossfadeOrchestrator.overlap(wanted: stage.crossfade.length, outgoing: first.length) : 0
    openingFade.length = min(fadeIn, first.length - rest)
    return openingFade
  }

  /// The crossfade into a stage, shortened to half of the incoming track and to half of the track that plays where the
  /// previous stage ends.
  private func crossfade(into index: Int, outgoing: FrameCount = .endless) -> FadeShape {
    var shape = stages[index].crossfade
    shape.length = CrossfadeOrchestrator.overlap(
      wanted: shape.length, outgoing: outgoing, incoming: stages[index].playlist.openingTrack?.length ?? .endless)
    shape.length = min(shape.length, FrameTime(nearest: fixedLength(from: index)))
    return shape
  }

  /// Frames from the beginning of a stage to the end of the session, which no fade may outlast; infinite unless the
  /// session file states the durations of all these stages.
  func fixedLength(from index: Int) -> Double {
    stages[index...].reduce(0) { rest, stage in
      if case .frames(let length) = stage.duration { rest + length } else { .infinity }
    }
  }

  /// Length in frames of the track that plays at `end`, or of the last track if `end` is nil; `.endless` if there is
  /// none.
  private func outgoingLength(of music: MusicPlan, _ trackPlay: MusicPlan.TrackPlay, end: Double?) -> FrameCount {
    guard let end else {
      return music.playlist.isBounded
        ? music.tracks[music.trackPlay(at: .endless, from: trackPlay).entry.index].length : .endless
    }
    let frame = FrameTime(nearest: end)
    let last = music.trackPlay(at: frame - 1, from: trackPlay)
    return frame < music.end(of: last) ? music.tracks[last.entry.index].length : .endless
  }

  /// How the music of a stage ends; nil if it ends with its last track, or not at all.
  private func ending(of layout: StageLayout) -> MusicEnding? {
    guard let end = layout.end, !layout.music.tracks.isEmpty else { return nil }
    if let cross = layout.crossfadeOut {
      if 0 < cross.length { return MusicEnding(.crossfade, .falling(at: end, over: cross.length, cross.curve)) }
    } else if 0 < fadeOut, layout.begin < end {
      let length = min(fadeOut, end - layout.begin)
      let curve = stages[layout.stage].crossfade.curve
      return MusicEnding(.fadeOut, .falling(at: end - length, over: length, curve))
    }
    if stages[layout.stage].duration == .natural { return nil }
    let ramp = min(rate.frames(0.02), end - layout.begin)
    return MusicEnding(.cut, .falling(at: end - ramp, over: ramp, .linear))
  }
}

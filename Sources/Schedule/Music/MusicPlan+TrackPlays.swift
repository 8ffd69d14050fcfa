package import Signal

extension MusicPlan {
  /// One playback of one track: which entry, and from which frame on.
  package struct TrackPlay: Sendable, Hashable {
    package var entry: PlaylistEntry
    /// The session frame of the track's first frame. It can be negative after a seek into the middle of a track.
    package var at: FrameTime
    /// Number of track plays before this one since the last navigation or beginning of a stage.
    package var ordinal = 0
    /// The session frame at which playback starts in the middle of the track, after `at`; nil if it starts at `at`.
    var entryFrame: FrameTime?
    /// The fade-in that a navigation requested; nil to use the plan's.
    var requestedFadeIn: FadeShape?
    /// Frames of the ramp that prevents a click where the track starts in its middle without a fade-in.
    var ramp: FrameCount = 0
    /// The fade-in as a pause, a navigation or a change of the crossfade has left it; nil if it is as planned.
    var fadeIn: Fade?
    /// Number of times the track play has been paused and resumed.
    var part = 0

    /// The first frame that is heard.
    var begin: FrameTime { max(at, entryFrame ?? at) }

    /// The track play after a pause of `shift` frames. One that has begun continues at `frame`.
    ///
    /// - Parameters:
    ///   - fadeIn: its fade-in at the time of the pause.
    ///   - ramp: frames of the ramp that prevents a click.
    func continued(at frame: FrameTime, later shift: FrameCount, fadeIn: Fade?, ramp: FrameCount) -> TrackPlay {
      var moved = self
      moved.at += shift
      moved.entryFrame = entryFrame.map { $0 + shift }
      moved.fadeIn = self.fadeIn?.shifted(by: shift)
      guard moved.begin < frame else { return moved }
      moved.fadeIn = fadeIn?.shifted(by: shift)
      moved.entryFrame = frame
      moved.ramp = ramp
      moved.part += 1
      return moved
    }
  }

  /// The first track play; nil if no track is playable or every track is empty.
  package var first: TrackPlay? {
    guard tracks.contains(where: { 0 < $0.length }) else { return nil }
    return playlist.opening.map { TrackPlay(entry: PlaylistEntry(index: $0, pass: 0, overlap: 0), at: begin) }
  }

  /// The next track play; nil after the last one, and after a track that nothing ends.
  package func successor(of trackPlay: TrackPlay) -> TrackPlay? {
    let track = tracks[trackPlay.entry.index]
    guard track.length != .endless, let (index, pass) = playlist.entry(after: trackPlay.entry) else { return nil }
    let overlap = overlap(between: track, and: tracks[index])
    let at = trackPlay.at.addingReportingOverflow(track.length - overlap)
    guard !at.overflow else { return nil }
    var next = TrackPlay(entry: PlaylistEntry(index: index, pass: pass, overlap: overlap), at: at.partialValue)
    next.ordinal = trackPlay.ordinal + 1
    return next
  }

  /// The crossfade between two tracks in frames.
  package func overlap(between outgoing: Track, and incoming: Track) -> FrameCount {
    CrossfadeOrchestrator.overlap(wanted: crossfade.length, outgoing: outgoing.length, incoming: incoming.length)
  }

  /// The frame after the last track, if `trackPlay` is the current one; `.endless` if the music has no end or its
  /// length exceeds the range of a frame.
  func end(from trackPlay: TrackPlay) -> FrameTime {
    guard playlist.isBounded else { return .endless }
    let last = self.trackPlay(at: .endless, from: trackPlay)
    let end = last.at.addingReportingOverflow(tracks[last.entry.index].length)
    return end.overflow ? .endless : end.partialValue
  }

  /// Frames from the beginning of the first track to the end of the last one; `.endless` if a repeat is unbounded or
  /// the sum exceeds the range of a frame.
  package var naturalLength: FrameCount {
    guard let first else { return 0 }
    let end = end(from: first)
    return end == .endless ? .endless : end - begin
  }

  /// The last track play that begins at or before `frame`, even if it has ended by then. Nil before `begin`, and if
  /// there are no tracks.
  package func trackPlay(at frame: FrameTime) -> TrackPlay? {
    guard begin <= frame, let first else { return nil }
    return trackPlay(at: frame, from: first)
  }

  /// The last track play that begins at or before `frame`, searched from `start` on. Whole passes of the playlist are
  /// computed in one step, so the cost does not depend on their number.
  func trackPlay(at frame: FrameTime, from start: TrackPlay) -> TrackPlay {
    var trackPlay = start
    // The loop steps through at most two passes of the playlist; the passes between them are one step.
    while let next = successor(of: trackPlay), next.at <= frame {
      trackPlay = next
      if playlist.repetition == .track {
        trackPlay = skippingPasses(of: [tracks[next.entry.index]], from: next, until: frame)
      } else if playlist.repetition == .playlist, playlist.isPassComplete(from: next.entry) {
        trackPlay = skippingPasses(of: tracks.filter { !$0.isUnplayable }, from: next, until: frame)
      }
    }
    return trackPlay
  }

  /// The same entry, later by the number of whole passes of `tracks` that have begun by `frame`.
  private func skippingPasses(of tracks: [Track], from trackPlay: TrackPlay, until frame: FrameTime) -> TrackPlay {
    guard let first = tracks.first, let last = tracks.last, let length = length(ofPass: tracks), 0 < length else {
      return trackPlay
    }
    // `.endless` stays `.endless`: the beginning can be negative, and the difference would overflow.
    let passed: FrameCount = frame == .endless ? .endless : frame - trackPlay.at
    var passes = passed / length
    if let count = playlist.repeatCount { passes = min(passes, FrameCount(max(0, count - trackPlay.entry.pass))) }
    guard 0 < passes else { return trackPlay }
    let frames = passes.multipliedReportingOverflow(by: length)
    let at = trackPlay.at.addingReportingOverflow(frames.partialValue)
    let entry = PlaylistEntry(
      index: trackPlay.entry.index, pass: trackPlay.entry.pass + Int(passes),
      overlap: overlap(between: last, and: first))
    return TrackPlay(
      entry: entry, at: frames.overflow || at.overflow ? .endless : at.partialValue,
      ordinal: trackPlay.ordinal + Int(passes) * tracks.count)
  }

  /// Frames from one beginning of `tracks` to the next; nil if a track has no end, or if the sum exceeds the range of a
  /// frame.
  private func length(ofPass tracks: [Track]) -> FrameCount? {
    var sum: FrameCount = 0
    for (index, track) in tracks.enumerated() {
      if track.length == .endless { return nil }
      let step = track.length - overlap(between: track, and: tracks[(index + 1) % tracks.count])
      let (result, overflow) = sum.addingReportingOverflow(step)
      if overflow { return nil }
      sum = result
    }
    return sum
  }
}

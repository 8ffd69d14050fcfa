package import Signal
import Sounds

extension MusicPlan {
  /// One playback of one track: which entry, and from which frame on.
  package struct TrackPlay: Sendable, Hashable {
    package var entry: PlaylistEntry
    /// The exact beginning of the track. In a gapless playlist it is rarely a whole frame: only what is heard is
    /// rounded, so that tracks of another rate join exactly, and rounding errors don't accumulate.
    private(set) var exactAt: ExactFrames
    /// The track that directly precedes it and is converted from the same rate; nil if there is none.
    var before: SoundJoin.Predecessor?
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
    /// The playback that a seek continues with this track play; nil if it begins one.
    var playback: TrackID?

    package init(entry: PlaylistEntry, at frame: FrameTime) { self.init(entry: entry, exactly: ExactFrames(frame)) }

    init(entry: PlaylistEntry, exactly exactAt: ExactFrames) { (self.entry, self.exactAt) = (entry, exactAt) }

    /// The session frame of the track's first frame. It can be negative after a seek into the middle of a track.
    package var at: FrameTime { exactAt.rounded }

    /// The first frame that is heard.
    var begin: FrameTime { max(at, entryFrame ?? at) }

    /// Makes the track begin at `frame`, and join nothing.
    mutating func begin(at frame: FrameTime) { (exactAt, before) = (ExactFrames(frame), nil) }

    /// The track play after a pause of `shift` frames. One that has begun continues at `frame`.
    ///
    /// - Parameters:
    ///   - fadeIn: its fade-in at the time of the pause.
    ///   - ramp: frames of the ramp that prevents a click.
    func continued(at frame: FrameTime, later shift: FrameCount, fadeIn: Fade?, ramp: FrameCount) -> TrackPlay {
      var moved = self
      moved.exactAt = exactAt.adding(ExactFrames(shift)) ?? exactAt
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
    guard let end = exactEnd(of: trackPlay), let at = end.adding(ExactFrames(-overlap)) else { return nil }
    var next = TrackPlay(entry: PlaylistEntry(index: index, pass: pass, overlap: overlap), exactly: at)
    next.ordinal = trackPlay.ordinal + 1
    next.before = predecessor(of: tracks[index], after: track)
    return next
  }

  /// A track as the sound that the next one continues; nil if there is a crossfade between them, or if their sounds are
  /// not converted from the same rate.
  private func predecessor(of next: Track, after track: Track) -> SoundJoin.Predecessor? {
    guard let length = track.resampled, length.source == next.resampled?.source, overlap(between: track, and: next) == 0
    else { return nil }
    return SoundJoin.Predecessor(track.source, length)
  }

  /// The exact end of a track; nil if it has none, or exceeds the range of a frame.
  private func exactEnd(of trackPlay: TrackPlay) -> ExactFrames? {
    let track = tracks[trackPlay.entry.index]
    return track.length == .endless ? nil : trackPlay.exactAt.adding(track.exactLength)
  }

  /// The frame after a track; `.endless` if it has none, or exceeds the range of a frame.
  func end(of trackPlay: TrackPlay) -> FrameTime { exactEnd(of: trackPlay)?.rounded ?? .endless }

  /// Frames of a track; `.endless` if nothing ends it.
  func length(of trackPlay: TrackPlay) -> FrameCount {
    let end = end(of: trackPlay)
    return end == .endless ? .endless : end - trackPlay.at
  }

  /// The crossfade between two tracks in frames.
  package func overlap(between outgoing: Track, and incoming: Track) -> FrameCount {
    CrossfadeOrchestrator.overlap(wanted: crossfade.length, outgoing: outgoing.length, incoming: incoming.length)
  }

  /// The frame after the last track, if `trackPlay` is the current one; `.endless` if the music has no end or its
  /// length exceeds the range of a frame.
  func end(from trackPlay: TrackPlay) -> FrameTime {
    guard playlist.isBounded else { return .endless }
    return end(of: self.trackPlay(at: .endless, from: trackPlay))
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
    guard let first = tracks.first, let previous = tracks.last, let pass = length(ofPass: tracks), 0 < pass.rounded
    else { return trackPlay }
    // `.endless` stays `.endless`: the beginning can be negative, and the difference would overflow.
    let passed: FrameCount = frame == .endless ? .endless : frame - trackPlay.at
    var passes = ExactFrames(passed).quotient(by: pass)
    if let count = playlist.repeatCount { passes = min(passes, FrameCount(max(0, count - trackPlay.entry.pass))) }
    guard 0 < passes else { return trackPlay }
    let at = pass.multiplied(by: passes).flatMap { trackPlay.exactAt.adding($0) }
    let entry = PlaylistEntry(
      index: trackPlay.entry.index, pass: trackPlay.entry.pass + Int(passes),
      overlap: overlap(between: previous, and: first))
    var last = TrackPlay(entry: entry, exactly: at ?? ExactFrames(.endless))
    last.ordinal = trackPlay.ordinal + Int(passes) * tracks.count
    last.before = predecessor(of: first, after: previous)
    return last
  }

  /// The exact length from one beginning of `tracks` to the next; nil if a track has no end, or if the sum exceeds the
  /// range of a frame.
  private func length(ofPass tracks: [Track]) -> ExactFrames? {
    var sum = ExactFrames(0)
    for (index, track) in tracks.enumerated() {
      if track.length == .endless { return nil }
      let overlap = overlap(between: track, and: tracks[(index + 1) % tracks.count])
      guard let longer = sum.adding(track.exactLength)?.adding(ExactFrames(-overlap)) else { return nil }
      sum = longer
    }
    return sum
  }
}

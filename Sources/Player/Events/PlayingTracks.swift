import Schedule
import Signal

/// A clip that is playing, and the track information that events use for it.
struct PlayingTrack: Sendable {
  var clip: Clip
  var track: TrackInfo
  /// Whether the `track` event has been emitted.
  var isReported = false
}

/// The tracks that are playing, and their identities in events. The current track is the last one. A track keeps its
/// identity through seeks, pauses and edits.
struct PlayingTracks: Sendable {
  let rate: SampleRate
  private var playing: [PlayingTrack] = []
  /// A track whose state was reported before it plays: the session's first one, or the one that a command is opening.
  private(set) var announced: PlayingTrack?
  private var lastID = 0
  /// The clip of the last `track` event. A pause reports a track that begins within its ramp. If the session resumes
  /// before that frame, the track begins afterwards and must not be reported again.
  private var lastReported: ClipID?

  init(rate: SampleRate) { self.rate = rate }

  var isEmpty: Bool { playing.isEmpty }
  var current: PlayingTrack? { playing.last }
  /// The track before the current one in the list, if it is still playing.
  var previous: PlayingTrack? { playing.dropLast().last }

  /// The playing track with the event identity `id`.
  func first(_ id: Int) -> PlayingTrack? { playing.first { $0.track.id == id } }

  /// Whether any track ends after `frame`.
  func isAnyPlaying(at frame: FrameTime) -> Bool { playing.contains { frame < $0.clip.end } }

  /// Another track that is fading out at `frame`.
  func fadingOut(at frame: FrameTime) -> PlayingTrack? {
    playing.last { $0.track.id != current?.track.id && $0.clip.isFadingOut(at: frame) && frame < $0.clip.end }
  }

  /// Position in the track in seconds.
  func position(in clip: Clip, at frame: FrameTime) -> Double { max(0, rate.seconds(frame - clip.at)) }

  /// Assigns an identity to a clip before it plays.
  mutating func announce(_ clip: Clip) -> TrackInfo {
    let new = identified(clip)
    announced = new
    return new.track
  }

  /// Removes the announced track.
  mutating func withdraw() { announced = nil }

  /// Updates the times of a playing clip.
  ///
  /// - Returns: false if the clip is not playing.
  mutating func update(_ clip: Clip) -> Bool {
    guard let index = index(of: clip) else { return false }
    playing[index].clip = clip
    return true
  }

  /// Replaces a clip of the same track after a seek; the track keeps its identity.
  ///
  /// - Returns: false if the latest playing clip belongs to another track.
  mutating func replace(by clip: Clip, at frame: FrameTime) -> Bool {
    guard let index = playing.lastIndex(where: { frame < $0.clip.end }),
      clip.continues(playing[index].clip, at: frame)
    else { return false }
    playing[index].clip = clip
    return true
  }

  /// Adds a clip that starts to play.
  ///
  /// - Parameter isCurrent: whether it becomes the current track.
  mutating func add(_ clip: Clip, isCurrent: Bool) {
    playing.insert(identified(clip), at: isCurrent ? playing.count : 0)
    announced = nil
  }

  mutating func remove(_ clip: Clip) { playing.removeAll { $0.clip.id.firstPart == clip.id.firstPart } }

  mutating func removeAll() { playing = [] }

  /// Replaces the clips by those of an edited schedule. Tracks that are already playing keep their identities.
  ///
  /// - Parameters:
  ///   - isPaused: whether the music was paused before the edit. Any clip of the same playlist entry is then the same
  ///     track, even after a seek to its beginning.
  ///   - includesNew: whether tracks that have not begun are included.
  mutating func replan(_ clips: [Clip], at frame: FrameTime, isPaused: Bool, includesNew: Bool) {
    playing = clips.compactMap { clip in
      let old =
        index(of: clip).map { playing[$0] }
        ?? playing.first { isPaused ? clip.isSameTrack(as: $0.clip) : clip.continues($0.clip, at: frame) }
      guard var new = old else { return includesNew ? identified(clip) : nil }
      new.clip = clip
      new.track.duration = duration(of: clip)
      return new
    }
  }

  /// - Returns: the `track` event, unless it has been emitted.
  mutating func report(_ clip: Clip) -> [PlayerEvent] { index(of: clip).map { report(at: $0) } ?? [] }

  mutating func reportAll() -> [PlayerEvent] { playing.indices.flatMap { report(at: $0) } }

  private mutating func report(at index: Int) -> [PlayerEvent] {
    if playing[index].isReported { return [] }
    playing[index].isReported = true
    let clip = playing[index].clip
    if lastReported == clip.id.firstPart { return [] }
    lastReported = clip.id.firstPart
    return [
      .track(
        title: clip.title, index: clip.number ?? clip.entry?.index ?? 0, pass: clip.entry?.pass ?? 0,
        duration: duration(of: clip))
    ]
  }

  private func index(of clip: Clip) -> Int? { playing.firstIndex { $0.clip.id.firstPart == clip.id.firstPart } }

  /// The clip with the identity of the announced track if it is that track, otherwise with a new identity.
  private mutating func identified(_ clip: Clip) -> PlayingTrack {
    if let announced, announced.clip.isSameTrack(as: clip) { return PlayingTrack(clip: clip, track: announced.track) }
    lastID += 1
    return PlayingTrack(clip: clip, track: TrackInfo(id: lastID, title: clip.title, duration: duration(of: clip)))
  }

  /// Length of the clip in seconds; nil if nothing ends it.
  private func duration(of clip: Clip) -> Double? { clip.length == .endless ? nil : rate.seconds(clip.length) }
}

extension Clip {
  /// Whether the clip is the same track at another position, after a seek or a pause. If its fade-in has not started,
  /// the track starts again and is a new one.
  fileprivate func continues(_ other: Clip, at now: FrameTime) -> Bool {
    isSameTrack(as: other) && fadeIn.map { $0.start < now } ?? true
  }

  /// Whether both are the same playlist entry in the same pass. The entry's index may have changed.
  func isSameTrack(as other: Clip) -> Bool {
    guard case .track(_, _, let entry) = id.origin, case .track(_, _, entry) = other.id.origin else { return false }
    return stage == other.stage && self.entry?.pass == other.entry?.pass
  }
}

import Schedule
import Signal

/// A clip that sounds, and the track as events name it.
struct SoundingTrack: Sendable {
  var clip: Clip
  var track: TrackInfo
  /// Whether the `track` event has been emitted.
  var isReported = false
}

/// The tracks that sound, the current one last, and the names under which events know them: a track keeps its identity
/// through seeks, pauses and edits.
struct SoundingTracks: Sendable {
  private let rate: SampleRate
  private var sounding: [SoundingTrack] = []
  /// A track that has been reported before it sounds: the first one, or the one that a command is opening.
  private(set) var announced: SoundingTrack?
  private var lastID = 0

  init(rate: SampleRate) { self.rate = rate }

  var isEmpty: Bool { sounding.isEmpty }
  var current: SoundingTrack? { sounding.last }
  /// The one that sounds beside the current track.
  var previous: SoundingTrack? { sounding.dropLast().last }

  func first(_ id: Int) -> SoundingTrack? { sounding.first { $0.track.id == id } }

  /// Whether one has not ended by then.
  func sound(at frame: FrameTime) -> Bool { sounding.contains { frame < $0.clip.end } }

  /// Another track that is on its way out beneath the current one.
  func leaving(at frame: FrameTime) -> SoundingTrack? {
    sounding.last { $0.track.id != current?.track.id && $0.clip.isLeaving(at: frame) && frame < $0.clip.end }
  }

  /// Seconds into the track.
  func position(in clip: Clip, at frame: FrameTime) -> Double { max(0, rate.seconds(frame - clip.at)) }

  /// Gives a clip its name before it sounds.
  mutating func announce(_ clip: Clip) -> TrackInfo {
    let new = named(clip)
    announced = new
    return new.track
  }

  mutating func withdraw() { announced = nil }

  /// Takes the clip's new times.
  ///
  /// - Returns: false where it does not sound yet.
  mutating func update(_ clip: Clip) -> Bool {
    guard let index = index(of: clip) else { return false }
    sounding[index].clip = clip
    return true
  }

  /// Puts a clip in the place of the same track, which was sought in.
  ///
  /// - Returns: false where another track sounds.
  mutating func replace(by clip: Clip, at frame: FrameTime) -> Bool {
    guard let index = sounding.lastIndex(where: { frame < $0.clip.end }),
      clip.continues(sounding[index].clip, at: frame)
    else { return false }
    sounding[index].clip = clip
    return true
  }

  /// - Parameter isCurrent: whether it becomes the current track; else it sounds beneath the others.
  mutating func add(_ clip: Clip, isCurrent: Bool) {
    sounding.insert(named(clip), at: isCurrent ? sounding.count : 0)
    announced = nil
  }

  mutating func remove(_ clip: Clip) { sounding.removeAll { $0.clip.id.isSamePlaying(as: clip.id) } }

  mutating func removeAll() { sounding = [] }

  /// The clips of an edited schedule; those of tracks that sound already keep their names.
  ///
  /// - Parameters:
  ///   - isStill: in a pause any clip of the same track is that track, wherever it was sought.
  ///   - takesNew: whether tracks that have not begun are taken, too.
  mutating func replan(_ clips: [Clip], at frame: FrameTime, isStill: Bool, takesNew: Bool) {
    sounding = clips.compactMap { clip in
      let old =
        index(of: clip).map { sounding[$0] }
        ?? sounding.first { isStill ? clip.isSameTrack(as: $0.clip) : clip.continues($0.clip, at: frame) }
      guard var new = old else { return takesNew ? named(clip) : nil }
      new.clip = clip
      new.track.duration = duration(of: clip)
      return new
    }
  }

  /// - Returns: the `track` event, if it has not been emitted.
  mutating func report(_ clip: Clip) -> [PlayerEvent] { index(of: clip).map { report(at: $0) } ?? [] }

  mutating func reportAll() -> [PlayerEvent] { sounding.indices.flatMap { report(at: $0) } }

  private mutating func report(at index: Int) -> [PlayerEvent] {
    if sounding[index].isReported { return [] }
    sounding[index].isReported = true
    let clip = sounding[index].clip
    return [
      .track(
        title: clip.title, index: clip.number ?? clip.entry?.index ?? 0, pass: clip.entry?.pass ?? 0,
        duration: duration(of: clip))
    ]
  }

  private func index(of clip: Clip) -> Int? { sounding.firstIndex { $0.clip.id.isSamePlaying(as: clip.id) } }

  private mutating func named(_ clip: Clip) -> SoundingTrack {
    if let announced, announced.clip.isSameTrack(as: clip) { return SoundingTrack(clip: clip, track: announced.track) }
    lastID += 1
    return SoundingTrack(clip: clip, track: TrackInfo(id: lastID, title: clip.title, duration: duration(of: clip)))
  }

  /// Seconds of the track; nil where nothing ends it.
  private func duration(of clip: Clip) -> Double? { clip.length == .endless ? nil : rate.seconds(clip.length) }
}

extension Clip {
  /// Whether it is the track that sounds, elsewhere in it: sought in, or continued after a pause.
  fileprivate func continues(_ other: Clip, at now: FrameTime) -> Bool {
    isSameTrack(as: other) && fadeIn.map { $0.start < now } ?? true
  }

  /// Whether both are the same entry of the playlist in the same pass, wherever it stands now.
  func isSameTrack(as other: Clip) -> Bool {
    guard case .track(_, _, let entry) = id.origin, case .track(_, _, entry) = other.id.origin else { return false }
    return stage == other.stage && self.entry?.pass == other.entry?.pass
  }
}

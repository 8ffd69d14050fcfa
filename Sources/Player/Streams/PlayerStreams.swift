import Schedule
import Signal
public import Sounds
import Synchronization

/// A track of a stage's playlist.
public struct UpcomingTrack: Sendable, Hashable {
  /// The title in the session file, or else the file name.
  public var title: String
  /// The index in the stage's playlist, from 0.
  public var index: Int
  /// How often the playlist has been repeated before, from 0.
  public var pass: Int
  /// The length in seconds; nil for a sound without an end.
  public var duration: Double?
  /// The title and artist that the sound file states.
  public var tags = SoundTags()
}

extension UpcomingTrack {
  init(_ track: Track, index: Int, pass: Int, rate: SampleRate) {
    self.init(
      title: track.title, index: track.number ?? index, pass: pass,
      duration: track.length == .endless ? nil : rate.seconds(track.length), tags: track.tags)
  }
}

/// The position of the music. All times are seconds.
public struct TrackPosition: Sendable, Hashable {
  /// The track's title; nil in silence.
  public var track: String?
  /// The position in the track; nil in silence.
  public var position: Double?
  /// The length of the track; nil for a sound without an end, and in silence.
  public var duration: Double?
  /// The session time.
  public var session: Double
}

extension PlayerState {
  /// The track that is heard, or that waits in a pause; of a crossfade the incoming one. Nil inside in silence, nil
  /// outside if there is none yet, or none any more.
  fileprivate var shownTrack: TrackInfo?? {
    switch self {
    case .idle, .preparing, .finished, .failed: nil
    case .preparingCrossfade(let current, _): current
    case .playing(let track), .paused(let track, _), .fadingOut(let track, _): .some(track)
    case .crossfading(_, let to, _), .crossfadePaused(_, let to, _, _, _): to
    }
  }
}

/// What a listener may ask for at any time.
extension Transport {
  /// The tracks of the current stage, in the order of its playlist.
  var playlist: [UpcomingTrack] {
    let pass = player.timeline.playhead.current?.entry?.pass ?? 0
    return player.schedule.programme.stages[player.schedule.stage].playlist.tracks.enumerated().map { index, track in
      UpcomingTrack(track, index: index, pass: pass, rate: rate)
    }
  }

  /// The track that an edit would lead to now; nil if there is none.
  func destination(of edit: Edit) -> UpcomingTrack? {
    guard case .success(let clips) = arrivals(after: edit) else { return nil }
    return clips.first { $0.layer == .music }.map { clip in
      UpcomingTrack(
        title: clip.title, index: clip.number ?? clip.entry?.index ?? 0, pass: clip.entry?.pass ?? 0,
        duration: clip.length == .endless ? nil : rate.seconds(clip.length), tags: clip.tags)
    }
  }
}

/// The streams of states, tracks and positions for user interfaces, derived from the events.
final class PlayerStreams: Sendable {
  let states = Multicast<PlayerState>(repeatsLatest: true)
  let tracks = Multicast<TrackInfo?>(repeatsLatest: true)
  let positions = Multicast<TrackPosition>(repeatsLatest: true)
  let isRunning = Multicast<Bool>(repeatsLatest: true)
  /// The identity of the last published track: nil inside for silence, nil outside before the first one.
  private let shown = Mutex<TrackInfo.ID??>(nil)

  init() { states.publish(.idle) }

  /// Publishes the state, track or position that an event reports.
  ///
  /// - Returns: whether other readers receive the event, too. They receive only positions at whole seconds.
  func publish(_ event: StampedEvent) -> Bool {
    switch event.event {
    case .state(let state, _):
      states.publish(state)
      guard let track = state.shownTrack else { break }
      let isNew = shown.withLock { shown in
        defer { shown = .some(track?.id) }
        return shown != .some(track?.id)
      }
      if isNew { tracks.publish(track) }
    case .position(let track, let position, let duration, let isSecond):
      positions.publish(
        TrackPosition(track: track, position: position, duration: duration, session: event.session))
      return isSecond
    default: break
    }
    return true
  }

  /// Which of the events that occur many times a second are read.
  ///
  /// - Parameter readsProgress: whether the progress of crossfades is read elsewhere.
  func audience(readsProgress: Bool) -> EventTimeline.Audience {
    EventTimeline.Audience(
      readsPositions: 0 < positions.readerCount, readsProgress: readsProgress || 0 < states.readerCount)
  }

  func finish() {
    states.finish()
    tracks.finish()
    positions.finish()
    isRunning.finish()
  }
}

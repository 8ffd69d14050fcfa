import Schedule
import Signal
public import Sounds

/// A track of a stage.
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

/// The streams of states, tracks and positions for user interfaces, derived from the events.
final class PlayerStreams: Sendable {
  let states = Multicast<PlayerState>(repeatsLatest: true)
  let tracks = Multicast<UpcomingTrack>(repeatsLatest: true)
  let positions = Multicast<TrackPosition>(repeatsLatest: true)
  let isRunning = Multicast<Bool>(repeatsLatest: true)

  init() { states.publish(.idle) }

  /// Publishes the state, track or position that an event reports.
  ///
  /// - Returns: whether other readers receive the event, too. They receive only positions at whole seconds.
  func publish(_ event: StampedEvent) -> Bool {
    switch event.event {
    case .state(let state, _): states.publish(state)
    case .track(let title, let index, let pass, let duration):
      tracks.publish(UpcomingTrack(title: title, index: index, pass: pass, duration: duration))
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

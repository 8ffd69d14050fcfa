import Schedule
public import Engine
import Signal

/// A track of a stage, as it is listed.
public struct UpcomingTrack: Sendable, Hashable {
  public var title: String
  /// In the stage's playlist, from 0.
  public var index: Int
  /// 0 for the first time round.
  public var pass: Int
  /// Seconds; nil for what never ends.
  public var duration: Double?
  /// Of its source.
  public var tags = SoundTags()
}

extension UpcomingTrack {
  init(_ track: Track, index: Int, pass: Int, rate: SampleRate) {
    self.init(
      title: track.title, index: track.number ?? index, pass: pass,
      duration: track.length == .endless ? nil : rate.seconds(track.length), tags: track.tags)
  }
}

/// Where the music is; times in seconds.
public struct TrackPosition: Sendable, Hashable {
  /// Nil in silence.
  public var track: String?
  public var position: Double?
  /// Nil for what never ends.
  public var duration: Double?
  /// Of the session.
  public var session: Double
}

/// The values that an app shows, taken from the events.
final class PlayerStreams: Sendable {
  let states = Multicast<PlayerState>(buffer: 16, repeatsLatest: true)
  let tracks = Multicast<UpcomingTrack>(buffer: 16, repeatsLatest: true)
  let positions = Multicast<TrackPosition>(buffer: 16, repeatsLatest: true)
  let goesOn = Multicast<Bool>(buffer: 1, repeatsLatest: true)

  init() { states.publish(.idle) }

  /// - Returns: whether the event is one for everybody: of the positions those at whole seconds are.
  func publish(_ event: StampedEvent) -> Bool {
    switch event.event {
    case .state(let state, _): states.publish(state)
    case .track(let title, let index, let pass, let duration):
      tracks.publish(UpcomingTrack(title: title, index: index, pass: pass, duration: duration))
    case .position(let track, let position, let duration):
      positions.publish(
        TrackPosition(track: track, position: position, duration: duration, session: event.session))
      return event.session == event.session.rounded()
    default: break
    }
    return true
  }

  func finish() {
    states.finish()
    tracks.finish()
    positions.finish()
    goesOn.finish()
  }
}

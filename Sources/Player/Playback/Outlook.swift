import Schedule
import Signal

/// What the status shows of the overlays that play, and of the track that comes next.
struct Outlook: Sendable {
  /// The track to which `next` would lead; nil if there is none.
  private(set) var next: UpcomingTrack?
  /// Whether `next` and `previous` have a target.
  private(set) var (hasNext, hasPrevious) = (false, false)
  /// The titles of the overlays that play, and of those that are paused.
  private(set) var overlays: (playing: [String], paused: [String]) = ([], [])

  /// Before the first event.
  init() {}

  /// - Parameter frame: clips that begin at it have begun.
  init(_ schedule: Schedule, at frame: FrameTime) {
    var schedule = schedule
    schedule.advance(to: frame + 1, keeping: frame)
    overlays = schedule.overlays(at: frame)
    if schedule.isOver(by: frame) { return }
    next = schedule.peek(steps: 1).map {
      UpcomingTrack($0.track, index: $0.index, pass: $0.pass, rate: schedule.rate)
    }
    (hasNext, hasPrevious) = (schedule.target(steps: 1) != nil, schedule.target(steps: -1) != nil)
  }
}

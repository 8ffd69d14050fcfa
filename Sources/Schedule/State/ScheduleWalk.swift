package import Signal

/// A walk through a range of session frames, if no command follows and every sound is open in time.
private struct ScheduleWalk {
  private(set) var playhead: Playhead
  /// What happens, in order.
  private(set) var occurrences: [Playhead.Occurrence] = []

  init(_ schedule: Schedule, through frames: Range<FrameTime>) {
    playhead = Playhead(schedule, from: frames.lowerBound)
    var opening: Clip?
    for clip in schedule.clips(from: frames.lowerBound).prefix(while: { $0.begin < frames.upperBound }) {
      guard frames.lowerBound < clip.end else { continue }
      playhead.add(clip.entered(at: frames.lowerBound))
      if clip.layer == .music, opening == nil { opening = clip }
    }
    take(before: .loads(of: frames.lowerBound))
    if let opening { occurrences += playhead.prepare(opening).map { (frames.lowerBound, opening.stage, $0) } }
    take(before: .start(of: frames.upperBound))
  }

  private mutating func take(before point: Playhead.Point) {
    while let events = playhead.takeEvents(before: point) { occurrences += events }
  }
}

extension Schedule {
  /// What happens in a range of session frames, in order, if no command follows and every sound is open in time.
  package func events(in frames: Range<FrameTime>) -> [Playhead.Occurrence] {
    ScheduleWalk(self, through: frames).occurrences
  }

  /// The player's state at a session frame, if no command follows and every sound is open in time.
  package func state(at frame: FrameTime) -> PlayerState {
    ScheduleWalk(self, through: start..<frame + 1).playhead.state(at: frame)
  }
}

import Engine
import Schedule
import Signal

/// Edits during playback.
extension Executor {
  /// Halts the renderer, and processes its reports up to the frame of the halt.
  ///
  /// - Returns: the first session frame that can still be changed; nil if the renderer has ended.
  mutating func halt() -> FrameTime? {
    guard let frame = mixerControl.halt() else { return nil }
    collectReports(heardUpTo: frame)
    reports = []
    return frame
  }

  /// Resumes after a halt with an edited schedule.
  ///
  /// - Parameters:
  ///   - shown: the frame whose music is current after the edit: `frame`, or the end of the ramp into a pause.
  ///   - primed: sounds of the edited schedule that are already open.
  ///   - closing: the frame at which a command ends the session; nil if none does.
  ///   - isPaused: whether the session is paused after the edit.
  ///   - age: seconds of the clock by which a paused crossfade becomes stale.
  /// - Returns: the events of the edit.
  mutating func resume(
    from frame: FrameTime, showing shown: FrameTime, with primed: [PrimedSource] = [], _ schedule: Schedule,
    closing: FrameTime?, isPaused: Bool, age: Double
  ) -> [PlayerEvent] {
    self.primed = primed
    // The halt dropped the commands after `frame`, so they are sent again at least as far as before.
    let reach = max(planned, frame + rate.frames(Self.lookahead))
    (origin, planned) = (frame, frame)
    replace(by: schedule, closing: closing)
    settings.command(&mixerControl, at: frame)
    let reported = timeline.replan(
      schedule, at: frame, showing: shown, isPaused: isPaused || schedule.isMusicPaused, age: age)
    compare(upTo: reach + rate.frames(Self.step))
    while planned < reach, planStep() {}
    self.primed = []
    plan()
    return reported
  }

  /// Releases the voices of clips that the edited schedule no longer contains.
  private mutating func compare(upTo reach: FrameTime) {
    let known = schedule.clips(from: origin).prefix { $0.begin < min(reach, renderSync.endFrame) }
    ducking.forget(allBut: Set(known.map(\.id)))
    for voice in voices.replace(by: known, from: origin) {
      reported.remove(voice)
      mixerControl.release(voice)
    }
  }

  /// The clips of an edited schedule that play at `frame` or begin within one step after it, and that have no voice
  /// yet.
  func arrivals(in schedule: Schedule, at frame: FrameTime) -> [Clip] {
    let fed = Set(voices.playing.values.map(\.id))
    var arrivals: [Clip] = []
    for clip in schedule.clips(from: frame) {
      if frame + rate.frames(Self.step) < clip.begin { break }
      guard frame < clip.end, !fed.contains(clip.id) else { continue }
      var clip = clip
      clip.entryFrame = max(clip.begin, clip.at < frame ? frame : clip.at)
      arrivals.append(clip)
    }
    return arrivals
  }
}

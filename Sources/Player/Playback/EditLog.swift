import Schedule
import Signal

/// The listener's changes: those of the whole session, which `--resume` repeats, and those of the current pause. It is a
/// value, used on the control thread.
struct EditLog: Sendable {
  /// Nil once it had more than `Journal.maximumEntries` entries.
  private var journal: Journal?
  /// The schedule before the current pause, and what has changed since, the pause included; nil outside of pauses.
  private var pause: (before: Schedule, changes: [Journal.Entry])?

  init(continuing journal: Journal) { self.journal = journal }

  /// The changes so far, for a session that resumes at `frame`; nil if there are too many.
  func journal(restoring frame: FrameTime) -> Journal? { journal?.restoring(frame) }

  /// A pause begins.
  mutating func beginPause(of schedule: Schedule) { pause = (schedule, []) }

  /// The current pause ends at `frame`. If that is within the ramp into it, it was never silent: its changes are made
  /// again, now at `frame` and with their fades.
  ///
  /// - Parameter silence: the frame from which the pause would have been silent; nil if there was no pause.
  /// - Returns: the schedule with these changes; nil if there are none, or if the ramp is complete.
  mutating func endPause(at frame: FrameTime, silentFrom silence: FrameTime?, _ settings: Settings) -> Schedule? {
    defer { pause = nil }
    guard let silence, frame < silence, let pause, 1 < pause.changes.count else { return nil }
    var (schedule, settings) = (pause.before, settings)
    do throws(EditError) {
      for entry in pause.changes { try entry.broughtForward(to: frame).reapply(to: &schedule, &settings) }
    } catch { return nil }
    if let entries = journal?.entries { journal?.entries = entries.map { $0.broughtForward(to: frame) } }
    return schedule
  }

  /// Replaces the changes so far, because the session file has been read again.
  mutating func restart(_ make: (Journal?) -> Journal) { (journal, pause) = (make(journal), nil) }

  /// Records a change, unless it ends the session: `--resume` does not repeat that.
  ///
  /// - Parameter pausedAt: the frame from which the current pause is silent; nil outside of pauses.
  /// - Returns: a warning if there are too many changes to save.
  mutating func add(_ entry: Journal.Entry, pausedAt: FrameTime?) -> PlayerEvent? {
    // Once the pause is silent, it can't be made again.
    if let pausedAt, entry.at < pausedAt { pause?.changes.append(entry) }
    if journal == nil || entry.act == .edit(.finish, resuming: nil) { return nil }
    journal?.add(entry)
    guard let count = journal?.entries.count, Journal.maximumEntries < count else { return nil }
    journal = nil
    return .warning(
      "\(count) changes are too many to save: a resumed session will keep the volumes and continue the stage as the "
        + "session file plans it")
  }
}

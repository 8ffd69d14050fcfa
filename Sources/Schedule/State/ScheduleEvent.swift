/// Something that happens at a frame of a schedule, in the words of the player's events. Durations and positions are in
/// seconds.
package enum ScheduleEvent: Sendable, Equatable {
  case stageStarted(name: String, index: Int, duration: Double?)
  /// `previous`: name of the previous state.
  case state(PlayerState, previous: String)
  /// `index`: index of the playlist entry, from 0. `pass`: number of completed passes of the playlist.
  case track(title: String, index: Int, pass: Int, duration: Double?)
  case crossfadeStarted(from: String, to: String, duration: Double)
  /// 0…1.
  case crossfadeProgress(Double)
  case crossfadePaused(progress: Double, ResumeStrategy)
  case crossfadeResumed(progress: Double, ResumeStrategy)
  case crossfadeCompleted
  /// The crossfade ended before it was complete.
  case crossfadeCancelled
  case overlayStarted(title: String)
  case overlayEnded(title: String)
  case overlayPaused(title: String)
  case overlayResumed(title: String)
  case gong(title: String)
  /// A sentence begins in a spoken sound with that title.
  case caption(String, title: String, duration: Double)
}

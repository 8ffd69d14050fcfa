import Engine
import Schedule
import Signal

/// Sends the mixer the commands that lower the music while a clip plays. They are computed from the clips, and sent
/// again after each halt. Used on the control thread.
struct Ducking: Sendable {
  /// Clips whose sounds ended earlier than planned, and the frames at which they ended.
  private var silent: [ClipID: FrameTime] = [:]

  /// Records that the clip's sound ended at `frame`, earlier than planned.
  mutating func silence(_ id: ClipID, from frame: FrameTime) { silent[id] = frame }

  /// Lowers the music for a clip, and raises it at the clip's end.
  ///
  /// - Parameter origin: the session frame from which the commands apply: that of the last halt, or the current one.
  mutating func command(_ clip: Clip, from origin: FrameTime, on mixerControl: inout MixerControl) {
    guard let duck = clip.duck else { return }
    let begin = clip.isContinued ? clip.begin : clip.at
    let end = min(clip.end, silent[clip.id] ?? .endless)
    guard begin < end, end == .endless || origin < end + duck.release else { return }
    let owner = clip.id.ordinal
    let attack = Fade(from: 1, to: duck.depth.linear, start: begin, length: duck.attack, curve: .sCurve)
    if origin < end { mixerControl.duck(for: owner, by: attack, at: max(origin, clip.begin)) }
    if end == .endless { return }
    let release = Fade(from: attack.gain(at: end), to: 1, start: end, length: duck.release, curve: .sCurve)
    if end == origin {
      // The mixer starts a fade at its owner's current gain, so that gain is restored first.
      let held = Fade(from: release.from, to: release.from, start: origin - 1, length: 0, curve: .sCurve)
      mixerControl.duck(for: owner, by: held, at: origin)
    }
    mixerControl.duck(for: owner, by: release, at: max(origin, end))
  }

  /// Removes all clips except `known`, those of the current schedule.
  mutating func forget(allBut known: Set<ClipID>) {
    silent = silent.filter { known.contains($0.key) }
  }
}

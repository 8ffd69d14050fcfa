import Engine
import Schedule
import Signal

/// Tells the mixer how the music is lowered for whom: a closed form of each clip, told anew after each halt.
struct Ducking: Sendable {
  /// Numbers by which the mixer knows the clips.
  private var owners: [ClipID: Int32] = [:]
  private var lastOwner: Int32 = 0
  /// Clips whose sounds ended before their time, or never came.
  private var silent: [ClipID: FrameTime] = [:]

  /// Its sound has ended at `frame`, whatever was planned.
  mutating func silence(_ id: ClipID, from frame: FrameTime) { silent[id] = frame }

  /// The music is lowered for a clip, and comes back at its end.
  ///
  /// - Parameter origin: the mixer knows nothing from before this frame.
  mutating func command(_ clip: Clip, from origin: FrameTime, on desk: inout Desk) {
    guard let duck = clip.duck else { return }
    let begin = clip.isContinued ? clip.begin : clip.at
    let end = min(clip.end, silent[clip.id] ?? .endless)
    guard begin < end, end == .endless || origin < end + duck.release else { return }
    let owner = owner(of: clip.id)
    let attack = Fade(from: 1, to: duck.depth.linear, start: begin, length: duck.attack, curve: .sCurve)
    if origin < end { desk.duck(for: owner, by: attack, at: max(origin, clip.begin)) }
    if end == .endless { return }
    let release = Fade(from: attack.gain(at: end), to: 1, start: end, length: duck.release, curve: .sCurve)
    if end == origin {
      // The mixer begins a fade where its owner is.
      let held = Fade(from: release.from, to: release.from, start: origin - 1, length: 0, curve: .sCurve)
      desk.duck(for: owner, by: held, at: origin)
    }
    desk.duck(for: owner, by: release, at: max(origin, end))
  }

  private mutating func owner(of id: ClipID) -> Int32 {
    if let owner = owners[id] { return owner }
    lastOwner &+= 1
    owners[id] = lastOwner
    return lastOwner
  }

  /// Forgets whom no clip of the schedule can mean any more.
  mutating func forget(allBut known: Set<ClipID>) {
    owners = owners.filter { known.contains($0.key) }
    silent = silent.filter { known.contains($0.key) }
  }
}

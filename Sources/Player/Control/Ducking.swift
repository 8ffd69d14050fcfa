import Engine
import Signal

/// How the music steps back for whom: kept, so that it can be told to the mixer anew.
struct Ducking: Sendable {
  private struct Entry: Sendable {
    var owner: Int32
    var fade: Fade
  }

  private var entries: [Entry] = []
  /// Names for those whose voices were never leased, above all slots.
  private var bygone: Int32 = 1 << 20

  /// The music steps back for a placement that plays in a voice, and comes forward at its end.
  mutating func command(_ placement: Placement, voice: Int32, from frame: FrameTime, _ desk: inout Desk) {
    guard let duck = placement.duck else { return }
    if frame <= placement.begin || !entries.contains(where: { $0.owner == voice }) {
      let attack = Fade(from: 1, to: duck.depth.linear, start: placement.at, length: duck.attack, curve: .sCurve)
      add(attack, of: voice, at: max(frame, placement.begin), &desk)
    }
    if placement.end != .endless { release(duck, for: voice, at: placement.end, from: frame, &desk) }
  }

  /// An overlay that ended before everything began may still hold the music down.
  mutating func commandRelease(of placement: Placement, from start: FrameTime, _ desk: inout Desk) {
    guard let duck = placement.duck, placement.end != .endless, start < placement.end + duck.release else { return }
    bygone += 1
    let fade = Fade(from: duck.depth.linear, to: 1, start: placement.end, length: duck.release, curve: .sCurve)
    add(fade, of: bygone, at: start, &desk)
  }

  mutating func release(_ duck: Duck, for voice: Int32, at frame: FrameTime, from start: FrameTime, _ desk: inout Desk)
  {
    let from = entries.last { $0.owner == voice }?.fade.gain(at: frame) ?? 1
    let fade = Fade(from: from, to: 1, start: frame, length: duck.release, curve: .sCurve)
    add(fade, of: voice, at: max(start, frame), &desk)
  }

  private mutating func add(_ fade: Fade, of owner: Int32, at frame: FrameTime, _ desk: inout Desk) {
    entries.append(Entry(owner: owner, fade: fade))
    desk.duck(for: owner, by: fade, at: frame)
  }

  /// After a halt at `frame`: what began before is told again, what was to begin is forgotten.
  mutating func resume(at frame: FrameTime, _ desk: inout Desk) {
    entries.removeAll { frame <= $0.fade.start }
    forgetFinished(before: frame)
    var told: Set<Int32> = []
    for entry in entries.reversed() where told.insert(entry.owner).inserted {
      desk.duck(for: entry.owner, by: entry.fade, at: frame)
    }
  }

  /// Forgets what is over.
  mutating func prune(before frame: FrameTime) { forgetFinished(before: frame) }

  /// An owner whose last fade has come back to 1 asks for nothing any more, whatever it asked for before.
  private mutating func forgetFinished(before frame: FrameTime) {
    var last: [Int32: Fade] = [:]
    for entry in entries { last[entry.owner] = entry.fade }
    entries.removeAll { entry in last[entry.owner].map { $0.to == 1 && $0.end <= frame } ?? false }
  }
}

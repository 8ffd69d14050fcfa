import Engine
import Signal

/// How the music steps back for whom: kept, so that it can be told to the mixer anew.
///
/// Each placement asks for itself, whatever voice it has: so a session that begins in the middle of it sounds the same.
struct Ducking: Sendable {
  private struct Entry: Sendable {
    var owner: Int32
    var fade: Fade
  }

  private var entries: [Entry] = []
  /// Names for those that never began, below all serials.
  private var bygone: Int32 = 0

  /// The music steps back for a placement that begins, and comes forward at its end.
  mutating func command(_ placement: Placement, from frame: FrameTime, _ desk: inout Desk) {
    guard let duck = placement.duck else { return }
    let owner = Self.owner(placement)
    if frame <= placement.begin || !entries.contains(where: { $0.owner == owner }) {
      add(Self.attack(of: duck, at: placement.at), of: owner, at: max(frame, placement.begin), &desk)
    }
    if placement.end != .endless { release(duck, for: placement, at: placement.end, from: frame, &desk) }
  }

  /// An overlay that ended before everything began may still hold the music down.
  mutating func commandRelease(of placement: Placement, from start: FrameTime, _ desk: inout Desk) {
    guard let duck = placement.duck, placement.end != .endless, start < placement.end + duck.release else { return }
    bygone -= 1
    let from = Self.attack(of: duck, at: placement.at).gain(at: placement.end)
    // The mixer begins a fade where its owner is.
    let held = Fade(from: from, to: from, start: start - 1, length: 0, curve: .sCurve)
    let fade = Fade(from: from, to: 1, start: placement.end, length: duck.release, curve: .sCurve)
    desk.duck(for: bygone, by: held, at: start)
    add(fade, of: bygone, at: start, &desk)
  }

  mutating func release(
    _ duck: Duck, for placement: Placement, at frame: FrameTime, from start: FrameTime, _ desk: inout Desk
  ) {
    let owner = Self.owner(placement)
    let from = entries.last { $0.owner == owner }?.fade.gain(at: frame) ?? 1
    let fade = Fade(from: from, to: 1, start: frame, length: duck.release, curve: .sCurve)
    add(fade, of: owner, at: max(start, frame), &desk)
  }

  private static func owner(_ placement: Placement) -> Int32 { Int32(truncatingIfNeeded: placement.serial) }

  private static func attack(of duck: Duck, at frame: FrameTime) -> Fade {
    Fade(from: 1, to: duck.depth.linear, start: frame, length: duck.attack, curve: .sCurve)
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

import Engine
import Signal

/// How the music steps back for whom: kept, so that it can be told to the mixer anew. A value: what is to be told is
/// returned.
///
/// Each placement asks for itself, whatever voice it has: so a session that begins in the middle of it sounds the same.
struct Ducking: Sendable {
  /// A fade that the mixer is to be told of, or was.
  struct Step: Sendable {
    var owner: Int32
    var fade: Fade
    var at: FrameTime
  }

  private var steps: [Step] = []
  /// Names for those that never began, below all serials.
  private var bygone: Int32 = 0

  /// The music steps back for a placement that begins, and comes forward at its end.
  mutating func command(_ placement: Placement, from frame: FrameTime) -> [Step] {
    guard let duck = placement.duck else { return [] }
    let owner = Self.owner(placement)
    var told: [Step] = []
    if frame <= placement.begin || !steps.contains(where: { $0.owner == owner }) {
      told = add(Self.attack(of: duck, at: placement.at), of: owner, at: max(frame, placement.begin))
    }
    if placement.end != .endless { told += release(duck, for: placement, at: placement.end, from: frame) }
    return told
  }

  /// An overlay that ended before everything began may still hold the music down.
  mutating func commandRelease(of placement: Placement, from start: FrameTime) -> [Step] {
    guard let duck = placement.duck, placement.end != .endless, start < placement.end + duck.release else { return [] }
    bygone -= 1
    let from = Self.attack(of: duck, at: placement.at).gain(at: placement.end)
    let fade = Fade(from: from, to: 1, start: placement.end, length: duck.release, curve: .sCurve)
    return [held(fade, of: bygone, at: start)] + add(fade, of: bygone, at: start)
  }

  /// The mixer begins a fade where its owner is.
  private func held(_ fade: Fade, of owner: Int32, at frame: FrameTime) -> Step {
    let held = Fade(from: fade.from, to: fade.from, start: frame - 1, length: 0, curve: .sCurve)
    return Step(owner: owner, fade: held, at: frame)
  }

  mutating func release(
    _ duck: Duck, for placement: Placement, at frame: FrameTime, from start: FrameTime
  ) -> [Step] {
    let owner = Self.owner(placement)
    let from = steps.last { $0.owner == owner }?.fade.gain(at: frame) ?? 1
    let fade = Fade(from: from, to: 1, start: frame, length: duck.release, curve: .sCurve)
    return add(fade, of: owner, at: max(start, frame))
  }

  private static func owner(_ placement: Placement) -> Int32 { Int32(truncatingIfNeeded: placement.serial) }

  private static func attack(of duck: Duck, at frame: FrameTime) -> Fade {
    Fade(from: 1, to: duck.depth.linear, start: frame, length: duck.attack, curve: .sCurve)
  }

  private mutating func add(_ fade: Fade, of owner: Int32, at frame: FrameTime) -> [Step] {
    let step = Step(owner: owner, fade: fade, at: frame)
    steps.append(step)
    return [step]
  }

  /// After a halt at `frame`, or at the beginning: the mixer knows nothing. What began before is told again, and who
  /// ends there; what was to begin is forgotten.
  mutating func resume(at frame: FrameTime) -> [Step] {
    steps.removeAll { frame < $0.fade.start || frame == $0.fade.start && $0.fade.to != 1 }
    forgetFinished(before: frame)
    var known: Set<Int32> = []
    return steps.reversed().filter { known.insert($0.owner).inserted }.flatMap { step in
      let told = Step(owner: step.owner, fade: step.fade, at: frame)
      return step.fade.start == frame ? [held(step.fade, of: step.owner, at: frame), told] : [told]
    }
  }

  /// Forgets what is over.
  mutating func prune(before frame: FrameTime) { forgetFinished(before: frame) }

  /// An owner whose last fade has come back to 1 asks for nothing any more, whatever it asked for before.
  private mutating func forgetFinished(before frame: FrameTime) {
    var last: [Int32: Fade] = [:]
    for step in steps { last[step.owner] = step.fade }
    steps.removeAll { step in last[step.owner].map { $0.to == 1 && $0.end <= frame } ?? false }
  }
}

extension Desk {
  mutating func duck(_ steps: [Ducking.Step]) {
    for step in steps { duck(for: step.owner, by: step.fade, at: step.at) }
  }
}

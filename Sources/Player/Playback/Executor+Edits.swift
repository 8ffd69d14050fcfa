import Engine
import Schedule
import Signal

/// Edits under what sounds.
extension Executor {
  /// Has the render stand still, and takes in what has happened up to there.
  ///
  /// - Returns: the frame from which on everything can be changed; nil when the render has ended.
  mutating func halt() -> FrameTime? {
    guard let frame = desk.halt() else { return nil }
    collectReports(heardUpTo: frame)
    reports = []
    return frame
  }

  /// Goes on from a halt with an edited schedule.
  ///
  /// - Returns: what is to be told of it.
  mutating func goOn(
    from frame: FrameTime, at edited: FrameTime, with primed: [PrimedSource] = [], _ schedule: Schedule
  ) -> [PlayerEvent] {
    self.primed = primed
    let before = planned
    unclaimed = Dictionary(playing.map { ($0.value.id, $0.key) }) { first, _ in first }
    let loading = awaited
    (origin, planned) = (frame, frame)
    replace(by: schedule)
    settings.command(&desk, at: frame)
    let told = narrator.replan(schedule, at: frame, edited: edited, isEnding: closing != nil)
    // What was commanded before is asked for anew, as far as it was.
    while planned < max(before, origin + rate.frames(Self.lookahead)), planStep() {}
    forget(loading)
    for (_, voice) in unclaimed.sorted(by: { $0.value < $1.value }) { dismiss(voice) }
    unclaimed = [:]
    self.primed = []
    plan()
    return told
  }

  /// What was being opened and isn't wanted any more.
  private mutating func forget(_ loading: [Int: Clip]) {
    let planned = Set(schedule.clips(from: origin).prefix { $0.begin < self.planned }.map(\.id))
    for (ticket, clip) in loading where !planned.contains(clip.id) { awaited[ticket] = nil }
    let known = planned.union(playing.values.map(\.id))
    ducking.forget(allBut: known)
    over.formIntersection(known)
  }

  private mutating func dismiss(_ voice: Int32) {
    playing[voice] = nil
    told.remove(voice)
    desk.giveBack(voice)
  }

  /// What an edited schedule would have begin at about `frame`.
  func arrivals(in schedule: Schedule, at frame: FrameTime) -> [Clip] {
    let fed = Set(playing.values.map(\.id))
    var arrivals: [Clip] = []
    for clip in schedule.clips(from: frame) {
      if frame + rate.frames(Self.step) < clip.begin { break }
      guard frame < clip.end, !fed.contains(clip.id) else { continue }
      var clip = clip
      clip.enters = max(clip.begin, clip.at < frame ? frame : clip.at)
      arrivals.append(clip)
    }
    return arrivals
  }
}

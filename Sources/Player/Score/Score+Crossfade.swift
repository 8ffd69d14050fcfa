import Signal

/// The crossfade that sounds at the frame of an edit.
extension Score {
  var orchestrator: CrossfadeOrchestrator { CrossfadeOrchestrator(rate: rate) }

  /// Places in `underWay` of the incoming track and of those on their way out; nil where nothing is crossfaded.
  private func crossfade(at frame: FrameTime) -> (incoming: Int, outgoing: [Int], progress: Double)? {
    let music = underWay.indices.filter { underWay[$0].layer == .music }
    guard let incoming = music.last(where: { underWay[$0].fadeIn.map { $0.holds(frame) } ?? false }),
      let fade = underWay[incoming].fadeIn
    else { return nil }
    let outgoing = music.filter { $0 != incoming && underWay[$0].isLeaving(at: frame) }
    return outgoing.isEmpty ? nil : (incoming, outgoing, fade.progress(at: frame))
  }

  /// A paused crossfade goes on.
  mutating func resumeCrossfade(at frame: FrameTime, by strategy: ResumeStrategy) {
    guard let (incoming, outgoing, _) = crossfade(at: frame) else { return }
    let orchestrator = orchestrator
    underWay[incoming].fadeIn = underWay[incoming].fadeIn.map { orchestrator.resumed($0, at: frame, by: strategy) }
    for index in outgoing {
      underWay[index].changeLeaving(at: frame) { orchestrator.resumed($0, at: frame, by: strategy) }
    }
  }

  /// The listener moves on in the middle of a crossfade: it is undone, brought to its end, or left to end by itself.
  ///
  /// - Returns: serials of those that go by themselves.
  mutating func turnCrossfade(at frame: FrameTime) -> Set<Int> {
    guard !isSilent, let (incoming, outgoing, progress) = crossfade(at: frame) else { return [] }
    let orchestrator = orchestrator
    let navigation = orchestrator.navigation(progress: progress)
    let turn = { (fade: Fade) in orchestrator.turned(fade, at: frame, by: navigation) }
    underWay[incoming].fadeIn = underWay[incoming].fadeIn.map(turn)
    for index in outgoing { underWay[index].changeLeaving(at: frame, turn) }
    if navigation != .rollBack { return Set(outgoing.map { underWay[$0].serial }) }
    underWay[incoming].length = min(underWay[incoming].length, frame + orchestrator.turn - underWay[incoming].at)
    return [underWay[incoming].serial]
  }
}

extension Fade {
  fileprivate func holds(_ frame: FrameTime) -> Bool { start < frame && frame < end && from < to }
}

extension Placement {
  /// Whether it is on its way out.
  func isLeaving(at frame: FrameTime) -> Bool {
    [fadeOut, leave].contains { $0.map { $0.start <= frame && $0.to == 0 } ?? false }
  }

  /// Changes the fades that lead it out, and ends it where they do.
  mutating func changeLeaving(at frame: FrameTime, _ change: (Fade) -> Fade) {
    if let fade = fadeOut, fade.start <= frame { fadeOut = change(fade) }
    if let fade = leave, fade.start <= frame { leave = change(fade) }
    let ends = [fadeOut, leave].compactMap { $0 }.filter { $0.to == 0 }.map(\.end)
    if let end = ends.min() { length = min(length, end - at) }
  }
}

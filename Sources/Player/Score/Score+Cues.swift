import Signal

/// Overlays and gongs that the listener asks for, and those that sound.
extension Score {
  mutating func addGong(_ cue: Cue, length: FrameCount, at frame: FrameTime) {
    let gong = Placement(
      layer: .effect, source: cue.source, title: cue.title, stage: stage, at: frame, length: length, gain: cue.gain)
    series.append(OverlaySeries(first: gong, period: 1, count: 1))
  }

  /// Replaces what sounds, with both's fades, unless it is a layer.
  mutating func addOverlay(_ request: OverlayRequest, length: FrameCount, at frame: FrameTime) {
    if !request.isLayer { stopOverlays(at: frame, keepingLayers: true) }
    var overlay = Placement(
      layer: .overlay, source: request.cue.source, title: request.cue.title, stage: stage, at: frame, length: length,
      gain: request.cue.gain)
    overlay.isLayer = request.isLayer
    overlay.duck = request.ducking.map {
      Duck(depth: $0.depth, attack: rate.frames($0.attack), release: rate.frames($0.release))
    }
    fade(&overlay, by: request)
    if 0 < request.fadeOut { overlay.exit = FadeShape(length: rate.frames(request.fadeOut), curve: request.curve) }
    var added = OverlaySeries(first: overlay, period: period(of: overlay, delay: request.delay), count: 1)
    if case .times(let times) = request.times { added.count = times } else { added.count = nil }
    added.until = programme.stages[stage].end ?? .endless
    series.append(added)
  }

  private func period(of overlay: Placement, delay: Double) -> FrameCount {
    let period = overlay.length.addingReportingOverflow(rate.frames(delay))
    return period.overflow ? .endless : max(1, period.partialValue)
  }

  /// Both shortened in proportion where the sound is too short for them.
  private func fade(_ overlay: inout Placement, by request: OverlayRequest) {
    var fadeIn = rate.frames(request.fadeIn)
    var fadeOut = overlay.length == .endless ? 0 : rate.frames(request.fadeOut)
    if overlay.length < fadeIn + fadeOut {
      fadeIn = FrameCount(Double(overlay.length) * Double(fadeIn) / Double(fadeIn + fadeOut))
      fadeOut = overlay.length - fadeIn
    }
    if 0 < fadeIn { overlay.fadeIn = .rising(at: overlay.at, over: fadeIn, request.curve) }
    if 0 < fadeOut { overlay.fadeOut = .falling(at: overlay.end - fadeOut, over: fadeOut, request.curve) }
  }

  /// Those that sound leave under their own fade, and repeat no more.
  mutating func stopOverlays(at frame: FrameTime, keepingLayers: Bool = false) {
    pausedOverlays = nil
    let isChosen = { (overlay: Placement) in overlay.layer == .overlay && !(keepingLayers && overlay.isLayer) }
    for index in underWay.indices where isChosen(underWay[index]) {
      let own = underWay[index].exit ?? ramp
      underWay[index].leave(at: frame, over: own.length < ramp.length ? ramp : own)
    }
    series.removeAll { isChosen($0.first) }
    _ = takeRepeats(at: frame, where: isChosen)
  }

  /// From the next repeat on: the one under way plays to its end, and the silence behind it as it was.
  mutating func setOverlayRepetition(
    _ times: OverlayRequest.Times, delay: Double, at frame: FrameTime
  ) throws(AudioPlayerError) {
    guard let overlay = underWay.last(where: { $0.layer == .overlay }) else {
      throw .invalidState(current: "idle", attempted: "change an overlay's repeats")
    }
    series.removeAll { $0.first.layer == .overlay && !$0.first.isLayer }
    _ = takeRepeats(at: frame) { !$0.isLayer }
    guard overlay.length != .endless else { return }
    let period = period(of: overlay, delay: delay)
    var rest = OverlaySeries(first: overlay.shifted(by: period), period: period, count: nil)
    if case .times(let times) = times { rest.count = max(0, times - 1) }
    rest.first.serial = 0
    rest.first.enters = nil
    rest.until = programme.stages[stage].end ?? .endless
    series.append(rest)
  }

  mutating func stopEffects(at frame: FrameTime) {
    leave(at: frame, over: ramp) { $0.layer == .effect }
    series.removeAll { $0.first.layer == .effect }
  }

  /// Each goes on where it is once it is resumed, in its sound, its fade or its delay.
  mutating func pauseOverlays(at frame: FrameTime) {
    guard pausedOverlays == nil else { return }
    pausedOverlays = PausedOverlays(
      at: frame, underWay: underWay.filter { $0.layer == .overlay },
      series: series.filter { $0.first.layer == .overlay }, repeats: takeRepeats(at: frame) { _ in true })
    setAside(at: frame) { $0.layer == .overlay }
    series.removeAll { $0.first.layer == .overlay }
  }
}

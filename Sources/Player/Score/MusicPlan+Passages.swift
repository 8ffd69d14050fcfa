internal import Signal

extension MusicPlan {
  /// The placements of the tracks in the order of their beginnings.
  public var passages: Passages { Passages(plan: self, upcoming: first) }

  /// The same from a turn of this plan on.
  package func passages(from turn: Turn) -> Passages { Passages(plan: self, upcoming: turn) }

  /// How a turn sounds, whatever follows it.
  func placement(of turn: Turn, in stage: Int?) -> Placement {
    let following = successor(of: turn)
    let departure = effectiveDeparture(from: turn)
    var placement = placement(of: turn, overlapAfter: following?.entry.overlap ?? 0, departure: departure)
    placement.stage = stage
    return placement
  }

  public struct Passages: Sequence, IteratorProtocol, Sendable {
    let plan: MusicPlan
    private let departure: Departure?
    private var upcoming: Turn?

    init(plan: MusicPlan, upcoming: Turn?) {
      self.plan = plan
      self.upcoming = upcoming
      departure = plan.effectiveDeparture(from: upcoming)
    }

    public mutating func next() -> Placement? {
      guard let turn = upcoming else { return nil }
      if let departure, departure.end <= turn.at { return nil }
      let following = plan.successor(of: turn)
      upcoming = following
      return plan.placement(of: turn, overlapAfter: following?.entry.overlap ?? 0, departure: departure)
    }
  }

  /// The departure as it sounds: music that is used up within its crossfade fades over what it has left.
  private func effectiveDeparture(from turn: Turn?) -> Departure? {
    guard case .crossfade(let at, var shape) = departure, let turn else { return departure }
    let end = turn == first ? naturalEnd : self.end(from: turn)
    if end == .endless { return departure }
    let left = end - at
    if 0 < left { shape.length = min(shape.length, left) }
    return .crossfade(at: at, shape)
  }

  private func placement(of turn: Turn, overlapAfter: FrameCount, departure: Departure?) -> Placement {
    let track = tracks[turn.entry.index]
    var placement = Placement(
      layer: .music, source: track.source, title: track.title, stage: nil, at: turn.at, length: track.length,
      gain: track.gain * gain)
    placement.entry = turn.entry
    placement.number = track.number
    placement.enters = turn.enters
    arrive(&placement, by: turn)
    if 0 < overlapAfter {
      placement.fadeOut = .falling(at: placement.end - overlapAfter, over: overlapAfter, crossfade.curve)
    }
    if let departure { depart(&placement, by: departure) }
    return placement
  }

  private func arrive(_ placement: inout Placement, by turn: Turn) {
    let isFirst = turn.entry.index == opening && turn.entry.pass == 0
    let planned = isFirst ? entrance : FadeShape(length: turn.entry.overlap, curve: crossfade.curve)
    let arrival = turn.arrival ?? planned
    let begin = turn.arrival == nil ? turn.at : placement.begin
    if 0 < arrival.length { placement.fadeIn = .rising(at: begin, over: arrival.length, arrival.curve) }
    if turn.arrival?.length ?? 0 == 0, let enters = turn.enters {
      placement.ramp = .rising(at: enters, over: turn.ramp, .sCurve)
    }
  }

  private func depart(_ placement: inout Placement, by departure: Departure) {
    let fade = departure.fade
    if placement.end <= fade.start { return }
    let endsByItself = placement.end <= departure.end
    if case .cut = departure, endsByItself { return }
    if !endsByItself {
      placement.length = departure.end - placement.at
      if let fadeOut = placement.fadeOut, departure.end <= fadeOut.start { placement.fadeOut = nil }
    }
    placement.leave = fade
  }
}

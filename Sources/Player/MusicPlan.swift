public import Signal

/// The length and shape of a crossfade or fade.
public struct FadeShape: Sendable, Hashable {
  public var length: FrameCount
  public var curve: FadeCurve

  public init(length: FrameCount, curve: FadeCurve) {
    self.length = length
    self.curve = curve
  }

  public static let none = FadeShape(length: 0, curve: .equalPower)
}

/// How the music of a stage ends.
public enum Departure: Sendable, Hashable {
  /// From `at` on it fades out while the next stage fades in; music that is used up before, fades over what it has left.
  case crossfade(at: FrameTime, FadeShape)
  /// It fades so that it is silent at `end`.
  case fadeOut(end: FrameTime, FadeShape)
  /// It stops at `at`; what would go on is led out by the 20 ms before, so that it doesn't click.
  case cut(at: FrameTime, ramp: FrameCount)

  /// Nothing of the stage sounds from here on.
  public var end: FrameTime {
    switch self {
    case .crossfade(let at, let shape): at + shape.length
    case .fadeOut(let end, _): end
    case .cut(let at, _): at
    }
  }

  var fade: Fade {
    switch self {
    case .crossfade(let at, let shape): .falling(at: at, over: shape.length, shape.curve)
    case .fadeOut(let end, let shape): .falling(at: end - shape.length, over: shape.length, shape.curve)
    case .cut(let at, let ramp): .falling(at: at - ramp, over: ramp, .linear)
    }
  }
}

/// The music of one stage in closed form: which track sounds when, under which fades. Pure; `passages` works it out
/// one track at a time, so a week of three-second tracks takes no memory.
public struct MusicPlan: Sendable {
  public var tracks: [Track]
  public var repetition: RepeatMode
  /// Passes after the first; nil without a bound.
  public var repeatCount: Int?
  /// Of the stage; multiplies each track's own gain.
  public var gain: Gain
  /// Between the stage's tracks.
  public var crossfade: FadeShape
  /// Of the first track, from `begin` on.
  public var entrance: FadeShape
  /// Nil where the music ends by itself, and while the stage is open.
  public var departure: Departure?
  public var begin: FrameTime

  public init(
    tracks: [Track], repetition: RepeatMode, repeatCount: Int?, gain: Gain, crossfade: FadeShape,
    entrance: FadeShape, departure: Departure?, begin: FrameTime
  ) {
    self.tracks = tracks
    self.repetition = repetition
    self.repeatCount = repeatCount
    self.gain = gain
    self.crossfade = crossfade
    self.entrance = entrance
    self.departure = departure
    self.begin = begin
  }
}

extension MusicPlan {
  /// Frames from the first track's beginning to the last one's end; `.endless` where something repeats without a bound.
  public var naturalLength: FrameCount {
    var open = self
    open.departure = nil
    guard tracks.allSatisfy({ $0.length != .endless }) else { return .endless }
    guard repetition == .off || repeatCount != nil else { return tracks.isEmpty ? 0 : .endless }
    var end = begin
    for passage in open.passages { end = passage.end }
    return end - begin
  }

  /// The placements of the tracks in the order of their beginnings.
  public var passages: Passages { Passages(plan: self) }

  public struct Passages: Sequence, IteratorProtocol, Sendable {
    let plan: MusicPlan
    private var upcoming: Turn?

    /// One playing of one track: which, where, and how long it overlaps its predecessor.
    private struct Turn {
      var index: Int
      var pass: Int
      var at: FrameTime
      var overlap: FrameCount
    }

    init(plan: MusicPlan) {
      self.plan = plan
      upcoming = plan.tracks.isEmpty ? nil : Turn(index: 0, pass: 0, at: plan.begin, overlap: 0)
    }

    public mutating func next() -> Placement? {
      guard let turn = upcoming else { return nil }
      if let departure = plan.departure, departure.end <= turn.at { return nil }
      let following = successor(of: turn)
      upcoming = following
      return plan.placement(
        entry: PlaylistEntry(index: turn.index, pass: turn.pass, overlap: turn.overlap), at: turn.at,
        overlapAfter: following?.overlap)
    }

    private func successor(of turn: Turn) -> Turn? {
      let track = plan.tracks[turn.index]
      guard track.length != .endless, let (index, pass) = plan.entry(after: turn.index, pass: turn.pass) else { return nil }
      let overlap = plan.overlap(between: track, and: plan.tracks[index])
      return Turn(index: index, pass: pass, at: turn.at + track.length - overlap, overlap: overlap)
    }
  }

  /// A crossfade longer than half of either track is shortened to half of the shorter one.
  func overlap(between outgoing: Track, and incoming: Track) -> FrameCount {
    min(crossfade.length, outgoing.length / 2, incoming.length / 2)
  }

  /// Which entry follows, and in which pass; nil after the last one.
  func entry(after index: Int, pass: Int) -> (index: Int, pass: Int)? {
    let goesRoundAgain = repeatCount.map { pass < $0 } ?? true
    switch repetition {
    case .track where goesRoundAgain: return (index, pass + 1)
    case .playlist where index + 1 == tracks.count: return goesRoundAgain ? (0, pass + 1) : nil
    case .playlist: return (index + 1, pass)
    case .off, .track: return index + 1 < tracks.count ? (index + 1, 0) : nil
    }
  }

  private func placement(entry: PlaylistEntry, at: FrameTime, overlapAfter: FrameCount?) -> Placement {
    let track = tracks[entry.index]
    var placement = Placement(
      layer: .music, source: track.source, title: track.title, stage: nil, at: at, length: track.length,
      gain: track.gain * gain)
    placement.entry = entry
    let arrival = at == begin && entry.overlap == 0 ? entrance : FadeShape(length: entry.overlap, curve: crossfade.curve)
    if 0 < arrival.length { placement.fadeIn = .rising(at: at, over: arrival.length, arrival.curve) }
    if let overlapAfter, 0 < overlapAfter {
      placement.fadeOut = .falling(at: placement.end - overlapAfter, over: overlapAfter, crossfade.curve)
    }
    if let departure { depart(&placement, by: departure, isLast: overlapAfter == nil) }
    return placement
  }

  private func depart(_ placement: inout Placement, by departure: Departure, isLast: Bool) {
    var fade = departure.fade
    if placement.end <= fade.start { return }
    if placement.end <= departure.end {
      if case .cut = departure { return }
      if case .crossfade(let at, _) = departure, isLast { fade.length = placement.end - at }
    } else {
      placement.length = departure.end - placement.at
    }
    placement.leave = fade
  }
}

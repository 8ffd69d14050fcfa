public import Engine
public import Signal

/// What a listener has done in a session up to a place: all that it takes to come there again without playing it.
public struct SessionPast: Sendable, Hashable, Codable {
  /// The most changes that are kept.
  static let most = 500
  /// The most moves of one volume, of which each may begin within the one before: what is older is no longer heard.
  private static let mostMoves = 8

  /// The stage in whose run it began, and the session frame.
  var stage: Int
  var start: FrameTime
  /// The master volume at the beginning.
  public var master: Gain
  /// The session frame of the place.
  public var frame: FrameTime
  var deeds: [Deed] = []

  /// Nothing was done before but that volumes were set.
  public init(stage: Int, start: FrameTime, volumes: Volumes) {
    self.init(stage: stage, start: start, master: volumes.master, frame: start)
    for (layer, gain) in [(Layer.music, volumes.music), (.overlay, volumes.overlays), (.effect, volumes.effects)]
    where gain != .unity {
      add(Deed(at: start, edited: start, isSilent: false, act: .volume(layer, gain, over: 0)))
    }
  }

  init(stage: Int, start: FrameTime, master: Gain, frame: FrameTime) {
    (self.stage, self.start, self.master, self.frame) = (stage, start, master, frame)
  }

  /// What was brought in by what was done.
  public var sources: Set<SoundSource> { Set(deeds.flatMap(\.sources)) }

  /// Whether the session is another one than it was planned to be.
  public var isChanged: Bool { !deeds.isEmpty }

  /// Seconds that no session comes to: a week.
  public static let longest = 604_800.0

  /// Whether all of it lies between the beginning and the place, and no session is too short for it.
  func isPossible(at rate: SampleRate) -> Bool {
    let (frames, end) = (deeds.flatMap { [$0.at, $0.edited] }, rate.frames(Self.longest))
    return 0 <= start && start <= frame && frame <= end && deeds.count <= Self.most
      && frames.allSatisfy { start <= $0 && $0 <= end } && deeds.allSatisfy { 0 <= $0.length && $0.length <= end }
  }

  /// Whether all of it can be done again in a programme.
  public func fits(_ programme: Programme) -> Bool { Rehearsal(of: programme, after: self) != nil }

  /// The same at another place.
  func brought(to frame: FrameTime) -> SessionPast {
    var past = self
    past.frame = frame
    return past
  }

  /// Of changes of one volume only those are kept that can still be heard: a slider makes many.
  mutating func add(_ deed: Deed) {
    if case .volume(let layer, _, _) = deed.act {
      let same = deeds.indices.filter { deeds[$0].isVolume(of: layer) }
      if Self.mostMoves <= same.count { deeds.remove(at: same[0]) }
      if 2 <= same.count, same.count < Self.mostMoves, let last = same.last, deeds[last].end <= deed.at {
        deeds.remove(at: same[same.count - 2])
      }
    }
    deeds.append(deed)
  }

  /// The master volume is another one from the beginning on.
  public mutating func setMaster(_ gain: Gain) {
    master = gain
    for index in deeds.indices {
      if case .volume(nil, _, _) = deeds[index].act { deeds[index].act = .volume(nil, gain, over: 0) }
    }
  }
}

/// Something that was done to the score at one frame.
struct Deed: Sendable, Hashable, Codable {
  enum Act: Sendable, Hashable, Codable {
    case pause
    case resume(ResumeStrategy?)
    /// `resuming`: how a crossfade goes on that the change lets go on.
    case change(ScoreChange, resuming: ResumeStrategy?)
    case volume(Layer?, Gain, over: FrameCount)
  }

  struct Unplayable: Sendable, Hashable, Codable {
    var stage: Int
    var entry: PlaylistEntry
  }

  var at: FrameTime
  /// Where what is new begins: at the same frame, but for a pause that had yet to come to rest.
  var edited: FrameTime
  var isSilent: Bool
  /// A track that could not be opened when its turn came.
  var unplayable: Unplayable?
  var act: Act?

  fileprivate var sources: [SoundSource] { if case .change(let change, _) = act { change.sources } else { [] } }

  var isNothing: Bool { unplayable == nil && act == nil }

  /// Frames of what it brings in, or takes.
  fileprivate var length: FrameCount {
    switch act {
    case .volume(_, _, let length), .change(.gong(_, let length), _), .change(.overlay(_, let length), _): length
    default: 0
    }
  }

  /// Where a move of a volume has come to its end.
  var end: FrameTime { if case .volume(_, _, let length) = act { at + length } else { at } }

  func isVolume(of layer: Layer?) -> Bool {
    if unplayable == nil, case .volume(layer, _, _) = act { true } else { false }
  }
}

extension Placement {
  var asUnplayable: Deed.Unplayable? {
    guard let stage, let entry else { return nil }
    return Deed.Unplayable(stage: stage, entry: entry)
  }
}

extension Score {
  /// - Returns: what was done.
  mutating func attempt(_ act: Deed.Act, at frame: FrameTime) throws(AudioPlayerError) -> Deed.Act {
    var edited = self
    switch act {
    case .pause:
      edited.postponed = frame + ramp.length
      edited.leave(at: frame, over: ramp) { $0.layer == .effect }
    case .resume(let strategy):
      if let strategy { edited.resumeCrossfade(at: frame, by: strategy) }
    case .change(let change, let strategy):
      let wasPaused = pausedMusic != nil
      try change.make(on: &edited, at: frame)
      if wasPaused, edited.pausedMusic == nil, let strategy { edited.resumeCrossfade(at: frame, by: strategy) }
    case .volume: break
    }
    self = edited
    return act
  }
}

import Signal

/// Brings a score and the settings to where a performance is to begin, without a sound: what the listener did before is
/// done again, each at its frame.
struct Rehearsal: Sendable {
  private(set) var score: Score
  private(set) var settings: Settings
  private(set) var lastSerial = 0
  private(set) var past: SessionPast
  private var upcoming: Upcoming
  /// What the player would have planned by now.
  private(set) var planned: [Placement] = []
  /// What it had planned before the last change: what goes on keeps its serial, by which voices are added up.
  private(set) var before: [Placement] = []
  private var unclaimed: [Placement] = []
  private(set) var ducking = Ducking()
  private var origin: FrameTime

  /// A performance that begins with a stage, or in the middle, and nothing was done before.
  init(of programme: Programme, _ stage: Int, at start: FrameTime) {
    score = Score(programme, fromStage: stage)
    settings = Settings(master: programme.master)
    past = SessionPast(stage: stage, start: start, master: programme.master, frame: start)
    upcoming = Upcoming(score)
    origin = start
  }

  /// One that goes on where another one was left; nil when what was done can't be done in this programme.
  init?(of programme: Programme, after past: SessionPast) {
    guard programme.stages.indices.contains(past.stage), past.isPossible(at: programme.rate) else { return nil }
    self.init(of: programme, past.stage, at: past.start)
    do throws(AudioPlayerError) {
      for deed in past.deeds where deed.at <= past.frame { try redo(deed) }
      if isPaused { try redo(.resume(nil), at: past.frame) }
      if score.pausedMusic != nil { try redo(.change(.resumeMusic, resuming: nil), at: past.frame) }
    } catch { return nil }
    self.past.frame = past.frame
    plan(to: past.frame)
    score.forgetTakingUp()
  }

  /// A session that was paused goes on when it is gone on with.
  private var isPaused: Bool {
    for deed in past.deeds.reversed() {
      if case .pause = deed.act { return true }
      if case .resume = deed.act { return false }
    }
    return false
  }

  private mutating func redo(_ act: Deed.Act, at frame: FrameTime) throws(AudioPlayerError) {
    try redo(Deed(at: frame, edited: frame, isSilent: false, unplayable: nil, act: act))
  }

  private mutating func redo(_ deed: Deed) throws(AudioPlayerError) {
    plan(to: deed.at)
    before = planned.filter { deed.at <= $0.end }
    score.rebase(at: deed.at, sounding: before.sorted { ($0.begin, $0.serial) < ($1.begin, $1.serial) })
    if let unplayable = deed.unplayable { score.passOver(unplayable.entry, ofStage: unplayable.stage) }
    score.isSilent = deed.isSilent
    if let act = deed.act { _ = try score.attempt(act, at: deed.edited) }
    if case .volume(let layer, let gain, let length) = deed.act {
      settings.move(layer, to: gain, at: deed.at, over: length)
    }
    (unclaimed, planned, origin) = (before, [], deed.at)
    upcoming = Upcoming(score)
    past.deeds.append(deed)
    _ = ducking.resume(at: origin)
    plan(to: origin)
    for placement in unclaimed where placement.begin < origin {
      if let duck = placement.duck { _ = ducking.release(duck, for: placement, at: origin, from: origin) }
    }
    unclaimed = []
  }

  /// Plans as far as the player does that has come to `frame`.
  private mutating func plan(to frame: FrameTime) {
    let end = frame + score.rate.frames(ScorePlayer.lookahead)
    while let placement = upcoming.head, placement.begin < end {
      upcoming.drop()
      if placement.end <= origin {
        if past.deeds.isEmpty { _ = ducking.commandRelease(of: placement, from: origin) }
      } else {
        planned.append(named(placement))
        _ = ducking.command(planned[planned.count - 1], from: origin)
      }
    }
  }

  /// As the player names it: what goes on keeps its name, and what is begun in its middle is entered there.
  private mutating func named(_ placement: Placement) -> Placement {
    var placement = placement
    if let place = unclaimed.firstIndex(where: {
      $0.isAlignedWith(placement) && [0, $0.serial].contains(placement.serial)
    }) {
      let old = unclaimed.remove(at: place)
      placement.serial = old.serial
      placement.enters = placement.enters ?? old.enters
      return placement
    }
    lastSerial += 1
    if placement.serial == 0 { placement.serial = lastSerial }
    if placement.begin < origin { placement.enters = origin }
    return placement
  }
}

extension Score {
  /// Nobody who begins here has heard what was set aside before.
  fileprivate mutating func forgetTakingUp() {
    for index in underWay.indices { underWay[index].isTakenUp = false }
  }
}

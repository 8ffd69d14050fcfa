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
  private var planned: [Placement] = []
  /// What it had planned before the last change: what goes on keeps its serial, by which voices are added up.
  private(set) var before: [Placement] = []
  private var origin: FrameTime
  /// What had ended before the last change and may still hold the music down.
  private(set) var bygone: [Placement] = []

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
    guard programme.stages.indices.contains(past.stage), past.start <= past.frame else { return nil }
    self.init(of: programme, past.stage, at: past.start)
    do throws(AudioPlayerError) {
      for deed in past.deeds where deed.at <= past.frame { try redo(deed) }
      if isPaused { try redo(.resume(nil), at: past.frame) }
      if score.pausedMusic != nil { try redo(.change(.resumeMusic, resuming: nil), at: past.frame) }
    } catch { return nil }
    self.past.frame = past.frame
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
    advance(to: deed.at)
    score.rebase(at: deed.at, sounding: planned.sorted { ($0.begin, $0.serial) < ($1.begin, $1.serial) })
    if let unplayable = deed.unplayable { score.passOver(unplayable.entry, ofStage: unplayable.stage) }
    score.isSilent = deed.isSilent
    if let act = deed.act { _ = try score.attempt(act, at: deed.edited) }
    if case .volume(let layer, let gain, let length) = deed.act {
      settings.move(layer, to: gain, at: deed.at, over: length)
    }
    (before, planned, origin) = (planned, [], deed.at)
    upcoming = Upcoming(score)
    past.deeds.append(deed)
  }

  /// Plans as far as the player does that has come to `frame`.
  private mutating func advance(to frame: FrameTime) {
    let end = frame + score.rate.frames(ScorePlayer.lookahead)
    while let placement = upcoming.head, placement.begin < end {
      upcoming.drop()
      if frame < placement.end {
        planned.append(named(placement))
      } else if placement.duck != nil {
        bygone.append(placement)
      }
    }
  }

  /// As the player names it: what goes on keeps its name, and what is begun in its middle is entered there.
  private mutating func named(_ placement: Placement) -> Placement {
    var placement = placement
    if let old = before.first(where: { $0.isAlignedWith(placement) && [0, $0.serial].contains(placement.serial) }) {
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

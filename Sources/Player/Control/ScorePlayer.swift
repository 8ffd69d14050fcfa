import Engine
import Signal

/// Carries a score out on the desk: placement by placement, ahead of the render, and back again from its reports.
struct ScorePlayer: ~Copyable {
  var narrator: Narrator
  var score: Score
  var settings: Settings
  /// The frame at which an offline render stands still until something has happened there.
  var limit: FrameTime = .endless
  /// The frame at which the listener has ended the session.
  var closing: FrameTime?
  var damage: [SourceError] = []
  /// A track whose turn was to come and that can't be opened; nothing behind it is planned before it is passed over.
  var unplayable: Placement?

  let rate: SampleRate
  /// Offline a load takes no time of the virtual clock.
  let isVirtual: Bool
  var desk: Desk
  /// What has been commanded, by voice, until its end has been heard.
  var playing: [Int32: Placement] = [:]
  /// Voices whose sound is known to be damaged.
  var told: Set<Int32> = []
  /// What the mixer has said of frames that are yet to be heard.
  var reports: [RenderReport] = []
  var ducking: Ducking
  private let library: any SoundLibrary
  var upcoming: Upcoming
  /// The session frame before which everything has been commanded.
  var planned: FrameTime
  /// Where planning began, or began anew.
  var origin: FrameTime
  private var nextSerial: Int
  /// What had been planned when the session was left, with the serials by which its voices were added up.
  private let rehearsed: [Placement]
  /// Whether it is known how the music was held down.
  private let hasRehearsed: Bool
  var primed: [PrimedSource] = []
  /// Voices that are fed already and have yet to be commanded anew, after a halt.
  var unclaimed: [Int32: Placement] = [:]
  var unclaimedLoads: [Int: Placement] = [:]
  /// What is being opened, by serial.
  var awaited: [Int: Placement] = [:]
  /// Opens live what is to come, so that no slow file holds anything up; nil in a render, which waits.
  private let loads: LoadDesk?

  /// Control plans in steps of half a second, this far ahead: time enough to open a slow file.
  static let step = 0.5
  static let lookahead = 3.0

  init(
    _ rehearsal: Rehearsal, skipped: [Programme.Skipped], library: any SoundLibrary, loads: LoadDesk?,
    desk: consuming Desk, pace: Pace
  ) {
    let start = rehearsal.past.frame
    rate = rehearsal.score.rate
    self.library = library
    self.loads = loads
    isVirtual = pace == .players
    self.desk = desk
    (score, settings, nextSerial) = (rehearsal.score, rehearsal.settings, rehearsal.lastSerial)
    (rehearsed, ducking) = (rehearsal.before + rehearsal.planned, rehearsal.ducking)
    hasRehearsed = rehearsal.past.isChanged
    (planned, origin) = (start, start)
    upcoming = Upcoming(score)
    narrator = Narrator(score, from: start)
    // A file that begins in the middle is that part of the whole, to the sample; a listener is spared the click.
    if !isVirtual, Upcoming(score).hasSounding(at: start) {
      settings.gate = .rising(at: start, over: score.ramp.length, score.ramp.curve)
    }
    settings.command(&self.desk, at: start)
    self.desk.duck(ducking.resume(at: start))
    for skipped in skipped { skip(skipped.title, because: skipped.reason) }
    if let end = score.end { self.desk.horizon.end(at: max(start, end)) }
  }

  var horizon: Horizon { desk.horizon }

  /// Whether the unplayable track can be passed over now: of a render at the frame up to which all is planned, whatever
  /// the threads do.
  var canPassOver: Bool { unplayable != nil && (!isVirtual || horizon.waitingFrame == planned) }

  /// Commands everything that begins within the lookahead of what is mixed.
  mutating func plan() {
    var isStuck = false
    while !isStuck, planned < horizon.mixedFrame + rate.frames(Self.lookahead) { isStuck = !planStep() }
    // It may go on to where one waits for a voice: there voices end; if none does, it must do without.
    let isWaiting = isStuck && unplayable == nil
    horizon.advance(to: min(edge, isWaiting ? upcoming.head?.begin ?? planned : planned))
  }

  /// - Returns: false when something has to wait for a voice.
  mutating func planStep() -> Bool {
    let next = planned + rate.frames(Self.step)
    // What would begin behind the end is not even opened: a render may be there before anyone looks.
    let end = min(next, horizon.endFrame)
    while unplayable == nil, let placement = upcoming.head, placement.begin < end {
      guard carryOut(placement) else { return false }
      upcoming.drop()
    }
    if unplayable != nil { return false }
    planned = next
    return true
  }

  /// How far the render may go with what is planned, but for what is being opened: it waits for that as long as it can.
  private var edge: FrameTime { min(limit, awaited.values.map(\.begin).min() ?? .endless) }

  /// Whether there is a voice for one more, those counted that are for what is being opened.
  private func hasFree(_ bus: Bus) -> Bool {
    awaited.values.count { $0.layer.bus == bus } < desk.freeCount(bus)
  }

  /// - Returns: false when it has to wait for a voice.
  private mutating func carryOut(_ placement: Placement) -> Bool {
    if let serial = unclaimedLoads.filter({ $0.value.isAlignedWith(placement) }).keys.min() {
      goOn(placement, loading: serial)
    } else if placement.end <= origin {
      if !hasRehearsed { desk.duck(ducking.commandRelease(of: placement, from: origin)) }
    } else if let voice = voiceInPlace(of: placement) {
      goOn(placement, voice: voice)
    } else if hasFree(placement.layer.bus) || isLost(placement) {
      begin(placement)
    } else {
      return false
    }
    return true
  }

  /// After a halt: the voice that is fed what a placement sounds. Of two that sound the same, such as a track and the one
  /// that was sought in it to where it stood, the one that has begun where it begins.
  private func voiceInPlace(of placement: Placement) -> Int32? {
    func rank(_ other: Placement) -> (Int, Int, Int) {
      (other.serial == placement.serial ? 0 : 1, other.begin == placement.begin ? 0 : 1, other.serial)
    }
    return unclaimed.filter { $0.value.isAlignedWith(placement) }.min { rank($0.value) < rank($1.value) }?.key
  }

  /// The render has come to its beginning, and no voice has become free on the way.
  private mutating func isLost(_ placement: Placement) -> Bool {
    if horizon.mixedFrame < placement.begin { return false }
    let isWaiting = horizon.waitingFrame == placement.begin
    if isVirtual, isWaiting { collectReports() }
    return isWaiting || placement.begin < horizon.mixedFrame
  }

  /// The stamp of what happens while a step is planned: the same in every run, however the threads take turns.
  private var planningFrame: FrameTime { max(origin, planned - rate.frames(Self.lookahead) + 1) }

  private mutating func begin(_ placement: Placement) {
    var placement = placement
    nextSerial += 1
    if placement.serial == 0 {
      placement.serial = rehearsed.first { $0.isAlignedWith(placement) }?.serial ?? nextSerial
    }
    narrator.note(.loadStarted(placement), at: planningFrame)
    if placement.begin < origin { placement.enters = origin }
    let need = PrimedSource.Need(placement)
    if let place = primed.firstIndex(where: { $0.need == need }) {
      return take(.success(primed.remove(at: place).sound), for: placement, milliseconds: 0)
    }
    if let loads {
      awaited[placement.serial] = placement
      loads.load(need, for: placement.serial)
    } else {
      let sound = Result { () throws(SourceError) in
        try PrimedSound(placement.source, from: library, at: rate, offset: need.offset, priming: Int(rate.frames(0.1)))
      }
      take(sound.mapError { .failed($0) }, for: placement, milliseconds: 0)
    }
  }

  /// Sounds that have been opened on other threads.
  mutating func collectLoads() {
    for arrival in loads?.arrivals() ?? [] {
      guard let placement = awaited.removeValue(forKey: arrival.serial) else { continue }
      take(arrival.result.map(\.value), for: placement, milliseconds: arrival.result.milliseconds)
    }
  }

  private mutating func take(
    _ sound: Result<PrimedSound, LoadError>, for placement: Placement, milliseconds: Double
  ) {
    switch sound {
    case .success(let sound):
      narrator.note(.loadCompleted(placement, milliseconds: milliseconds), at: planningFrame)
      cue(placement, sound)
    case .failure(let failure):
      let error: SourceError
      if case .timedOut(let seconds) = failure {
        narrator.note(.told(.loadTimeout(title: placement.title, milliseconds: 1_000 * seconds)), at: planningFrame)
        error = .unreadable(path: placement.title, cause: "it doesn't answer")
      } else {
        error = failure.source ?? .unreadable(path: placement.title, cause: "too many sounds don't answer")
        narrator.note(.told(.loadFailed(title: placement.title, error)), at: planningFrame)
      }
      skip(placement.title, because: error)
      if placement.entry != nil { unplayable = placement }
    }
  }

  private mutating func cue(_ placement: Placement, _ sound: PrimedSound) {
    guard let voice = desk.lease(placement.layer.bus),
      desk.start(voice, placement.part, ordinal: placement.serial, from: sound)
    else {
      skip(placement.title, because: .unsupported(path: placement.title, what: "too many sounds at once; use fewer"))
      return
    }
    playing[voice] = placement
    desk.duck(ducking.command(placement, from: origin))
  }

  /// After a halt: a voice that is fed already goes on as the score has it now.
  private mutating func goOn(_ placement: Placement, voice: Int32) {
    guard let before = unclaimed.removeValue(forKey: voice) else { return }
    var placement = placement
    placement.serial = before.serial
    placement.enters = placement.enters ?? before.enters
    playing[voice] = placement
    desk.restart(voice, placement.part, at: origin)
    desk.duck(ducking.command(placement, from: origin))
  }

  /// After a halt: what is being opened will begin as the score has it now.
  private mutating func goOn(_ placement: Placement, loading serial: Int) {
    guard let before = unclaimedLoads.removeValue(forKey: serial) else { return }
    var placement = placement
    placement.serial = serial
    placement.enters = placement.enters ?? before.enters
    awaited[serial] = placement
  }

  private mutating func skip(_ title: String, because error: SourceError) {
    damage.append(error)
    narrator.count(damaged: 1)
    narrator.note(.told(.trackSkipped(title: title, reason: error)), at: planningFrame)
    narrator.note(.told(.error(PlayerProblem(error))), at: planningFrame)
  }
}

extension Placement {
  fileprivate var part: VoicePart {
    VoicePart(
      begin: begin, length: length == .endless ? .endless : end - begin, gain: gain, fadeIn: fadeIn, fadeOut: fadeOut,
      leave: leave, ramp: ramp)
  }
}

extension Layer {
  var bus: Bus {
    switch self {
    case .music: .music
    case .overlay: .overlays
    case .effect: .effects
    }
  }
}

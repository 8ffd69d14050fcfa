import Engine
import Signal

/// What the control thread owns: the score on its way to the mixer, the clocks, and what is told of both.
struct Control: ~Copyable {
  var player: ScorePlayer
  var clock: RunClock
  let sink: any Sink
  let programme: Programme
  private let start: FrameTime
  private let tell: @Sendable (StampedEvent) -> Void
  /// Where the session stands still; nil while it goes on.
  var parked: FrameTime?
  /// The run time from the last pause on, up to its end.
  var standstill: Range<Double> = 0..<0
  let session: AudioSessionManager
  /// The script's next frame of a render.
  var scriptLimit: FrameTime = .endless
  /// How the session ends before its time.
  var ending: FinishReason?
  private(set) var isOver = false
  /// What the listener has done so far, for who goes on with it; nil when that is too much.
  private var past: SessionPast?
  /// Of the event told last: neither clock ever goes back.
  private var lastRun = 0.0
  private var lastFrame: FrameTime

  init(
    playing programme: Programme, _ rehearsal: Rehearsal, library: any SoundLibrary, loader: Loader,
    into sink: any Sink, guardedBy session: AudioSessionManager, desk: consuming Desk,
    tell: @escaping @Sendable (StampedEvent) -> Void
  ) {
    let start = rehearsal.past.frame
    self.programme = programme
    self.sink = sink
    self.session = session
    past = rehearsal.past
    (self.start, lastFrame) = (start, start)
    self.tell = tell
    clock = RunClock(rate: programme.rate, pace: sink.pace, from: start)
    let isLive = sink.pace == .listener
    let loads = LoadDesk(library: library, rate: programme.rate, loader: loader, wake: desk.horizon.progress)
    player = ScorePlayer(
      rehearsal, skipped: programme.skipped, library: library, loads: isLive ? loads : nil, desk: desk,
      pace: sink.pace)
    let duration = player.score.end.map { programme.rate.seconds($0) }
    emit(.sessionStarted(title: programme.title, rate: programme.rate, duration: duration), at: start, stage: nil)
  }

  /// The first one at which a script is asked: what begins with the session has begun.
  var firstFrame: FrameTime { start + 1 }

  /// Whether anything of the session is heard, or will be without being asked for.
  var goesOn: Bool { parked.map { heard < $0 } ?? true }

  var rate: SampleRate { programme.rate }
  var isLive: Bool { sink.pace == .listener }
  var horizon: Horizon { player.horizon }
  var ramp: FrameCount { player.score.ramp.length }

  /// The session frame that the listener hears; of a render, the one that is certain.
  var heard: FrameTime {
    if isLive { return min(horizon.renderedFrame, horizon.session(at: sink.heard)) }
    let waiting = horizon.waitingFrame
    return waiting == player.limit ? waiting : horizon.renderedFrame
  }

  /// Lets a render go on to a frame at which the script is to be asked.
  mutating func release(to frame: FrameTime) {
    scriptLimit = frame
    step()
  }

  /// Takes in what has happened, commands what is to come, and tells what has been heard.
  mutating func step() {
    let heard = heard
    player.limit = min(parked.map { isLive ? .endless : $0 } ?? .endless, scriptLimit)
    player.collectReports(heardUpTo: heard)
    player.collectLoads()
    handle(.timePassed)
    player.plan()
    narrate(to: heard)
    while player.canPassOver, change() != nil {}
  }

  mutating func narrate(to frame: FrameTime) {
    var told: [(FrameTime, Int?, PlayerEvent)] = []
    player.narrator.advance(to: frame) { told.append(($0, $1, $2)) }
    for (at, stage, event) in told { emit(event, at: at, stage: stage) }
  }

  /// Tells something that happens at the frame of a command.
  mutating func emit(_ event: PlayerEvent, at frame: FrameTime) { emit(event, at: frame, stage: player.narrator.stage) }

  mutating func emit(_ event: PlayerEvent, at frame: FrameTime, stage: Int?) {
    lastRun = max(lastRun, clock.run(at: frame))
    lastFrame = max(lastFrame, frame)
    tell(
      StampedEvent(
        run: lastRun, session: rate.seconds(lastFrame), stage: stage.map { programme.stages[$0].name }, event: event,
        place: stage.map { place(inStage: $0, at: frame) }))
  }

  private func place(inStage stage: Int, at frame: FrameTime) -> SessionPlace {
    let begin = player.score.programme.stages[stage].begin
    return SessionPlace(
      stage: stage, seconds: max(0, rate.seconds(frame - begin)), past: past?.brought(to: frame),
      volumes: player.settings.volumes)
  }

  /// What is known of the player now.
  var moment: PlayerMoment {
    let frame = heard
    let music = player.narrator.music
    let current = music.current(at: frame)
    return PlayerMoment(
      run: max(lastRun, clock.run(at: frame)), session: rate.seconds(frame), state: music.state.name,
      progress: music.progress(at: frame), stage: player.narrator.stage.map { programme.stages[$0].name },
      track: current?.placement.title, trackIndex: current.flatMap { $0.placement.number ?? $0.placement.entry?.index },
      position: current?.seconds,
      volume: Double(player.settings.master.gain(at: frame)))
  }

  var status: PlayerStatus {
    let current = player.narrator.music.current(at: heard)?.placement
    var status = PlayerStatus(
      title: programme.title, moment: moment, duration: player.score.end.map { rate.seconds($0) },
      trackDuration: current.flatMap { $0.length == .endless ? nil : rate.seconds($0.length + $0.offset) })
    status.isOutputLost = session.isSilent
    status.shortfalls = player.narrator.totals.shortfalls
    return status
  }

  /// Seconds that control may sleep: offline until it is called, live until there is something to tell or to plan.
  func nap() -> Double {
    guard isLive else { return 3_600 }
    let longest = max(0.005, min(1, session.pendingFor(at: now) ?? 1))
    if let parked { return heard < parked ? 0.05 : longest }
    let next = min(player.narrator.nextFrame, player.nextReport)
    return next == .endless ? longest : min(longest, max(0.005, rate.seconds(next - heard)))
  }

  /// Has the render stand still, tells what was heard up to there, changes the score, and goes on.
  ///
  /// - Returns: the frame of the change; nil when the render has ended.
  @discardableResult
  mutating func change(
    with primed: [PrimedSource] = [], settings: (inout Control, FrameTime) -> Void = { _, _ in },
    editing edit: (inout Score, FrameTime) -> Deed.Act? = { _, _ in nil }
  ) -> FrameTime? {
    guard let frame = player.halt() else { return nil }
    let unplayable = player.unplayable?.asUnplayable
    narrate(to: frame)
    let rest = parked
    settings(&self, frame)
    player.limit = min(parked.map { isLive ? .endless : $0 } ?? .endless, max(scriptLimit, frame))
    horizon.park(at: isLive ? parked ?? .endless : .endless)
    // In a pause everything is changed where it comes to rest: nothing is heard of it.
    let edited = parked == nil ? frame : max(frame, rest ?? frame)
    player.score.isSilent = rest != nil && parked != nil
    var act: Deed.Act?
    let told = player.goOn(from: frame, at: edited, with: primed) { act = edit(&$0, edited) }
    note(Deed(at: frame, edited: edited, isSilent: player.score.isSilent, unplayable: unplayable, act: act))
    tell(told, at: frame)
    return frame
  }

  /// What has been done is kept with the place, as long as it isn't too much.
  private mutating func note(_ deed: Deed) {
    if deed.isNothing || past == nil { return }
    past?.add(deed)
    if let count = past?.deeds.count, SessionPast.most < count {
      past = nil
      emit(
        .warning(
          "\(count) changes are more than are kept: --resume will keep the volumes, "
            + "and go on with the stage as it was planned"),
        at: deed.at)
    }
  }

  /// The session is over: tells what is left, and how it went.
  mutating func finish(failure: SinkError?) -> Performance {
    isOver = true
    // A listener who has asked for the end gets it, also from a server that goes away meanwhile.
    let failure = isLive && ending != nil ? nil : failure
    handle(.ended)
    player.collectReports()
    let rendered = horizon.renderedFrame
    let isCutShort = isLive && (ending != nil || failure != nil)
    let end = isCutShort ? min(rendered, horizon.session(at: sink.heard)) : rendered
    var told: [(FrameTime, Int?, PlayerEvent)] = []
    player.narrator.close(at: end) { told.append(($0, $1, $2)) }
    for (at, stage, event) in told { emit(event, at: at, stage: stage) }
    return conclude(at: end, failure: failure)
  }

  private mutating func conclude(at end: FrameTime, failure: SinkError?) -> Performance {
    let reason = failure == nil ? ending ?? .completed : .outputFailed
    if let failure { emit(.error(PlayerProblem(failure)), at: end) }
    for event in player.narrator.conclude(failure) { emit(event, at: end) }
    if let refusal = player.narrator.music.refusal { emit(.warning("a defect of prosper: \(refusal)"), at: end) }
    var totals = player.narrator.totals
    totals.played = rate.seconds(end - start)
    emit(.sessionFinished(reason: reason, totals: totals), at: end, stage: nil)
    return Performance(reason: reason, totals: totals, damage: player.damage, failure: failure)
  }
}

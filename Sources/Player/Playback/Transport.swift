import Schedule
import Engine
import Signal
import Sounds

/// The state that the control thread owns: the schedule and its executor, the clocks, and the events that are emitted.
///
/// All methods run on the control thread.
struct Transport: ~Copyable {
  var player: Executor
  var clock: RunClock
  let sink: any Sink
  /// The name of the output; of several, of the one that leads.
  private let output: String?
  /// The session as its file has it, without what commands have changed.
  private(set) var programme: Programme
  private(set) var stageNames: [String]
  /// Whether the session file can be read again.
  var canReload = false
  /// Frames of silence in the output before the session.
  var leadIn: FrameCount = 0
  /// The session frame at which playback started.
  private let start: FrameTime
  private let send: @Sendable (StampedEvent) -> Void
  /// Whether the session plays, is paused or ends, and what commands do then.
  var coordinator: PlaybackStateCoordinator
  /// The replies of this pass. They are sent when the status is up to date, so that whoever receives one sees its effect.
  var replies: [@Sendable () -> Void] = []
  /// Whether a signal has requested the end of the session.
  var isInterrupted = false
  /// Whether the render has ended, and why it failed.
  var renderEnd = RenderEnd.running
  /// The run times in seconds of the last pause. The upper bound is infinite while the session is paused.
  var standstill: Range<Double> = 0..<0
  let session: AudioSessionManager
  /// The frame at which a render stops to ask the script for commands.
  var scriptLimit: FrameTime = .endless
  private var edits: EditLog
  /// The loads of the session and of commands.
  var loads = OpenLoads()
  /// Accepted commands that have no outcome yet.
  private var open: [(id: String, change: ListenerChanges.Change)] = []
  private var changes = ListenerChanges()
  private var heardParts = HeardParts()
  /// The planned length of the session, in seconds, when playback started; nil with an open stage.
  private let plannedAtStart: Double?
  private var outlook = Outlook()
  /// The frame of the last event that can have changed the outlook; nil if `outlook` is up to date. It is computed when
  /// it is read, not at each event: that would take longer than everything else that an event needs.
  private var outlookChange: FrameTime?
  /// Run time and frame of the last event. Both never decrease from event to event.
  private(set) var lastRun = 0.0
  private var lastFrame: FrameTime

  enum RenderEnd: Sendable {
    case running
    /// The error is nil if the output has been finished.
    case ended(SinkError?)
  }

  init(
    playing programme: Programme, _ replayed: Replayed, _ origin: SessionOrigin, opener: SoundOpener,
    load: @escaping Executor.Load,
    into sink: any Sink, guardedBy session: AudioSessionManager, mixerControl: consuming MixerControl,
    emit: @escaping @Sendable (StampedEvent) -> Void
  ) {
    let start = replayed.journal.frame
    self.programme = programme
    stageNames = programme.stages.map(\.name)
    self.sink = sink
    self.session = session
    output = origin.output
    edits = EditLog(continuing: replayed.journal)
    (self.start, lastFrame) = (start, start)
    send = emit
    clock = RunClock(rate: programme.rate, pace: sink.pace, from: start)
    let isLive = sink.pace == .listener
    coordinator = PlaybackStateCoordinator(isLive: isLive)
    player = Executor(
      replayed, skipped: programme.skipped, opener: opener, load: isLive ? load : nil, mixerControl: mixerControl,
      pace: sink.pace)
    plannedAtStart = player.plannedTimes.end.map { [rate = programme.rate] in rate.seconds($0) }
    let duration = player.end.map { programme.rate.seconds($0) }
    self.emit(
      .sessionStarted(title: programme.title, rate: programme.rate, duration: duration, origin), at: start, stage: nil)
  }

  /// The first frame at which a script is asked. It is one after the start, so that the first stage has started.
  var firstFrame: FrameTime { start + 1 }

  /// The session frame from which a pause is silent, after its ramp; nil if the session is not paused.
  var pausedAt: FrameTime? { coordinator.pausedAt }

  /// Whether the session plays; false once the ramp into a pause has been heard, or can't be heard.
  var isRunning: Bool { pausedAt.map { heard < $0 && session.isAudible } ?? true }

  var rate: SampleRate { programme.rate }
  var isLive: Bool { sink.pace == .listener }
  var renderSync: RenderSync { player.renderSync }

  /// The session frame that the listener hears; in a render, the frame up to which output is final.
  var heard: FrameTime {
    if isLive { return Self.heard(renderSync, sink) }
    let waiting = renderSync.waitingFrame
    return waiting == player.limit ? waiting : renderSync.renderedFrame
  }

  private static func heard(_ renderSync: RenderSync, _ sink: any Sink) -> FrameTime {
    min(renderSync.renderedFrame, renderSync.session(at: sink.heard))
  }

  /// The stages that have been entered in a render, and those that follow if there is no further edit, with the frames of
  /// the output at which they begin. The output has no pauses.
  var outputStages: [Playhead.StageEntry] { player.timeline.stages.map { ($0.name, leadIn + $0.at - start) } }

  /// The run time and the session time that is heard, in seconds; on any thread.
  typealias Reading = @Sendable () -> (run: Double, session: Double)

  /// The clock of a live player.
  var reading: Reading? {
    guard isLive else { return nil }
    return { [clock, renderSync, sink, rate] in
      let frame = Self.heard(renderSync, sink)
      return (clock.run(at: frame), rate.seconds(frame))
    }
  }

  /// Lets a render continue to the next frame at which the script is asked.
  mutating func release(to frame: FrameTime) {
    scriptLimit = frame
    step()
  }

  /// One pass of the control loop: it collects the mixer's reports, sends the next clips, and emits the events whose
  /// frames have been heard.
  mutating func step() {
    let heard = heard
    player.limit = min(pausedAt.map { isLive ? .endless : $0 } ?? .endless, scriptLimit)
    player.collectReports(heardUpTo: heard)
    handle(.timePassed)
    player.plan()
    emitEvents(to: heard)
    while player.canPassOver, (try? change()) != nil {}
    // In a render, loads take no time.
    if isLive { for (stage, event) in loads.progress(at: now) { emit(event, at: heard, stage: stage) } }
  }

  /// Seconds after which a load is told although nothing is heard yet.
  private static let patience = 0.3

  /// Emits the events of the timeline up to `frame`.
  mutating func emitEvents(to frame: FrameTime) {
    // A session usually begins at once. If it doesn't, the listener learns what it waits for.
    let tellsLoads = isLive && Self.patience <= clock.run(at: frame)
    for (at, stage, event) in player.timeline.advance(to: frame, tellsLoads: tellsLoads) {
      emit(event, at: at, stage: stage)
    }
  }

  /// Emits an event at the frame of a command, in the current stage.
  mutating func emit(_ event: PlayerEvent, at frame: FrameTime) { emit(event, at: frame, stage: player.timeline.stage) }

  /// Emits an event with its run time, session time and stage, and with the position for `--resume`.
  mutating func emit(_ event: PlayerEvent, at frame: FrameTime, stage: Int?) {
    let frame = min(frame, coordinator.closing ?? .endless)
    lastFrame = max(lastFrame, frame)
    lastRun = run(at: lastFrame)
    loads.note(event, stage: stage, at: now)
    player.timeline.totals.note(event, isPaused: pausedAt != nil)
    if stage == player.timeline.stage { heardParts = partsHeard(by: frame) }
    if event.changesOutlook { outlookChange = frame }
    send(
      StampedEvent(
        run: lastRun, time: isLive ? wallSeconds() : nil, session: rate.seconds(lastFrame),
        stage: stage.flatMap { name(ofStage: $0) },
        isPaused: pausedAt != nil, isMusicPaused: player.schedule.isMusicPaused,
        planned: stage.flatMap { planned(inStage: $0, at: frame) }, event: event,
        position: stage.map { position(inStage: $0, at: frame) }))
  }

  private func position(inStage stage: Int, at frame: FrameTime) -> SessionPosition {
    SessionPosition(
      stage: stage, seconds: seconds(inStage: stage, at: frame), journal: edits.journal(restoring: frame),
      volumes: player.settings.volumes)
  }

  /// Seconds from the beginning of a stage.
  private func seconds(inStage stage: Int, at frame: FrameTime) -> Double {
    max(0, rate.seconds(frame - player.schedule.begin(ofStage: stage)))
  }

  /// The parts that have been heard, up to a frame.
  private func partsHeard(by frame: FrameTime) -> HeardParts {
    var parts = heardParts
    guard let stage = player.timeline.stage, let name = name(ofStage: stage) else { return parts }
    let begin = player.schedule.begin(ofStage: stage)
    parts.note(stage: name, index: stage, begin: begin, at: seconds(inStage: stage, at: frame))
    return parts
  }

  /// The position in the session's plan, in seconds.
  func planned(inStage stage: Int, at frame: FrameTime) -> Double? {
    let passed = frame - player.schedule.begin(ofStage: stage)
    return player.plannedTimes.frame(ofStage: stage, after: passed).map { rate.seconds($0) }
  }

  /// Whether an accepted command has no outcome yet.
  var isAwaited: Bool { !open.isEmpty }

  /// Reports that a command was accepted. Its outcome is reported by `settle`.
  mutating func accept(_ name: String, id: String) {
    let stage = player.timeline.stage
    let at = stage.map { seconds(inStage: $0, at: heard) }
    open.append((id, ListenerChanges.Change(name: name, stage: stage.flatMap { self.name(ofStage: $0) }, at: at)))
    emit(.command(name: name, id: id, .accepted), at: heard)
  }

  /// Reports the outcome of a command.
  mutating func settle(_ name: String, id: String, _ outcome: CommandOutcome) {
    if let index = open.firstIndex(where: { $0.id == id }) {
      let (_, change) = open.remove(at: index)
      if outcome == .done { changes.add(change) }
    }
    emit(.command(name: name, id: id, .ended(outcome)), at: heard)
  }

  /// The run time at a frame. It never decreases, and no more of the session has passed: the clock of an output can be a
  /// little faster than the computer's.
  private func run(at frame: FrameTime) -> Double {
    max(lastRun, clock.run(at: frame), rate.seconds(frame - start))
  }

  private mutating func currentOutlook() -> Outlook {
    if let frame = outlookChange.take() { outlook = Outlook(player.schedule, at: frame) }
    return outlook
  }

  /// The player's position and state at the frame heard now.
  mutating func currentMoment() -> PlayerMoment {
    let (frame, outlook) = (heard, currentOutlook())
    let (playhead, volume) = (player.timeline.playhead, player.settings[nil])
    let (state, current) = (playhead.state(at: frame), playhead.current)
    return PlayerMoment(
      run: run(at: frame), session: rate.seconds(frame), state: state.name, progress: state.progress,
      stage: playhead.stage.flatMap { name(ofStage: $0) },
      track: current?.title, trackIndex: current.flatMap { $0.number ?? $0.entry?.index },
      position: playhead.position(at: frame),
      volume: Double(pausedAt == nil ? volume.gain(at: frame) : volume.to), overlays: outlook.overlays.playing)
  }

  /// Seconds that the control loop may sleep. A render wakes it; live, it wakes for the next event or the next report,
  /// and after at most one second.
  func nap() -> Double {
    guard isLive else { return 3_600 }
    let run = clock.run(at: heard)
    let untilLoads = run < Self.patience ? Self.patience - run : loads.nextProgress - now
    let longest = max(0.005, min(1, session.pendingFor(at: now) ?? 1, untilLoads))
    if pausedAt != nil { return isRunning ? 0.05 : longest }
    let next = min(player.timeline.nextFrame, player.nextReport)
    // While nothing is heard, no event is due.
    return next == .endless || !session.isAudible ? longest : min(longest, max(0.005, rate.seconds(next - heard)))
  }

  /// Halts the renderer, emits the events heard by then, changes the schedule or the settings, and lets the renderer
  /// continue.
  ///
  /// - Parameters:
  ///   - act: the edit or volume change; nil if only the settings change.
  ///   - primed: sounds that are already open for the edit.
  ///   - settings: changes the fade and the phase of the session; receives the frame at which the render halted.
  /// - Returns: the frame of the change.
  /// - Throws: why the edit is rejected, which leaves the schedule without it; `ended` if the render has ended.
  @discardableResult
  mutating func change(
    _ act: Journal.Entry.Act? = nil, with primed: [PrimedSource] = [],
    settings: (inout Transport, FrameTime) -> Void = { _, _ in }
  ) throws(PlayerError) -> FrameTime {
    guard let frame = player.halt() else { throw .ended }
    emitEvents(to: frame)
    let (rest, age) = (pausedAt, clock.age(at: frame))
    settings(&self, frame)
    player.limit = min(pausedAt.map { isLive ? .endless : $0 } ?? .endless, max(scriptLimit, frame))
    renderSync.pause(at: isLive ? pausedAt ?? .endless : .endless)
    // During a pause, an edit applies at the paused frame, so no transition is heard.
    let edited = pausedAt == nil ? frame : max(frame, rest ?? frame)
    if rest == nil, pausedAt != nil { edits.beginPause(of: player.schedule) }
    var schedule = player.schedule
    if pausedAt == nil, let remade = edits.endPause(at: frame, silentFrom: rest, player.settings) { schedule = remade }
    // Even if no edit follows, stages that have begun are not upcoming any more.
    schedule.advance(to: edited, keeping: frame)
    var refusal: PlayerError?
    let isSilent = rest != nil && pausedAt != nil
    for act in [passingOver(), act].compactMap({ $0 }) {
      let entry = Journal.Entry(act, at: frame, edited: edited, isSilent: isSilent)
      do throws(EditError) {
        try entry.apply(to: &schedule, &player.settings)
        if let update = act.update {
          adopt(update, in: schedule, at: frame, edited: edited)
        } else if let warning = edits.add(entry, pausedAt: pausedAt) {
          emit(warning, at: entry.at)
        }
      } catch { refusal = .edit(error) }
    }
    let (before, isPaused) = (player.schedule, pausedAt != nil || rest != nil && coordinator.closing == rest)
    // The output has only a few milliseconds of sound until the renderer continues, so other work is done afterwards.
    let changes = player.timeline.replan(
      schedule, at: frame, showing: pausedAt ?? edited, isPaused: isPaused || schedule.isMusicPaused,
      resuming: act?.resumption, age: age)
    player.resume(from: frame, with: primed, schedule, pausedAt: pausedAt, closing: coordinator.closing)
    for (_, stage, event) in changes { emit(event, at: frame, stage: stage) }
    emit(warnings(of: before.cues(droppedBy: schedule, at: edited)), at: frame)
    if let refusal { throw refusal }
    return frame
  }

  /// The session continues as its file is now. Its volume applies if the file has changed it.
  private mutating func adopt(_ update: SessionUpdate, in schedule: Schedule, at frame: FrameTime, edited: FrameTime) {
    (programme, stageNames) = (update.new, update.new.stages.map(\.name))
    if update.new.master != update.old.master {
      player.settings[nil].move(to: update.new.master.linear, at: frame, over: rate.frames(1))
      emit(.volume(nil, update.new.master, over: 1), at: frame)
    }
    let volumes = player.settings.volumes
    edits.restart { schedule.journal(after: $0, of: update.new, volumes, at: frame, edited: edited) }
  }

  /// The name of a stage; nil for one that the session file does not have any more.
  private func name(ofStage index: Int) -> String? { stageNames.indices.contains(index) ? stageNames[index] : nil }

  /// The edit that skips a track which could not be opened in time; nil if there is none.
  private mutating func passingOver() -> Journal.Entry.Act? {
    guard let (clip, isTransient) = player.unplayable.take(), let stage = clip.stage,
      case .track(_, let due, let entry) = clip.id.origin
    else { return nil }
    let pass = isTransient ? clip.entry?.pass : nil
    return .edit(.passOver(stage: stage, entry: entry, trackPlay: due, pass: pass), resuming: nil)
  }

  /// Ends the session: emits the events that remain before its last two, which `conclude` emits.
  ///
  /// - Parameter failure: why the output failed; nil if it didn't.
  /// - Returns: the session's last frame, and the failure unless it does not count.
  mutating func finish(failure: SinkError?) -> (end: FrameTime, failure: SinkError?) {
    coordinator.end()
    // If the listener has ended the session, a loss of the server in the meantime is not a failure.
    let failure = isLive && coordinator.ending != nil ? nil : failure
    handle(.ended)
    player.collectReports()
    let rendered = renderSync.renderedFrame
    let isCutShort = isLive && (coordinator.ending != nil || failure != nil)
    let end = isCutShort ? min(rendered, renderSync.session(at: sink.heard)) : rendered
    for (at, stage, event) in player.timeline.close(at: end) { emit(event, at: at, stage: stage) }
    for (stage, event) in loads.cancelAll() { emit(event, at: end, stage: stage) }
    if let failure { emit(.error(.outputFailed(failure)), at: end) }
    emit(player.timeline.playhead.conclude(failure.map { .outputFailed($0) }), at: end)
    if let refusal = player.timeline.playhead.refusal { emit(.warning("a bug in prosper: \(refusal)"), at: end) }
    for (id, change) in open { emit(.command(name: change.name, id: id, .ended(.rejected(.ended))), at: end) }
    return (end, failure)
  }

  /// Emits the metrics of the run and the end of the session.
  ///
  /// - Parameter metrics: nil if they are not recorded.
  mutating func conclude(at end: FrameTime, failure: SinkError?, _ metrics: QueueMetrics?) -> PlaybackResult {
    let reason = failure == nil ? coordinator.ending ?? .completed : .outputFailed
    var totals = player.timeline.totals
    // A track that can't be opened but whose turn has not come was not skipped.
    let damage = player.damage.filter { $0.frame <= end }.map(\.error)
    (totals.played, totals.damaged) = (rate.seconds(end - start), damage.count)
    if let metrics { emit(.metrics(metrics.with(totals.shortfalls)), at: end, stage: nil) }
    emit(.sessionFinished(reason: reason, totals: totals), at: end, stage: nil)
    return PlaybackResult(reason: reason, totals: totals, damage: damage, failure: failure)
  }
}

/// The status that the control socket, keys and the desktop read.
extension Transport {
  /// The session as it is planned now.
  var currentProgramme: Programme { player.schedule.programme }

  /// The status at the frame heard now.
  mutating func currentStatus() -> PlayerStatus {
    let (current, outlook) = (player.timeline.playhead.current, currentOutlook())
    var status = PlayerStatus(
      title: programme.title, moment: currentMoment(), duration: player.end.map { rate.seconds($0) },
      trackDuration: current.flatMap { $0.length == .endless ? nil : rate.seconds($0.length) })
    status.stages = stageNames
    status.planned = player.timeline.stage.flatMap { planned(inStage: $0, at: heard) }
    status.plannedDuration = player.plannedTimes.end.map { rate.seconds($0) }
    status.trackID = current?.trackID
    status.origin = current?.source.origin
    status.tags = current?.tags ?? SoundTags()
    status.volumeTarget = Double(player.settings[nil].to)
    status.layerVolumes = (Double(player.settings[.music].to), Double(player.settings[.overlay].to))
    status.queued = open.count
    (status.changes, status.heard) = (changes.last, partsHeard(by: heard).last)
    status.added = plannedAtStart.flatMap { before in status.plannedDuration.map { $0 - before } }
    status.abilities = abilities(outlook)
    (status.next, status.overlays) = (outlook.next, outlook.overlays)
    status.isOutputLost = session.isSilent
    status.loading = loads.lasting
    status.isMusicPaused = player.schedule.isMusicPaused
    status.shortfalls = player.timeline.totals.shortfalls
    return status
  }

  private func abilities(_ outlook: Outlook) -> PlayerAbilities {
    var abilities = PlayerAbilities()
    guard isChangeable else { return abilities }
    abilities.takesCommands = true
    (abilities.hasNext, abilities.hasPrevious) = (outlook.hasNext, outlook.hasPrevious)
    abilities.canReload = canReload
    abilities.canExtend = player.timeline.stage.map { player.schedule.canExtend(stage: $0, at: heard) } ?? false
    let playhead = player.timeline.playhead
    abilities.canSeek = playhead.current != nil && playhead.state.kind.actions.contains(.seek)
    return abilities
  }
}

/// Events of a live output, and the reaction of the session.
extension Transport {
  /// Passes an event from the sink or from the power management to the session manager.
  mutating func take(_ event: OutputEvent) { handle(.received(event, canPause: isChangeable)) }

  /// Passes an input to the session manager and executes the actions that follow.
  mutating func handle(_ input: AudioSessionManager.Input) {
    for action in session.handle(input, at: now) {
      switch action {
      case .pause: try? halt()
      case .resume: try? restart()
      case .report(let change): emit(.output(change, of: output), at: heard)
      case .underrun(let seconds): reportUnderrun(seconds: seconds)
      case .warn(let text): emit(.warning(text), at: heard)
      }
    }
  }

  /// Tells what happens to an output that follows. The session goes on.
  mutating func report(_ event: OutputEvent, of follower: String) {
    switch event {
    case .lost(let cause, let ofDevice):
      emit(.follower(.lost(cause: cause, ofDevice: ofDevice), of: follower), at: heard)
    case .restored(let seconds): emit(.follower(.restored(after: seconds), of: follower), at: heard)
    case .moved(let device): emit(.follower(.moved(to: device), of: follower), at: heard)
    case .connected, .unplugged, .starved, .corked, .asleep: break
    }
  }

  /// Seconds of the monotonic clock.
  var now: Double { Double(monotonicNanoseconds()) / 1e9 }

  private mutating func reportUnderrun(seconds: Double) {
    let frame = heard
    // An underrun during a pause interrupts only silence.
    guard !standstill.contains(clock.run(at: frame) - seconds) else { return }
    player.timeline.totals.shortfalls.underruns += 1
    emit(.underrun(nil, title: "the output", milliseconds: 1_000 * seconds), at: frame)
  }
}

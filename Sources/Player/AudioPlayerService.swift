package import Engine
package import Logging
package import Schedule
package import Signal
package import Sounds

/// The embeddable player: plays a programme from a sound library into a sink, executes commands, and emits events.
///
/// All methods and properties may be used from any thread.
package final class AudioPlayerService: Sendable {
  private let controlLoop: ControlLoop
  private let commandExecutor: CommandExecutor
  private let script: ScriptDriver?
  private let stream: Multicast<StampedEvent>
  private let eventLogger: EventLogger
  private let isLive: Bool
  /// Whether the threads exist that limit the time of loads, and that load if the system can't create further ones.
  private let hasThreads: Bool
  private let streams: PlayerStreams
  private let interruptions: OutputInterruptions
  private let followers: @Sendable () -> [OutputStatus]

  /// - Parameters:
  ///   - stage: index of the first stage, or of a stage before `start`. Cues of earlier runs of stages are omitted.
  ///   - start: the session frame at which to begin. A sound that plays there starts in its middle.
  ///   - journal: the edits of an earlier run to continue; nil for none. If they can be replayed in the programme, the
  ///     position that they lead to replaces `stage` and `start`.
  ///   - options: the length of blocks, the number of decoding threads, and the silence before the session.
  ///   - script: commands and expectations with their times; nil for none.
  ///   - session: decides when interruptions of the output pause the session. The sink must use the same instance.
  ///   - memoryPressure: path of the file in which the kernel reports memory pressure. A missing file is ignored.
  ///   - timesOutLoads: whether a sound that takes too long to open is given up. In a render none is, because a load takes
  ///     no virtual time.
  ///   - loadTimeout: seconds that a sound may take to open; nil to adapt to the time that the last ones took.
  ///   - measures: whether the command queue records metrics and the history of states.
  ///   - log: receives log lines from the control thread and from the command queue. It must not block.
  ///   - reportsProgress: whether the progress of crossfades is reported ten times a second. If false, and if nobody
  ///     else reads it, it is reported once a second, which wakes the computer less often.
  ///   - observer: receives the frames of a render.
  ///   - tellStages: called on the control thread before a render finishes the sink: the stages that were entered, with
  ///     the frames of the output at which they begin.
  ///   - reload: reads the session file again; nil if there is none.
  ///   - followers: what is known of the outputs that follow the sink.
  ///   - emit: called on the control thread with each event, in order. It must not block.
  package init(
    playing programme: Programme, from library: any SoundLibrary, into sink: any Sink, stage: Int = 0,
    at start: FrameTime = 0, after journal: Journal? = nil, options: RenderOptions = RenderOptions(),
    script: (any CommandSource)? = nil, session: AudioSessionManager = AudioSessionManager(),
    memoryPressure: String = "/proc/pressure/memory",
    timesOutLoads: Bool = true, loadTimeout: Double? = nil, measures: Bool = true, log: Logger = .dropping,
    reportsProgress: Bool = true, origin: SessionOrigin = SessionOrigin(),
    observing makeObserver: @escaping ObserverFactory = { nil },
    measured: @escaping @Sendable (MeasuredSound) -> MeasuredSound = { $0 },
    tellStages: (@Sendable ([Playhead.StageEntry]) -> Void)? = nil, reloading reload: ReloadedSession.Reading? = nil,
    followers: @escaping @Sendable () -> [OutputStatus] = { [] },
    emit: @escaping @Sendable (StampedEvent) -> Void
  ) {
    let isLive = sink.pace == .listener
    let alarms = timesOutLoads && isLive ? AlarmClock() : nil
    let spare = WorkThreads()
    hasThreads = spare != nil && (alarms != nil || !timesOutLoads || !isLive)
    let loader = Loader(timeLimit: loadTimeout, alarm: alarms?.set) { OSThread.start($0) || spare?.async($0) != nil }
    let time = RunTime(pace: sink.pace)
    let queue = AsyncOperationQueue(overtakes: isLive, clock: { time.nanoseconds }, metrics: measures, log: log)
    let eventLogger = EventLogger(log, of: queue, and: loader)
    let events = Multicast<StampedEvent>()
    let streams = PlayerStreams()
    let history = measures ? StateHistory() : nil
    let replayed = journal.flatMap { $0.replayed(in: programme) } ?? Replayed(programme, stage, at: start)
    let voices = VoicePlan(programme)
    let opener = SoundOpener(library: library, rate: programme.rate, loader: loader, sharing: voices.shared)
    let memory = Self.memoryMonitor(memoryPressure, releasing: opener, through: queue)
    let controlLoop = ControlLoop(
      ControlLoop.Assignment(
        programme: programme, replayed: replayed, voices: voices.voices, opener: opener, sink: sink,
        session: session, options: options, origin: origin, makeObserver: makeObserver, measured: measured,
        isRunning: streams.isRunning, memory: memory,
        measure: Self.measurement(of: queue, opener, history, time, isLive: sink.pace == .listener),
        audience: { [isRead = reportsProgress || script != nil] in
          streams.audience(readsProgress: isRead || 0 < events.readerCount)
        },
        tellStages: tellStages, canReload: reload != nil
      ) { event in
        time.set(event.run)
        guard streams.publish(event) else { return }
        eventLogger.note(event)
        history?.note(event)
        emit(event)
        events.publish(event)
      })
    let commandExecutor = CommandExecutor(
      controlLoop: controlLoop, opener: opener, queue: queue, history: history, isLive: isLive, reading: reload,
      voices: voices.voices)
    interruptions = OutputInterruptions(controlLoop: controlLoop, queue: queue, isManaged: session.isManaged)
    self.script = script.map { ScriptDriver($0, clock: time.set) { await commandExecutor.perform($0) } }
    (self.controlLoop, self.commandExecutor, stream) = (controlLoop, commandExecutor, events)
    (self.streams, self.eventLogger, self.isLive, self.followers) = (streams, eventLogger, isLive, followers)
  }

  /// Releases the sounds that were opened in advance when the kernel reports a shortage of memory.
  private static func memoryMonitor(
    _ path: String, releasing opener: SoundOpener, through queue: AsyncOperationQueue
  ) -> MemoryPressureMonitor {
    MemoryPressureMonitor(path: path) {
      guard !opener.isEmpty else { return }
      let release = Operation(name: "release", priority: .low) { _ in
        opener.clear()
        return .done
      }
      _ = await queue.perform([release])
    }
  }

  /// Returns the metrics of the whole run at a run time; nil if they are not recorded.
  private static func measurement(
    of queue: AsyncOperationQueue, _ opener: SoundOpener, _ history: StateHistory?, _ time: RunTime, isLive: Bool
  ) -> ControlLoop.Measurement? {
    guard let history else { return nil }
    return { run, waits in
      time.set(run)
      // The last operation may have reported its outcome, but not ended yet.
      if waits { _ = await queue.perform([Operation(name: "metrics", isCounted: false) { _ in .done }]) }
      return await CommandExecutor.metrics(of: queue, opener, history, isLive: isLive)
    }
  }

  /// Plays until the session ends or a command ends it. The control thread runs in the meantime; the calling task is
  /// suspended. Call it once.
  ///
  /// - Parameter start: runs a closure on a new thread; returns false if the system can't create one.
  package func play(
    on start: (@escaping @Sendable () -> Void) -> Bool = { OSThread.start($0) }
  ) async -> PlaybackResult {
    let preparing = isLive ? prepareAhead() : nil
    let following = Task(priority: .high) { [interruptions] in await interruptions.execute() }
    defer {
      preparing?.cancel()
      following.cancel()
    }
    return await withCheckedContinuation { continuation in
      let end = { @Sendable [stream, streams] (result: PlaybackResult) in
        stream.finish()
        streams.finish()
        continuation.resume(returning: result)
      }
      if !hasThreads || !start({ [controlLoop, script] in end(controlLoop.run(script: script)) }) {
        controlLoop.cancel()
        end(PlaybackResult(reason: .outputFailed, totals: Totals(played: 0), damage: [], failure: .noThread))
      }
    }
  }

  /// Opens the next track whenever a track starts, so that a later `next` does not wait for it.
  private func prepareAhead() -> Task<Void, Never> {
    let reader = tracks
    return Task { [commandExecutor] in
      for await _ in reader { await commandExecutor.prepareNext() }
    }
  }

  /// Ends the session with a fade of `seconds`. A second call ends it at once. May be called from any thread, and does
  /// not wait.
  package func finish(fade seconds: Double, reason: FinishReason) {
    controlLoop.post { $0.interrupt(fade: seconds, reason: reason) }
  }

  /// Handles an event of the output, such as a change of the device. May be called from any thread, and does not wait.
  ///
  /// - Parameter follower: the name of the output if another one leads. The session does not react to its events.
  package func outputChanged(_ event: OutputEvent, ofFollower follower: String? = nil) {
    if let follower { return controlLoop.post { $0.report(event, of: follower) } }
    if case .connected(let grant) = event { eventLogger.note(grant) }
    interruptions.take(event)
  }

  /// The expectations of the script that failed, and its commands that were never executed.
  package var scriptFailures: [ScriptFailure] { script?.failures ?? [] }
  /// Warnings about the script that do not change the exit status.
  package var scriptWarnings: [String] { script?.warnings ?? [] }
}

extension AudioPlayerService: PlayerControl {
  /// Executes commands that were given at the same time, in order.
  ///
  /// - Returns: the outcome of each command, in the same order.
  package func perform(_ commands: [Command]) async -> [CommandOutcome] { await commandExecutor.perform(commands) }

  package func perform(_ command: Command) async -> CommandOutcome {
    await commandExecutor.perform([command]).first ?? .rejected(.ended)
  }

  package var status: PlayerStatus { withFollowers(controlLoop.status) }

  private func withFollowers(_ status: PlayerStatus) -> PlayerStatus {
    var status = status
    status.followers = followers()
    return status
  }

  package func currentStatus() async -> PlayerStatus {
    // The pass emits the events that have been heard since the last one.
    let current = await controlLoop.perform {
      $0.step()
      return $0.currentStatus()
    }
    return current.map(withFollowers) ?? status
  }

  package func queueMetrics() async -> QueueMetrics? { await commandExecutor.metrics?.with(status.shortfalls) }

  package func reportedMetrics() async -> QueueMetrics? {
    if let reported = commandExecutor.history?.reported { return reported }
    return await queueMetrics()
  }

  package func events(_ policy: Multicast<StampedEvent>.Policy) -> Multicast<StampedEvent>.Reader {
    stream.reader(policy)
  }
}

/// Values for a user interface. Each reader receives the current value immediately, and has its own buffer.
extension AudioPlayerService {
  /// Every state, as in the `state` events.
  package var states: Multicast<PlayerState>.Reader { streams.states.reader() }

  /// The current track; nil in silence.
  package var tracks: Multicast<TrackInfo?>.Reader { streams.tracks.reader() }

  /// A reader of positions in the current track, ten times a second.
  package func positions() -> Multicast<TrackPosition>.Reader {
    // The control thread notices the new reader in its next pass.
    defer { controlLoop.post { _ in } }
    return streams.positions.reader()
  }

  /// Whether the session is running: false from the moment at which a pause becomes audible until the session resumes.
  /// The computer may go to sleep during a pause.
  package var isRunning: Multicast<Bool>.Reader { streams.isRunning.reader(.bufferingNewest(1)) }

  /// The track that a number of `next` steps would lead to; nil if there is none. It returns what is known now, and
  /// waits neither for a command nor for a file.
  package func peek(steps: Int = 1) async -> UpcomingTrack? {
    await controlLoop.perform { $0.peek(steps: steps) } ?? nil
  }

  /// The track that a command would lead to now; nil if it does not navigate, or leads to none.
  package func destination(of command: Command) async -> UpcomingTrack? {
    switch command {
    case .next: await peek(steps: 1)
    case .previous: await peek(steps: -1)
    case .jump(let track): await target(of: .jump(track))
    case .nextStage: await target(of: .stage(by: 1))
    case .previousStage: await target(of: .stage(by: -1))
    case .goto(let stage, let position): await target(of: .goto(stage: stage, at: position))
    case .play, .pause, .resume, .toggle, .seek, .cancel, .stop, .finish, .volume, .volumeStep, .crossfade, .repetition,
      .extend, .reload, .playlist, .overlay, .gong, .effects, .music, .cache, .metrics:
      nil
    }
  }

  private func target(of edit: Edit) async -> UpcomingTrack? {
    await controlLoop.perform { $0.destination(of: edit) } ?? nil
  }

  /// The session as it is planned now, with what commands have changed of its stages; nil before it plays and after its end.
  package func currentProgramme() async -> Programme? { await controlLoop.perform { $0.currentProgramme } }

  /// Passes the session as it is planned after the commands that have been executed, on the control thread, unless the
  /// session ends before. Does not wait.
  package func readProgramme(_ take: @escaping @Sendable (Programme) -> Void) {
    controlLoop.post { take($0.currentProgramme) }
  }

  /// The tracks of the current stage, in the order of its playlist; none before the session plays and after its end.
  package func playlist() async -> [UpcomingTrack] { await controlLoop.perform { $0.playlist } ?? [] }
}

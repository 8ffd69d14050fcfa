public import Schedule
public import Engine
public import Logging
public import Signal

/// The embeddable player: plays a programme from a library of sounds into a sink, does what a listener asks for, and
/// tells what happens.
public final class AudioPlayerService: Sendable {
  private let conductor: Conductor
  private let carrier: CommandCarrier
  private let script: ScriptDesk?
  private let stream: Multicast<StampedEvent>
  private let logDesk: LogDesk
  private let idle: PlayerStatus
  private let isLive: Bool
  private let streams: PlayerStreams
  private let interruptions: OutputInterruptions

  /// - Parameters:
  ///   - stage: the one to begin with, or one that comes before `start`; sounds of stages before its run are left out.
  ///   - start: the session frame at which to begin; what sounds there begins in its middle.
  ///   - past: what its listener did in an earlier performance, with which this one goes on; nil for nothing. It says
  ///     where to begin, if it can be done again.
  ///   - blockLength: frames that the sink is handed at a time; no sample depends on it.
  ///   - script: commands that come by themselves.
  ///   - session: guards the output; the sink has the same one.
  ///   - memoryPressure: the file in which the kernel reports how short memory is.
  ///   - measures: whether the queue of commands keeps its figures.
  ///   - log: takes lines from the control thread and from the queue of commands; it should not wait.
  ///   - tell: called on the player's own thread with one event after the other; it should not wait.
  public init(
    playing programme: Programme, from library: any SoundLibrary, into sink: any Sink, stage: Int = 0,
    at start: FrameTime = 0, after past: Journal? = nil, blockLength: Int = 4_096, script: (any Prompter)? = nil,
    session: AudioSessionManager = AudioSessionManager(), memoryPressure: String = "/proc/pressure/memory",
    measures: Bool = true,
    log: Logger = .dropping, tell: @escaping @Sendable (StampedEvent) -> Void
  ) {
    let loader = Loader(alarm: sink.pace == .listener ? Loader.computerAlarm : nil)
    let time = RunTime(pace: sink.pace)
    let queue = AsyncOperationQueue(clock: time.nanoseconds, metrics: measures, log: log.queueLines)
    let logDesk = LogDesk(log) { LogBook.Surroundings(depth: queue.depth, timeout: loader.timeout) }
    let events = Multicast<StampedEvent>(buffer: 64)
    let streams = PlayerStreams()
    let history = measures ? StateHistory() : nil
    let replayed = past.flatMap { $0.replayed(in: programme) } ?? Replayed(programme, stage, at: start)
    let opener = Opener(library: library, rate: programme.rate, loader: loader)
    let memory = MemoryWatch(path: memoryPressure) {
      guard !opener.isEmpty else { return }
      let release = Operation(name: "release", priority: .low) { _ in
        opener.clear()
        return .done
      }
      Task { await queue.perform([release]) }
    }
    let conductor = Conductor(
      Conductor.Assignment(
        programme: programme, replayed: replayed, opener: opener, sink: sink,
        session: session, blockLength: blockLength, goesOn: streams.goesOn, memory: memory
      ) { event in
        time.set(event.run)
        guard streams.publish(event) else { return }
        logDesk.note(event)
        history?.note(event)
        tell(event)
        events.publish(event)
      })
    let carrier = CommandCarrier(
      conductor: conductor, opener: opener, queue: queue, history: history, isLive: sink.pace == .listener)
    interruptions = OutputInterruptions(conductor: conductor, queue: queue, isManaged: session.mode == .managed)
    self.script = script.map { ScriptDesk($0, clock: time.set) { await carrier.perform($0) } }
    (self.conductor, self.carrier, stream) = (conductor, carrier, events)
    (self.streams, self.logDesk) = (streams, logDesk)
    isLive = sink.pace == .listener
    idle = PlayerStatus(title: programme.title, moment: PlayerMoment(run: 0, session: 0, state: "idle"))
  }

  /// Plays to the end, or to what a command makes the end.
  public func play() async -> Performance {
    let preparing = isLive ? prepareAhead() : nil
    let following = Task(priority: .high) { [interruptions] in await interruptions.carryOut() }
    defer {
      preparing?.cancel()
      following.cancel()
    }
    return await withCheckedContinuation { continuation in
      OSThread.start { [conductor, script, stream, streams] in
        let performance = conductor.run(script: script)
        stream.finish()
        streams.finish()
        continuation.resume(returning: performance)
      }
    }
  }

  /// Whatever sounds, the one behind it is open.
  private func prepareAhead() -> Task<Void, Never> {
    let reader = tracks
    return Task { [carrier] in
      for await _ in reader.values { await carrier.prepareNext() }
    }
  }

  /// Ends the session early under a fade of that many seconds, whatever waits; a second call ends it at once. From any
  /// thread.
  public func finish(fade seconds: Double, reason: FinishReason) {
    conductor.interrupt(Conductor.Interruption(reason: reason, fade: seconds))
  }

  /// Takes note of what becomes of the output; from any thread, and without waiting.
  public func outputChanged(_ event: OutputEvent) {
    if case .connected(let grant) = event { logDesk.note(grant) }
    interruptions.take(event)
  }

  /// What the script expected and did not find, and which of its commands never came.
  public var scriptFailures: [String] { script?.failures ?? [] }
  public var scriptWarnings: [String] { script?.warnings ?? [] }
}

extension AudioPlayerService: PlayerControl {
  /// Carries commands of one instant out in order.
  ///
  /// - Returns: what became of each, in the same order.
  public func perform(_ commands: [Command]) async -> [CommandOutcome] { await carrier.perform(commands) }

  public func perform(_ command: Command) async -> CommandOutcome {
    await perform([command]).first ?? .rejected(.ended)
  }

  public var status: PlayerStatus { conductor.status ?? idle }

  /// How the queue of commands has done, and what of the sound was not there in time.
  public func queueMetrics() async -> QueueMetrics { await carrier.metrics.with(status.shortfalls) }

  public func events(buffer: Int) -> Multicast<StampedEvent>.Reader { stream.reader(buffer: buffer) }
}

/// What an app shows. Each reader gets the current value at once, and has a buffer of its own.
extension AudioPlayerService {
  /// Every state, as the events tell them.
  public var states: Multicast<PlayerState>.Reader { streams.states.reader() }

  /// The track that sounds.
  public var tracks: Multicast<UpcomingTrack>.Reader { streams.tracks.reader() }

  /// Where it is, ten times a second.
  public var positions: Multicast<TrackPosition>.Reader {
    conductor.post { $0.player.timeline.tellTenths() }
    return streams.positions.reader()
  }

  /// Whether the session goes on: false from when a pause has been heard until it is over. What keeps a computer awake
  /// should not do so in a pause, which may last.
  public var goesOn: Multicast<Bool>.Reader { streams.goesOn.reader() }

  /// The track that so many steps would lead to; nil where nothing is. What is known of it already: it waits for no
  /// command and for no file.
  public func peek(steps: Int = 1) async -> UpcomingTrack? { await conductor.turn { $0.peek(steps: steps) } ?? nil }
}

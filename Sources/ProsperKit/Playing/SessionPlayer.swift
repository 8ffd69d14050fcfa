import AudioFiles
import Dispatch
package import Encoding
import SavedState
import Scripts
package import Engine
public import Player
public import Schedule
import Signal
import Sounds
import Synchronization

/// Plays one session once: renders it to an output, executes commands, and emits events.
///
/// All methods and properties may be used from any thread or task.
///
///     let player = try SessionPlayer(session, output: .pulse())
///     let events = player.events()
///     async let result = player.play()
///     for await event in events { print(event.json) }
///     print(try await result.reason)
public final class SessionPlayer: Sendable {
  /// The player of the `Player` module, for the command line.
  package let service: AudioPlayerService
  /// Whether the session plays in real time.
  package let isRealTime: Bool
  private let output: AudioOutput
  private let customSink: CustomSink?
  private let levellingSink: LevellingSink?
  private let expectations: SoundExpectations?
  private let meter: SessionMeter?
  private let keepsComputerAwake: Bool
  private let hasPlayed = Atomic<Bool>(false)
  /// The expectations about the sound that failed; empty until the session has been played.
  private let soundFailures = Mutex<[ScriptFailure]>([])
  private let positionSaver: PositionSaver?
  private let library: any SoundLibrary
  private let rate: SampleRate

  /// Creates a player. Nothing is opened before ``play()``.
  ///
  /// - Throws: ``PlayerError`` with the code `noSuchStage` or `invalidConfiguration`: the options name a stage or a
  ///   position that the session does not have, the format of the output file is not supported, the output file is one
  ///   that the session uses, or a stage is open and the output does not play in real time.
  public convenience init(
    _ session: PlayableSession, output: AudioOutput, options: Options = Options()
  ) throws(PlayerError) {
    let setup = try options.setup(for: session, output: output)
    do throws(SinkError) { try self.init(setup) } catch { throw .outputFailed(error) }
  }

  /// - Parameter observe: receives each event, in order, on the control thread. While it blocks, the player waits.
  package init(
    _ setup: PlaybackSetup, observe: @escaping @Sendable (StampedEvent) -> Void = { _ in }
  ) throws(SinkError) {
    let listener = Mutex(WeakPlayer())
    let chapters = setup.chapters
    let outputs = try SessionOutputs(
      setup.output,
      SessionOutputs.Context(
        tags: try setup.tags(), chapters: chapters, length: setup.length, jobs: setup.options.jobs,
        manager: setup.manager, levelling: setup.levelling
      ) { event, follower in
        listener.withLock { $0.player }?.outputChanged(event, ofFollower: follower)
      })
    expectations = try setup.soundExpectations()
    meter = try setup.meter()
    let levelling = outputs.levellingSink
    service = AudioPlayerService(
      playing: setup.programme, from: setup.library, into: outputs.sink, stage: setup.stage, at: setup.start,
      after: setup.journal, options: setup.options, script: setup.script, session: setup.manager,
      loadTimeout: setup.loadTimeout, measures: setup.measures, log: setup.log, reportsProgress: setup.reportsProgress,
      origin: setup.origin, observing: Self.observer(setup.observing, expectations, meter),
      measured: { [meter] counted in Self.measured(counted, meter, levelling) },
      tellStages: chapters.map(Self.keeper), reloading: setup.reload?.reading, followers: { outputs.states }
    ) { [positionSaver = setup.positionSaver] event in
      if case .stageStarted(let name, _, _) = event.event { outputs.setTitle(name) }
      if event.movesPosition, let position = event.position { positionSaver?.record(position, at: event.run) }
      observe(event)
    }
    (customSink, isRealTime) = (outputs.customSink, setup.output.isRealTime)
    levellingSink = levelling
    output = setup.output
    (library, rate, positionSaver) = (setup.library, setup.programme.rate, setup.positionSaver)
    keepsComputerAwake = setup.keepsComputerAwake
    listener.withLock { [service] in $0.player = service }
  }

  deinit { meter?.close() }

  /// Creates the one observer that the render passes its frames to.
  private static func observer(
    _ other: @escaping ObserverFactory, _ expectations: SoundExpectations?, _ meter: SessionMeter?
  ) -> ObserverFactory {
    {
      let observers = [expectations, meter?.observer, other()].compactMap(\.self)
      return observers.count < 2 ? observers.first : FrameObservers(observers)
    }
  }

  /// What is known of the sound at the end: of a levelled file that of the file.
  private static func measured(
    _ counted: MeasuredSound, _ meter: SessionMeter?, _ levelling: LevellingSink?
  ) -> MeasuredSound {
    if let outcome = levelling?.outcome {
      return MeasuredSound(
        loudness: outcome.levels.integrated, reduction: max(outcome.reduction, counted.reduction),
        limitedSeconds: max(outcome.limitedSeconds, counted.limitedSeconds))
    }
    var sound = counted
    sound.loudness = meter?.finish()?.levels.integrated
    return sound
  }

  /// Passes the stages of a render to the chapters of its file.
  private static func keeper(of chapters: ChapterList) -> @Sendable ([Playhead.StageEntry]) -> Void {
    { stages in chapters.replace(by: stages.map { ChapterList.Entry(name: $0.name, at: $0.at) }) }
  }

  /// Whether the player has been told to play. Before, its control thread answers no questions.
  private var hasBegun: Bool { hasPlayed.load(ordering: .relaxed) }

  /// Plays until the session ends, or until a command, an error of the output or the cancellation of the task ends it.
  /// The calling task is suspended; the player has its own threads.
  ///
  /// - Returns: how the session ended. If the task is cancelled, the session fades out within 0.4 s, and a file is
  ///   complete up to that point.
  /// - Throws: the error of a custom ``AudioSink``, a ``PlayerError`` if another output fails, and a ``PlayerError``
  ///   with the code `sessionEnded` if the player has been used before: a player plays once.
  public func play() async throws -> PlaybackResult {
    guard !hasPlayed.exchange(true, ordering: .relaxed) else { throw PlayerError.ended }
    let result = await withTaskCancellationHandler {
      await perform()
    } onCancel: {
      service.finish(fade: 0.4, reason: .interrupted)
    }
    positionSaver?.leave(after: result)
    if let failure = customSink?.failure { throw failure }
    if let failure = result.failure { throw PlayerError.outputFailed(failure) }
    return result
  }

  /// What was done to an output file so that it has its loudness; nil before it is complete, and for other outputs.
  package var levelling: LevellingOutcome? { levellingSink?.outcome }

  /// The sound of the session, if it was metered; that of a levelled file. Called after the end.
  package var sound: SessionSound? {
    guard let sound = meter?.finish() else { return nil }
    return levelling.map { sound.levelled(to: $0.levels, by: $0.gain) } ?? sound
  }

  /// Plays the session, and prevents the computer from sleeping meanwhile.
  package func perform() async -> PlaybackResult {
    let sleep = keepsComputerAwake ? SleepWatch(for: service) : nil
    let result = await service.play()
    sleep?.close()
    guard let expectations else { return result }
    let unmeasured = result.failure == nil ? await measureFile(for: expectations) : nil
    let failures = expectations.failures
    soundFailures.withLock { $0 = unmeasured.map { [$0] } ?? failures }
    return result
  }
}

extension SessionPlayer {
  /// Lets the expectations measure the output file if it has other frames than the session.
  ///
  /// - Returns: why it can't be measured.
  private func measureFile(for expectations: SoundExpectations) async -> ScriptFailure? {
    guard case .file(let path, _, _, let delivery) = output, delivery.changesFrames else { return nil }
    return await withCheckedContinuation { [rate] continuation in
      DispatchQueue.global().async {
        do {
          let file = try AudioFileLibrary().open(SoundSource(.file(path: path)), at: rate, from: 0)
          try expectations.measure(file, channels: delivery.channels ?? 2)
          continuation.resume(returning: nil)
        } catch { continuation.resume(returning: ScriptFailure(at: path, "can't be measured: \(error)")) }
      }
    }
  }
}

/// A weak reference to the player. The player owns the sink, so the sink's callback must not own the player.
private struct WeakPlayer {
  weak var player: AudioPlayerService?
}

extension SessionPlayer {
  /// Executes a command. Commands run one at a time; `pause`, `stop` and `finish` cancel waiting navigations.
  ///
  /// - Returns: the outcome of the command, when it is known. That can take seconds while a track is loaded.
  @discardableResult public func perform(_ command: Command) async -> CommandOutcome {
    await service.perform(command.limited)
  }

  /// Executes simultaneous commands in order.
  ///
  /// - Returns: the outcome of each command, in the same order.
  @discardableResult public func perform(_ commands: [Command]) async -> [CommandOutcome] {
    await service.perform(commands.map(\.limited))
  }

  /// The current state and position. Does not wait.
  public var status: PlayerStatus { service.status }

  /// The track that a number of `next` steps would lead to now; nil if there is none, and before the session plays.
  /// Waits neither for a command nor for a file.
  ///
  /// - Parameter steps: 1 for the next track; negative for previous ones.
  public func track(after steps: Int = 1) async -> UpcomingTrack? {
    // The limit keeps sums of steps and indices from overflowing.
    hasBegun ? await service.peek(steps: max(-100_000, min(steps, 100_000))) : nil
  }

  /// Executes a command that navigates: `next`, `previous`, `jump`, `nextStage`, `previousStage` or `goto`.
  ///
  /// - Returns: at once the track that it leads to, which a user interface can show; nil if it leads to none, or is
  ///   another command. And a task with the outcome of the command: unless it is `done`, the track will not play.
  public func navigate(
    _ command: Command
  ) async -> (track: UpcomingTrack?, outcome: Task<CommandOutcome, Never>) {
    let command = command.limited
    let track = hasBegun ? await service.destination(of: command) : nil
    return (track, Task { [service] in await service.perform(command) })
  }

  /// The tracks of the current stage, in the order of its playlist, with the listener's changes. Empty before the
  /// session plays and after its end. Waits neither for a command nor for a file.
  public func playlist() async -> [UpcomingTrack] { hasBegun ? await service.playlist() : [] }

  /// The position of the music now. Does not wait.
  public var currentPosition: TrackPosition { service.status.trackPosition }

  /// The metrics of the command queue. Reading them is not counted as an operation. Nil if
  /// ``Options/recordsMetrics`` is false.
  ///
  /// - Parameter reset: whether the metrics start again from zero afterwards. They are then emitted as an event, too.
  public func metrics(reset: Bool = false) async -> QueueMetrics? {
    guard reset else { return await service.queueMetrics() }
    _ = await service.perform(.metrics(reset: true, quietly: true))
    return await service.reportedMetrics()
  }
}

extension SessionPlayer {
  /// The expectations of the script that failed. Complete when ``play()`` has returned.
  public var scriptFailures: [ScriptFailure] { service.scriptFailures + soundFailures.withLock { $0 } }

  /// One line for each command of the script that was never due or was rejected, with its position in the script and the
  /// cause. Complete when ``play()`` has returned.
  public var scriptWarnings: [String] { service.scriptWarnings }

  /// A stream of all events from now on. It ends with the session. Any number of streams may be open.
  ///
  /// - Parameter bufferingPolicy: which events are buffered for a reader that is slower than the player. The player
  ///   never waits for a reader. A session emits about one event a second, and ten a second during a crossfade.
  public func events(
    bufferingPolicy: AsyncStream<StampedEvent>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncStream<StampedEvent> {
    stream(of: service.events(bufferingPolicy.forDeliveries)) { delivery in
      var event = delivery.value
      event.number = delivery.number
      return event
    }
  }

  /// A stream of states: the current one immediately, then each change. It ends with the session.
  ///
  /// A reader that is slower than the player loses old values, but never the latest. This also applies to ``tracks()``
  /// and ``positions()``.
  public func states() -> AsyncStream<PlayerState> { stream(of: service.states) { $0.value } }

  /// A stream of tracks: the current one immediately, if there is one, then each one that starts, or that a command has
  /// chosen in a pause; nil in silence. It ends with the session.
  ///
  /// The tracks have their ``TrackInfo/format``, for which a file may have to be opened.
  public func tracks() -> AsyncStream<TrackInfo?> {
    stream(of: service.tracks) { [library, rate] delivery in
      guard var track = delivery.value, let source = track.source else { return delivery.value }
      // Opening a file may block.
      track.format = await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: (try? library.probe(source, at: rate))?.format) }
      }
      return track
    }
  }

  /// A stream of positions: the latest one immediately, if there is one, then ten for each second of the session, from
  /// the next whole second on. There are none during a pause. It ends with the session.
  public func positions() -> AsyncStream<TrackPosition> { stream(of: service.positions()) { $0.value } }

  private func stream<Value, Shown: Sendable>(
    of reader: Multicast<Value>.Reader, _ show: @escaping @Sendable (Multicast<Value>.Delivery) async -> Shown
  ) -> AsyncStream<Shown> {
    // The iterators of one reader share its buffer.
    AsyncStream {
      var iterator = reader.makeAsyncIterator()
      guard let delivery = await iterator.next() else { return nil }
      return await show(delivery)
    }
  }
}

extension AsyncStream<StampedEvent>.Continuation.BufferingPolicy {
  /// The same policy for the player's own events.
  fileprivate var forDeliveries: Multicast<StampedEvent>.Policy {
    switch self {
    case .unbounded: .unbounded
    case .bufferingOldest(let limit): .bufferingOldest(limit)
    case .bufferingNewest(let limit): .bufferingNewest(limit)
    @unknown default: .unbounded
    }
  }
}

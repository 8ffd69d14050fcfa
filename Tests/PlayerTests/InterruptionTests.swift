import Engine
import Player
import Schedule
import Signal
import Sounds
import Synchronization
import TestSupport
import Testing

/// Interruptions of a live session: a call, and a computer that goes to sleep.
@Suite struct InterruptionTests {
  enum Step: Sendable {
    case output(OutputEvent)
    case command(Command)
  }

  /// Steps, and the state after each.
  @Test(
    arguments: [
      [(.output(.asleep(true)), "paused"), (.output(.asleep(false)), "playing")],
      [
        (.output(.corked(true)), "paused"), (.output(.asleep(true)), "paused"), (.output(.asleep(false)), "paused"),
        (.output(.corked(false)), "playing"),
      ],
      [
        (.output(.asleep(true)), "paused"), (.output(.corked(true)), "paused"), (.output(.corked(false)), "paused"),
        (.output(.asleep(false)), "playing"),
      ],
      [(.command(.pause), "paused"), (.output(.asleep(true)), "paused"), (.output(.asleep(false)), "paused")],
      [(.output(.asleep(true)), "paused"), (.command(.pause), "paused"), (.output(.asleep(false)), "paused")],
      [
        (.output(.corked(true)), "paused"), (.command(.resume), "playing"), (.output(.asleep(true)), "paused"),
        (.output(.asleep(false)), "playing"),
      ],
      [(.output(.asleep(false)), "playing"), (.output(.corked(false)), "playing")],
      [
        (.output(.unplugged(to: "hall")), "paused"), (.output(.moved(to: "null")), "paused"),
        (.output(.corked(true)), "paused"), (.output(.corked(false)), "paused"), (.command(.resume), "playing"),
      ],
      [
        (.output(.corked(true)), "paused"), (.output(.unplugged(to: "hall")), "paused"),
        (.output(.corked(false)), "paused"), (.command(.toggle), "playing"),
      ],
    ] as [[(Step, String)]])
  func `a session that was playing resumes when its last interruption ends`(_ steps: [(Step, String)]) async throws {
    let session = try await Session()
    let before = session.states.count
    var expected = session.states.suffix(1)
    for (index, (step, state)) in steps.enumerated() {
      switch step {
      case .output(let event): await session.change(event)
      case .command(let command): #expect(await session.player.perform(command) == .done)
      }
      // An event that follows an interruption directly may be handled a little later.
      let isThere = try await onOwnThread { eventually { session.states.last == state } }
      #expect(isThere, "step \(index)")
      if expected.last != state { expected.append(state) }
    }
    #expect(session.states.dropFirst(before - 1) == expected)
    await session.end()
  }

  @Test func `an append that is loading when an interruption arrives is executed during the pause`() async throws {
    let library = SlowLibrary()
    let session = try await Session(library)
    let append = Task { await session.player.perform(.playlist(.append([Cue("slow")]))) }
    let isLoading = try await onOwnThread { eventually { library.isAsked.isRaised } }
    await session.change(.corked(true))
    #expect(isLoading && session.states.last == "paused")
    library.isLetGo.raise()
    #expect(await append.value == .done)
    #expect(await session.player.peek()?.title == "slow" && session.states.last == "paused")
    await session.end()
  }

  @Test func `an interruption that ends at once leaves the session playing`() async throws {
    let session = try await Session()
    session.player.outputChanged(.corked(true))
    session.player.outputChanged(.corked(false))
    let isPlaying = try await onOwnThread { eventually { session.states.suffix(2) == ["paused", "playing"] } }
    #expect(isPlaying)
    await session.end()
  }

  @Test func `an output that moves several times in a row is reported once, with its last device`() async throws {
    let session = try await Session()
    for device in ["hall", "attic", "hall", "cellar"] { session.player.outputChanged(.moved(to: device)) }
    let asked = session.player.status.moment.run
    let isReported = try await onOwnThread { eventually { !session.moves.isEmpty } }
    #expect(isReported && asked + 0.29 <= session.moves[0].run)
    _ = await session.player.peek()
    await session.end()
    #expect(session.moves.count == 1 && session.moves[0].json(sequence: 1).contains(#""cellar""#))
  }

  @Test func `an unplugged output is reported at once, with its effect on the session`() async throws {
    let session = try await Session()
    session.player.outputChanged(.moved(to: "attic"))
    await session.change(.unplugged(to: "hall"))
    let reported = session.moves.map { $0.json(sequence: 1) }
    let reason = "the previous output was removed; the session is paused"
    #expect(reported.count == 1 && reported[0].hasSuffix(#""to":"hall","reason":"\#(reason)"}"#))
    #expect(session.states.last == "paused")
    // A session that is already paused does not change.
    session.player.outputChanged(.unplugged(to: "cellar"))
    let isReported = try await onOwnThread { eventually { session.moves.count == 2 } }
    #expect(isReported && session.moves.last?.json(sequence: 1).hasSuffix(#""to":"cellar"}"#) == true)
    await session.end()
  }

  @Test func `the computer may sleep only after the pause has been heard`() async throws {
    let session = try await Session()
    var isRunning = session.player.isRunning.makeAsyncIterator()
    #expect(await isRunning.next()?.value == true)
    session.player.outputChanged(.asleep(true))
    #expect(await isRunning.next()?.value == false)
    let asked = try #require(session.corked)
    let stands = session.player.status.moment.session
    // At 8,000 Hz, after the ramp of 160 frames.
    #expect(0.02 <= stands - asked)
    session.player.outputChanged(.asleep(false))
    #expect(await isRunning.next()?.value == true)
    await session.end()
    #expect(await isRunning.next()?.value == nil)
  }

  @Test func `pausing the music alone keeps the session running`() async throws {
    let session = try await Session()
    #expect(await session.player.perform(.music(.pause)) == .done)
    #expect(session.states.last == "paused")
    var isRunning = session.player.isRunning.makeAsyncIterator()
    let first = await isRunning.next()?.value
    let before = session.player.status.moment.session
    let isMoving = try await onOwnThread {
      eventually { before + 0.2 < session.player.status.moment.session }
    }
    #expect(first == true && isMoving)
    await session.end()
  }
}

/// A tone, and a sound whose probe blocks until the test releases it.
private struct SlowLibrary: SoundLibrary {
  let sounds = TestLibrary(["tone": .constant(0.5, length: 480_000), "slow": .constant(0.25, length: 80_000)])
  let isAsked = Flag()
  let isLetGo = Flag()

  func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
    if source.label == "slow" {
      isAsked.raise()
      _ = eventually { isLetGo.isRaised }
    }
    return try sounds.probe(source, at: rate)
  }

  func open(_ source: SoundSource, at rate: SampleRate, from offset: FrameCount) throws(SourceError) -> any Decoder {
    try sounds.open(source, at: rate, from: offset)
  }
}

/// A live session of one minute.
private final class Session: Sendable {
  let player: AudioPlayerService
  private let reported: ReportedEvents
  private let task: Task<PlaybackResult, Never>

  /// The events that the player reports.
  private final class ReportedEvents: Sendable {
    private let all = Mutex<[StampedEvent]>([])
    func note(_ event: StampedEvent) { all.withLock { $0.append(event) } }
    // Read under the lock: ThreadSanitizer does not see that a copy of the list is released before the next event.
    func map<Value: Sendable>(_ transform: (StampedEvent) -> Value?) -> [Value] {
      all.withLock { $0.compactMap(transform) }
    }
  }

  /// Returns when the session plays.
  init(_ library: any SoundLibrary = TestLibrary(["tone": .constant(0.5, length: 480_000)])) async throws {
    let reported = ReportedEvents()
    let player = AudioPlayerService(
      playing: programme([Programme.Stage("S", [track("tone", 480_000)], for: .frames(480_000))]), from: library,
      into: NullSink(pace: .listener), emit: reported.note)
    task = Task { await player.play() }
    (self.player, self.reported) = (player, reported)
    _ = try await onOwnThread { [self] in eventually { states.last == "playing" && 0.1 < player.status.moment.session }
    }
  }

  /// The names of the states so far.
  var states: [String] {
    reported.map { if case .state(let state, _) = $0.event { state.name } else { nil } }
  }

  /// The session time at which the interruption was reported.
  var corked: Double? { reported.map { $0.event.name == "output.corked" ? $0.session : nil }.first }

  var moves: [StampedEvent] { reported.map { $0.event.name == "output.moved" ? $0 : nil } }

  /// Returns when the player has handled the event.
  func change(_ event: OutputEvent) async {
    let isInterruption = [.corked(true), .asleep(true), .unplugged(to: "hall")].contains(event)
    let before = await interruptions
    player.outputChanged(event)
    while isInterruption, await interruptions == before { await Task.yield() }
    // Calls to the control loop run in order, so the event has been handled when this one returns.
    _ = await player.peek()
  }

  private var interruptions: Int {
    get async { await player.queueMetrics()?.operations.count { $0.priority == "critical" } ?? 0 }
  }

  func end() async {
    _ = await player.perform(.stop)
    _ = await task.value
  }
}

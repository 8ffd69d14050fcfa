import Engine
@testable import Player
import Schedule
import Signal
import Synchronization
import TestSupport
import Testing

/// The states reported in a live session while the requested track is being opened.
@Suite struct PreparingTests {
  private final class States: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    // Read within the lock: ThreadSanitizer does not see that a copy of an array has been given back before the array
    // grows in place.
    var last: String? { lines.withLock(\.last) }
    func contains(_ line: String) -> Bool { lines.withLock { $0.contains(line) } }

    func note(_ event: StampedEvent) {
      guard case .state(let state, _) = event.event, state.kind != .crossfading || state.progress == 0 else { return }
      let titles = [state.currentTrack, state.nextTrack].compactMap { $0?.title }
      lines.withLock { $0.append(([state.name] + titles).joined(separator: " ")) }
    }
  }

  /// Opens only the first track until the test releases the others. The track named gone never opens.
  private let library = HeldLibrary(
    TestLibrary(["A": .constant(0.1, length: 400_000), "B": .constant(0.2, length: 400_000)]), holding: ["B", "gone"])
  private let states = States()

  private func player(_ names: String...) -> AudioPlayerService {
    let shape = FadeShape(length: 8_000, curve: .linear)
    let length = 8_000 + 392_000 * Double(names.count)
    let session = programme([
      Programme.Stage("S", names.map { track($0, 400_000) }, for: .frames(length), crossfade: shape)
    ])
    return AudioPlayerService(playing: session, from: library, into: NullSink(pace: .listener), memoryPressure: "") {
      [states] event in
      states.note(event)
    }
  }

  @Test func `a crossfade is reported as being prepared before it begins`() async {
    let player = player("A", "B")
    async let performance = player.play()
    await until { states.last == "playing A" }
    async let next = player.perform(.next)
    await until { states.last == "preparingCrossfade A B" }
    library.isLetGo.raise()
    #expect(await next == .done)
    await until { states.last != "preparingCrossfade A B" }
    #expect(Array(states.all.prefix(4)) == ["preparing A", "playing A", "preparingCrossfade A B", "crossfading A B"])
    _ = await player.perform(.stop)
    _ = await performance
  }

  @Test func `the first load is told while nothing is heard yet`() async {
    let player = player("B")
    async let performance = player.play()
    await until { states.last == "preparing B" }
    #expect(player.status.moment.session == 0)
    library.isLetGo.raise()
    await until { states.last == "playing B" }
    _ = await player.perform(.stop)
    _ = await performance
  }

  /// With a crossfade of 0 as well, the listener waits for the track.
  @Test func `a load for next is told before its file is open, also without a crossfade`() async {
    let session = programme([
      Programme.Stage("S", [track("A", 400_000), track("B", 400_000)], for: .frames(800_000))
    ])
    let names = Mutex<[String]>([])
    let player = AudioPlayerService(
      playing: session, from: library, into: NullSink(pace: .listener), memoryPressure: ""
    ) { [states] event in
      let (title, name) = (event.event.title, event.event.name)
      // How long the load lasts does not matter.
      if title == "B", name != "load.progress", name != "load.cancellable" { names.withLock { $0.append(name) } }
      // Last, because the test waits for the state.
      states.note(event)
    }
    async let performance = player.play()
    await until { states.last == "playing A" }
    async let next = player.perform(.next)
    await until { states.last == "preparingCrossfade A B" }
    #expect(names.withLock { $0 } == ["load.started"])
    library.isLetGo.raise()
    #expect(await next == .done)
    await until { states.last == "playing B" }
    #expect(names.withLock { $0 } == ["load.started", "load.completed", "track"])
    _ = await player.perform(.stop)
    _ = await performance
  }

  @Test func `a track that can't be opened is given up, and the one after it is prepared`() async {
    let player = player("A", "gone", "B")
    async let performance = player.play()
    await until { states.last == "playing A" }
    async let next = player.perform(.next)
    await until { states.last == "preparingCrossfade A gone" }
    library.isLetGo.raise()
    #expect(await next == .done)
    await until { states.contains("crossfading A B") }
    // B was opened beside the other, so it may be open already.
    let way = ["preparing A", "playing A", "preparingCrossfade A gone", "playing A", "crossfading A B"]
    #expect(Array(states.all.filter { $0 != "preparingCrossfade A B" }.prefix(5)) == way)
    _ = await player.perform(.stop)
    _ = await performance
  }

  @Test func `the tracks that a skip may try are opened side by side`() async {
    let player = player("A", "gone", "B")
    async let performance = player.play()
    await until { states.last == "playing A" }
    async let next = player.perform(.next)
    // Neither of them is open yet.
    await until { library.holds.count == 2 }
    #expect(states.last == "preparingCrossfade A gone")
    library.isLetGo.raise()
    #expect(await next == .done)
    _ = await player.perform(.stop)
    _ = await performance
  }

  @Test func `a pause cancels a crossfade that is being prepared, and nothing of it remains`() async {
    let player = player("A", "B")
    async let performance = player.play()
    await until { states.last == "playing A" }
    async let next = player.perform(.next)
    await until { states.last == "preparingCrossfade A B" }
    #expect(await player.perform(.pause) == .done)
    #expect(await next == .cancelled(by: "pause"))
    await until { states.last == "paused A" }
    #expect(await player.perform(.resume) == .done)
    await until { states.last == "playing A" }
    #expect(states.all.suffix(4) == ["preparingCrossfade A B", "playing A", "paused A", "playing A"])
    library.isLetGo.raise()
    _ = await player.perform(.stop)
    _ = await performance
  }

  @Test func `a skip whose track opens late continues from the track that plays by then`() async {
    // The skip's own open of B is held back; the open by which B starts meanwhile is not.
    let scene = Scene(holding: "B", atMost: 1, loader: Loader(alarm: nil))
    await until { scene.tracks == ["A"] }
    async let skip = scene.commandExecutor.perform([.next])
    await until { scene.library.holds.count == 1 }
    // The same step as when A ends by itself.
    #expect(await scene.controlLoop.perform { (try? $0.change(.edit(.step(by: 1), resuming: nil))) != nil } == true)
    await until { scene.tracks == ["A", "B"] }
    scene.library.isLetGo.raise()
    #expect(await skip == [.done])
    #expect(await scene.controlLoop.perform { $0.peek(steps: -1)?.title } == "B", "C plays now")
    await scene.end()
  }

  @Test func `a track that does not open in time is skipped and reported as skipped`() async {
    let alarms = HeldLibrary.Counter()
    // The first load is of A; the next two are of B, which is tried again at once, and time out.
    let loader = Loader(alarm: { _, ring in if 1...2 ~= alarms.increase() { ring() } })
    let scene = Scene(holding: "B", atMost: .max, loader: loader)
    await until { scene.tracks == ["A"] }
    #expect(await scene.commandExecutor.perform([.next]) == [.done])
    #expect(
      await scene.controlLoop.perform { $0.peek(steps: -1)?.title } == "A", "C plays now, and B is skipped both ways")
    scene.library.isLetGo.raise()
    await scene.end()
    let reported = scene.events.filter { $0.title == "B" || $0.name == "error" }.map(\.name)
    #expect(reported == ["load.started", "load.timeout", "load.started", "load.timeout", "track.skipped", "error"])
  }

  @Test func `a skip whose tracks all hang waits for two timeouts, however many they are`() async {
    let rings = Mutex<[@Sendable () -> Void]>([])
    // The first load is of A.
    let alarms = HeldLibrary.Counter()
    let loader = Loader(alarm: { _, ring in if 0 < alarms.increase() { rings.withLock { $0.append(ring) } } })
    let scene = Scene(holding: "B", "C", atMost: .max, loader: loader, isLive: true)
    await until { scene.tracks == ["A"] }
    async let skip = scene.commandExecutor.perform([.next])
    for _ in 0..<2 {
      await until { rings.withLock { $0.count == 2 } }
      let due = rings.withLock { rings in
        defer { rings = [] }
        return rings
      }
      for ring in due { ring() }
    }
    #expect(await skip == [.rejected(.noValidTracksInPlaylist)])
    #expect(rings.withLock { $0.isEmpty } && alarms.count == 5)
    scene.library.isLetGo.raise()
    await scene.end()
  }

  @Test func `a skip during the last fade is refused at once, without a load`() async {
    let alarms = HeldLibrary.Counter()
    // The first load is of A; another one would time out.
    let loader = Loader(alarm: { _, ring in if alarms.increase() == 1 { ring() } })
    let scene = Scene(holding: "B", atMost: .max, loader: loader)
    await until { scene.tracks == ["A"] }
    #expect(await scene.commandExecutor.perform([.finish(fade: 100)]) == [.done])
    let outcome = await scene.commandExecutor.perform([.next]).first
    scene.library.isLetGo.raise()
    await scene.end()
    guard case .rejected(let error)? = outcome else {
      Issue.record("the next must fail")
      return
    }
    #expect(error.code == "invalidState" && error.description.hasPrefix("can't skip while"))
    #expect(alarms.count == 1)
  }

  @Test func `a load for a skip is reported with its duration`() async {
    let readings = HeldLibrary.Counter()
    // Each reading of the clock is half a second later than the one before, and a load reads it twice.
    let loader = Loader(clock: { Int64(readings.increase()) * 500_000_000 }, alarm: nil)
    let scene = Scene(holding: "B", atMost: 0, loader: loader)
    await until { scene.tracks == ["A"] }
    #expect(await scene.commandExecutor.perform([.next]) == [.done])
    await until { scene.tracks == ["A", "B"] }
    await scene.end()
    let loads = scene.events.compactMap { if case .loadCompleted("B", _, let taken) = $0 { taken } else { nil } }
    #expect(loads == [500])
  }

  /// Each further pass takes time until the listener hears the effect and until the command is answered.
  @Test func `a command whose sounds are open takes effect and is answered in one pass of the control loop`() async {
    let scene = Scene(holding: "gone", atMost: 0, loader: Loader(alarm: nil), isLive: true)
    await until { scene.tracks == ["A"] }
    let commands: [(Command, effect: String)] = [
      (.volume(Gain(linear: 0.5), over: 1), "volume"), (.pause, "state"), (.toggle, "state"),
    ]
    for (command, effect) in commands {
      #expect(await scene.commandExecutor.perform([command]) == [.done])
      let passes = scene.passes
      let outcome = passes.last { $0.name == "command" }?.pass
      #expect(passes.contains { $0.name == effect && $0.pass == outcome }, "\(command)")
    }
    await scene.end()
  }

  /// The pass that decides what to do is also the one that reports the outcome.
  @Test func `a next whose track is open needs one pass of the control loop`() async {
    let scene = Scene(holding: "gone", atMost: 0, loader: Loader(alarm: nil), isLive: true)
    await until { scene.tracks == ["A"] }
    await scene.commandExecutor.prepareNext()
    let needs = await scene.controlLoop.perform { $0.needs(steps: [1]) } ?? []
    #expect(needs.count == 1)
    await until { scene.opener.isReady(needs) }
    let run = CommandRun(ticket: CommandTicket(.next), context: OperationContext(steps: 1))
    run.ticket.take("op-0001")
    let visits = ControlVisits(controlLoop: scene.controlLoop, opener: scene.opener, isLive: true)
    let outcome = await visits.visit(run) { control in
      control.emit(.warning("decided"), at: control.heard)
      return Skip(by: 1, isLive: true).step
    }
    #expect(outcome == .done)
    let passes = scene.passes
    #expect(passes.last { $0.name == "command" }?.pass == passes.first { $0.name == "warning" }?.pass)
    await scene.end()
  }

  /// A live player of A, B and C, whose loads the test controls.
  private final class Scene: Sendable {
    let library: HeldLibrary
    let opener: SoundOpener
    let controlLoop: ControlLoop
    let commandExecutor: CommandExecutor
    private let reported: Events
    private let hasEnded = Flag()

    private final class Events: Sendable {
      let all = Mutex<[PlayerEvent]>([])
      /// The pass of the control loop that has emitted each event.
      let passes = Mutex<[Int]>([])
      let pass = Atomic<Int>(0)

      func note(_ event: PlayerEvent) {
        all.withLock { $0.append(event) }
        passes.withLock { $0.append(pass.load(ordering: .relaxed)) }
      }
    }

    init(holding names: String..., atMost most: Int, loader: Loader, isLive: Bool = false) {
      let sounds = Dictionary(
        uniqueKeysWithValues: ["A", "B", "C"].map { ($0, TestLibrary.Sound.constant(0.1, length: 400_000)) })
      library = HeldLibrary(TestLibrary(sounds), holding: Set(names), atMost: most)
      let tracks = ["A", "B", "C"].map { track($0, 400_000) }
      let session = programme([Programme.Stage("S", tracks, for: .frames(1_200_000))])
      opener = SoundOpener(library: library, rate: testRate, loader: loader)
      let events = Events()
      reported = events
      controlLoop = ControlLoop(
        ControlLoop.Assignment(
          programme: session, replayed: Replayed(session, 0, at: 0), voices: VoicePlan(session).voices,
          opener: opener, sink: NullSink(pace: .listener), session: AudioSessionManager(),
          options: RenderOptions(blockLength: 480), isRunning: Multicast(),
          memory: MemoryPressureMonitor(path: "") {},
          audience: { EventTimeline.Audience(readsPositions: false, readsProgress: true) }
        ) { event in events.note(event.event) })
      commandExecutor = CommandExecutor(
        controlLoop: controlLoop, opener: opener, queue: AsyncOperationQueue(), history: nil, isLive: isLive)
      countPass()
      OSThread.start { [controlLoop, hasEnded] in
        _ = controlLoop.run(script: nil)
        hasEnded.raise()
      }
    }

    /// What is posted in a pass runs in the next one.
    private func countPass() {
      controlLoop.post(isUrgent: false) { [self] _ in
        reported.pass.add(1, ordering: .relaxed)
        countPass()
      }
    }

    /// The names of the events, and the pass of the control loop that has emitted each.
    var passes: [(name: String, pass: Int)] { Array(zip(events.map(\.name), reported.passes.withLock { $0 })) }

    var events: [PlayerEvent] { reported.all.withLock { $0 } }
    /// Read within the lock, as `States.last`.
    var tracks: [String] {
      reported.all.withLock { events in
        events.compactMap { if case .track(let title, _, _, _) = $0 { title } else { nil } }
      }
    }

    func end() async {
      controlLoop.post { $0.interrupt(fade: 0, reason: .stopped) }
      await until { [hasEnded] in hasEnded.isRaised }
    }
  }
}

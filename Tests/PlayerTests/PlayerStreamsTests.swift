import Engine
import Schedule
import Signal
import Synchronization
import TestSupport
import Testing

@testable import Player

/// The streams that an application observes.
@Suite struct PlayerStreamsTests {
  let library = TestLibrary(["A": .constant(0.1, length: 24_000), "B": .constant(0.2, length: 24_000)])

  private var session: Programme {
    programme([Programme.Stage("S", [track("A", 24_000), track("B", 24_000)], for: .frames(48_000))])
  }

  @Test func `positions are emitted ten times a second to readers, and once a second as events`() async {
    let sink = CollectingSink()
    let events = Mutex<[StampedEvent]>([])
    let player = AudioPlayerService(playing: session, from: library, into: sink) { event in
      events.withLock { $0.append(event) }
    }
    let reader = player.positions()
    async let performance = player.play()
    var last: TrackPosition?
    var count = 0
    for await delivery in reader {
      count = delivery.number
      last = delivery.value
    }
    #expect(await performance.reason == .completed)
    // From the first whole second to the last tenth before the end.
    #expect(count == 50)
    #expect(last.map { [$0.session, $0.position ?? 0] } == [5.9, 2.9] && last?.track == "B" && last?.duration == 3)
    let reported = events.withLock { $0 }.filter { $0.event.name == "position" }.map(\.session)
    #expect(reported == [1, 2, 3, 4, 5])
  }

  @Test func `the metrics are reported as they were before their reset`() async {
    let player = AudioPlayerService(playing: session, from: library, into: NullSink(pace: .listener)) { _ in }
    async let performance = player.play()
    #expect(await player.perform([.pause, .metrics(reset: true)]) == [.done, .done])
    #expect(await player.reportedMetrics()?.totalOperations == 1)
    #expect(await player.queueMetrics()?.totalOperations == 0)
    _ = await player.perform(.stop)
    _ = await performance
  }

  @Test func `a position is an event even if a command just after its second is reported first`() async throws {
    let sink = SteppedSink()
    sink.hear(4_000)
    let events = Mutex<[StampedEvent]>([])
    let player = AudioPlayerService(playing: session, from: library, into: sink) { event in
      events.withLock { $0.append(event) }
    }
    async let performance = player.play()
    #expect(try await onOwnThread { eventually { player.status.moment.session == 0.5 } })
    sink.hear(8_016)
    // The pass of the control loop that accepts the command reaches the position of the first second afterwards.
    #expect(await player.perform(.volume(Gain(linear: 0.5), over: 0)) == .done)
    sink.hear(48_000)
    #expect(await performance.reason == .completed)
    let positions = events.withLock { $0 }.filter { $0.event.name == "position" }.map(\.session)
    #expect(try #require(positions.first) < 1.1)
  }

  /// The times of the progress events of a crossfade from 1.5 s to 3 s: at most half of a track.
  private func crossfadeEvents(reportsProgress: Bool, readsStates: Bool) async -> [Double] {
    let session = programme([
      Programme.Stage(
        "S", [track("A", 24_000), track("B", 24_000)], for: .frames(40_000),
        crossfade: FadeShape(length: 16_000, curve: .linear))
    ])
    let events = Mutex<[StampedEvent]>([])
    let player = AudioPlayerService(
      playing: session, from: library, into: CollectingSink(), reportsProgress: reportsProgress
    ) { event in events.withLock { $0.append(event) } }
    let reader = readsStates ? player.states : nil
    _ = await player.play()
    withExtendedLifetime(reader) {}
    return events.withLock { $0 }.filter { $0.event.name == "crossfade.progress" }.map(\.session)
  }

  @Test func `the progress of a crossfade is reported ten times a second only if somebody reads it`() async {
    let tenths = (16..<30).map { Double($0) / 10 }
    let (all, read, unread) = (
      await crossfadeEvents(reportsProgress: true, readsStates: false),
      await crossfadeEvents(reportsProgress: false, readsStates: true),
      await crossfadeEvents(reportsProgress: false, readsStates: false)
    )
    #expect(all == tenths)
    #expect(read == tenths)
    #expect(unread == [2.5])
  }

  @Test func `a reader that subscribes late receives the current value at once`() async {
    let player = AudioPlayerService(playing: session, from: library, into: CollectingSink()) { _ in }
    #expect(await player.states.first { _ in true }?.value == .idle)
    let late = player.tracks
    _ = await player.play()
    #expect(await player.states.first { _ in true }?.value == .finished)
    var titles: [String] = []
    for await track in late.map(\.value) { titles.append(track.map { "\($0.title) \($0.index)" } ?? "silence") }
    #expect(titles == ["A 0", "B 1"])
  }

  @Test func `peek reports the next track at once and changes nothing`() async throws {
    let player = AudioPlayerService(playing: session, from: library, into: NullSink(pace: .listener)) { _ in }
    async let performance = player.play()
    let next = await player.peek()
    #expect(next == UpcomingTrack(title: "B", index: 1, pass: 0, duration: 3))
    #expect(await player.peek(steps: 2) == nil)
    #expect(await player.peek(steps: -1) == nil)
    #expect(player.status.moment.track != "B")
    try await best(where: { $0 < .milliseconds(20) }) {
      await ContinuousClock().measure { _ = await player.peek() }
    }
    player.finish(fade: 0, reason: .stopped)
    _ = await performance
    #expect(await player.peek() == nil)
  }
}

/// Takes sound as fast as it is rendered. The test sets how much of it has been heard.
private final class SteppedSink: Sink {
  let pace = Pace.listener
  private let frames = Atomic<FrameCount>(0)

  var heard: FrameCount { frames.load(ordering: .acquiring) }

  func hear(_ frames: FrameCount) { self.frames.store(frames, ordering: .releasing) }
  func start(at rate: SampleRate) throws(SinkError) {}
  func write(_ block: UnsafeBufferPointer<Frame>) throws(SinkError) {}
  func finish() throws(SinkError) {}
  func abandon() {}
}

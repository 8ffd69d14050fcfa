import Engine
@testable import Player
import Schedule
import Signal
import Synchronization
import TestSupport
import Testing

/// Jobs that reach the control thread before it starts, or while the session ends.
@Suite struct ControlLoopTests {
  private final class Scene: Sendable {
    let loop = Mutex<ControlLoop?>(nil)
    let events = Mutex<[PlayerEvent]>([])
  }

  private let library = TestLibrary(["A": .constant(0.1, length: 8_000)])
  private let session = programme([Programme.Stage("S", [track("A", 8_000)], for: .frames(8_000))])

  @Test func `no event follows session.finished, even if a command is accepted while the session ends`() async throws {
    let scene = Scene()
    let loop = ControlLoop(
      ControlLoop.Assignment(
        programme: session, replayed: Replayed(session, 0, at: 0),
        voices: VoicePlan(session).voices,
        opener: SoundOpener(library: library, rate: testRate, loader: Loader(alarm: nil)),
        sink: NullSink(pace: .players), session: AudioSessionManager(), isRunning: Multicast(),
        memory: MemoryPressureMonitor(path: "") {},
        audience: { EventTimeline.Audience(readsPositions: false, readsProgress: false) }
      ) { event in
        scene.events.withLock { $0.append(event.event) }
        guard case .sessionFinished = event.event else { return }
        scene.loop.withLock { $0?.post { $0.accept("pause", id: "op-0001") } }
      })
    scene.loop.withLock { $0 = loop }
    _ = try await onOwnThread { loop.run(script: nil) }
    scene.loop.withLock { $0 = nil }
    #expect(scene.events.withLock { $0.last?.name } == "session.finished")
    #expect(await loop.perform { $0.isPaused } == nil)
  }

  @Test func `a player whose thread can't start rejects the commands that wait and those that follow`() async throws {
    let player = AudioPlayerService(playing: session, from: library, into: NullSink(pace: .listener)) { _ in }
    let isAnswered = Flag()
    let waiting = Task {
      let outcome = await player.perform(.pause)
      isAnswered.raise()
      return outcome
    }
    let result = await player.play { _ in false }
    #expect(result.reason == .outputFailed && result.failure == .noThread)
    // A command without an answer would wait forever.
    try #require(try await onOwnThread { eventually { isAnswered.isRaised } })
    #expect(await waiting.value == .rejected(.ended))
    #expect(await player.currentStatus().moment.state == "idle")
  }
}

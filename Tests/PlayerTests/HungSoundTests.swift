import Engine
@testable import Player
import Schedule
import Signal
import Synchronization
import TestSupport
import Testing

/// Files that stop responding during playback, as on a stalled disk or network.
@Suite struct HungSoundTests {
  private let rate = SampleRate.studio
  private let gate = Flag()
  /// The frames that are decoded before the stall: the head and four pieces.
  private let edge = PrimedSound.headLength(at: .studio) + 4 * 4_096

  private var library: TestLibrary {
    var hung = TestLibrary.Sound.constant(0.5, length: 96_000)
    hung.stall = .init(at: FrameTime(edge) + 16, until: gate)
    return TestLibrary([
      "hung": hung, "bell": .constant(0.25, length: 4_800), "good": .constant(0.125, length: 2_880_000),
    ])
  }

  /// Two seconds of a track that stops responding after half a second, with a bell at 1.6 s, then a second of another
  /// track.
  private var session: Programme { session(stages: 96_000, 48_000) }

  private func session(stages length: FrameCount, _ rest: FrameCount) -> Programme {
    let first = Programme.Stage(
      "A", [track("hung", length)], for: .frames(Double(length)), gongs: [Programme.Gong("bell", 4_800, at: 76_800)])
    // The track ends with its stage: a longer one would fade out over the last 20 ms.
    let second = Programme.Stage("B", [track("good", rest)], for: .frames(Double(rest)))
    return Programme(title: "test", rate: rate, master: .unity, stages: [first, second])
  }

  private struct Heard {
    var frames: [Float]
    var events: [PlayerEvent]
    var performance: PlaybackResult
  }

  private func play(
    _ programme: Programme, doing act: @escaping @Sendable (AudioPlayerService) async throws -> Void = { _ in }
  ) async throws -> Heard {
    let events = Mutex<[PlayerEvent]>([])
    let sink = ListeningSink()
    let player = AudioPlayerService(playing: programme, from: library, into: sink) { event in
      events.withLock { $0.append(event.event) }
    }
    async let played = player.play()
    try await act(player)
    let performance = await played
    return Heard(frames: sink.frames.map(\.left), events: events.withLock { $0 }, performance: performance)
  }

  @Test func `the bell, the next stage and the end keep their frames while a file hangs`() async throws {
    let heard = try await play(session)
    try #require(!gate.isRaised && heard.frames.count == 144_000)
    #expect(heard.frames[1_000..<edge].allSatisfy { $0 == 0.5 })
    #expect(heard.frames[(edge + 256)..<76_800].allSatisfy { $0 == 0 })
    #expect(heard.frames[76_800..<81_600].allSatisfy { $0 == 0.25 })
    #expect(heard.frames[96_000...].allSatisfy { $0 == 0.125 })
    let steps = zip(heard.frames[20_000..<76_000], heard.frames[20_001...]).map { abs($1 - $0) }
    #expect(steps.allSatisfy { $0 < 0.01 })
    gate.raise()
  }

  @Test func `a file that hangs is reported once and counted`() async throws {
    let heard = try await play(session)
    let problems = heard.events.compactMap { if case .error(let error) = $0 { error.description } else { nil } }
    #expect(problems.count == 1 && problems.first?.hasPrefix("hung: can't be read: it doesn't answer") == true)
    let gaps = heard.events.compactMap { if case .underrun(.music, "hung", let length) = $0 { length } else { nil } }
    #expect(gaps.count == 1 && abs((gaps.first ?? 0) - Double(96_000 - edge) / 48) < 0.001)
    #expect(heard.performance.reason == .completed && heard.performance.totals.damaged == 1)
    #expect(heard.performance.totals.shortfalls == Shortfalls(starved: 1))
    gate.raise()
  }

  @Test func `pause, resume, next stage and stop take effect at once while a file hangs`() async throws {
    try await best(where: { $0 < .milliseconds(100) }) {
      var took = Duration.zero
      let slowest = Mutex(Duration.zero)
      // The stages last a minute each, so that a busy machine has enough time.
      let heard = try await play(session(stages: 2_880_000, 2_880_000)) { player in
        _ = try await onOwnThread { eventually { 1 < player.status.moment.session } }
        for command in [Command.pause, .resume, .nextStage, .pause, .stop] {
          let began = ContinuousClock.now
          #expect(await player.perform(command) == .done)
          slowest.withLock { $0 = max($0, ContinuousClock.now - began) }
        }
      }
      took = slowest.withLock { $0 }
      #expect(heard.performance.reason == .stopped)
      return took
    }
    gate.raise()
  }
}

import Sounds
@testable import Player
import Schedule
import Signal
import TestSupport
import Testing

/// The eleven steps that every session player goes through: initialise, play, next, play, pause, resume, play, pause,
/// previous, resume, and the end by itself. Two tracks of half a minute with crossfades of five seconds, at a volume of
/// 0.8, after a fade-in of three seconds.
@Suite struct TraceTests {
  let library = TestLibrary([
    "A": .constant(0.1, length: 240_000), "B": .constant(0.2, length: 240_000),
  ])

  private var session: Programme {
    let shape = FadeShape(length: 40_000, curve: .equalPower)
    let stage = Programme.Stage("S", [track("A", 240_000), track("B", 240_000)], crossfade: shape)
    var session = Programme(title: "trace", rate: testRate, master: Gain(linear: 0.8), stages: [stage])
    session.fadeIn = 24_000
    return session
  }

  private static let steps: [(Double, [Command])] = [
    (10, [.next]), (16, [.play]), (18, [.pause]), (20, [.resume]), (22, [.play]), (24, [.pause]), (25, [.previous]),
    (25.5, []), (26, [.resume]), (27, []),
  ]

  /// A pause includes the 20 ms of its ramp, so the second one is at 22.02 s of the session.
  private static let eventTexts = [
    "0 session.started trace", "0 stage.started S 0", "0 state preparing A", "0 track A 0", "0 state playing A",
    "10 command next done", "10 track B 1", "10 crossfade.started A B", "10 state crossfading A B 0",
    "15 crossfade.completed", "15 state playing B", "16 command play noEffect rejected the session is already playing",
    "18 state paused B", "18 command pause done", "18.02 state playing B", "18.02 command resume done",
    "20.02 command play noEffect rejected the session is already playing",
    "22.02 state paused B", "22.02 command pause done", "22.04 state paused A", "22.04 command previous done",
    "22.04 state playing A", "22.04 command resume done", "22.04 track A 0",
    "47.04 track B 1", "47.04 crossfade.started A B", "47.04 state crossfading A B 0",
    "52.04 crossfade.completed", "52.04 state playing B", "77.04 state finished", "77.04 session.finished completed",
  ]

  private func play() async -> (played: RenderedProgramme, log: CommandLog) {
    let log = CommandLog()
    return (await perform(session, library, doing: TimedCommands(Self.steps, log: log)), log)
  }

  @Test func `a player is idle before it plays`() async {
    let player = AudioPlayerService(playing: session, from: library, into: CollectingSink()) { _ in }
    #expect(player.status.moment.state == "idle")
    _ = await player.play()
    #expect(player.status.moment.state == "finished")
  }

  @Test func `each step leads to the expected state, and a step that changes nothing is rejected`() async throws {
    let (played, log) = await play()
    let refusal = CommandOutcome.rejected(.edit(.noEffect("the session is already playing")))
    #expect(log.outcomes == [.done, refusal, .done, .done, refusal, .done, .done, .done])
    #expect(
      log.moments.map(\.state) == [
        "playing", "playing", "playing", "paused", "playing", "playing", "paused", "paused", "paused", "playing",
      ])
    #expect(log.moments.map(\.trackIndex) == [0, 1, 1, 1, 1, 1, 1, 0, 0, 0])
    #expect(log.moments.allSatisfy { abs($0.volume - 0.8) < 1e-6 })
    let reported = try EventSummary(played.lines).timed
    for (line, expected) in zip(reported, Self.eventTexts) { #expect(line == expected) }
    #expect(reported.count == Self.eventTexts.count)
  }

  @Test func `the level after each step is the expected one`() async {
    let (played, _) = await play()
    let levels: [(second: Double, level: Float)] = [
      (0, 0), (1, 0.5 * 0.08), (3, 0.08), (9.9, 0.08), (12.5, 0.24 * Float(0.5).squareRoot()), (15, 0.16), (17.9, 0.16),
      (18.02, 0), (18.04, 0.16), (22.01, 0.16), (22.04, 0), (22.06, 0.08), (47, 0.08), (52.04, 0.16), (77.03, 0.16),
    ]
    for (second, level) in levels {
      let heard = played.left[Int((second * 8_000).rounded())]
      #expect(abs(heard - level) < 1e-5, "at \(second) s: \(heard)")
    }
    #expect(played.left.count == Int(77.04 * 8_000))
  }
}

@testable import Player
import Schedule
import Signal
import Sounds
import TestSupport
import Testing

/// What is played is what the schedule says, computed without a player.
@Suite struct ScheduleAnswersTests {
  private static let library = TestLibrary([
    "0": .constant(0.1, length: 30_000), "1": .constant(0.23, length: 20_000), "2": .constant(0.47, length: 50_000),
    "voice": .constant(0, length: 4_000), "bell": .constant(0, length: 2_000),
  ])

  /// A session of constant tracks, with overlays and gongs that may reach beyond their stages.
  private static func session(_ random: inout Random) -> Programme {
    var session = ModelTests.constantSession(&random)
    for index in session.stages.indices {
      let at = Double(random.next(0...30_000))
      if random.next(0...1) == 0 { session.stages[index].overlays = [Programme.Overlay("voice", 4_000, at: at)] }
      if random.next(0...1) == 0 { session.stages[index].gongs = [Programme.Gong("bell", 2_000, at: at)] }
    }
    return session
  }

  @Test func `a player tells the events of its schedule`() async {
    for seed in 1...150 as ClosedRange<UInt64> {
      var random = Random(seed: seed)
      let session = Self.session(&random)
      let played = await perform(session, Self.library)
      let told = played.events.filter { event in
        // At its last frame, the player ends what is open.
        if played.frames.count <= Int(testRate.frames(event.session)) { return false }
        return switch event.event {
        case .state, .stageStarted, .track, .overlayStarted, .overlayEnded, .gong: true
        default: event.event.name.hasPrefix("crossfade.") && event.event.name != "crossfade.progress"
        }
      }
      let answers = Schedule(session).events(in: 0..<FrameTime(played.frames.count))
      let expected = answers.compactMap { at, stage, event -> StampedEvent? in
        if case .crossfadeProgress = event { return nil }
        let seconds = testRate.seconds(at)
        let name = stage.map { session.stages[$0].name }
        return StampedEvent(run: seconds, session: seconds, stage: name, event: PlayerEvent(event))
      }
      // The progress that is told depends on how often its readers want it.
      let texts = { (events: [StampedEvent]) in
        events.filter { if case .state(_, "crossfading") = $0.event { $0.isEndOfCrossfade } else { true } }
          .map { $0.json(sequence: 0) }
      }
      let difference = zip(texts(told) + ["end"], texts(expected) + ["end"]).first { $0 != $1 }
      #expect(difference == nil, "seed \(seed)")
    }
  }

  @Test func `the state at a frame is the one that was told last`() async {
    for seed in 1...40 as ClosedRange<UInt64> {
      var random = Random(seed: seed)
      let session = Self.session(&random)
      let played = await perform(session, Self.library)
      let schedule = Schedule(session)
      for _ in 0..<10 {
        let frame = FrameTime(random.next(0...played.frames.count - 1))
        let last = played.events.last { event in
          if case .state = event.event { testRate.frames(event.session) <= frame } else { false }
        }
        guard case .state(let told, _)? = last?.event else { continue }
        let state = schedule.state(at: frame)
        #expect(state.name == told.name && state.currentTrack?.id == told.currentTrack?.id, "seed \(seed) at \(frame)")
        #expect(told.progress ?? 0 <= state.progress ?? 0, "seed \(seed) at \(frame)")
      }
    }
  }

  @Test func `a schedule answers for ten hours without a player`() {
    let shape = FadeShape(length: 16_000, curve: .equalPower)
    var stage = Programme.Stage(
      "S", [track("0", 30_000), track("1", 20_000)], for: .frames(288_000_000), repetition: .playlist, crossfade: shape)
    stage.gongs = [Programme.Gong("bell", 2_000, at: 144_000_000)]
    let schedule = Schedule(programme([stage]))
    #expect(
      schedule.events(in: 143_999_999..<144_000_001).contains {
        $0.at == 144_000_000 && $0.event == .gong(title: "bell")
      })
  }
}

extension StampedEvent {
  /// Whether the state follows a crossfade, instead of being a step of it.
  fileprivate var isEndOfCrossfade: Bool {
    if case .state(.crossfading, _) = event { false } else { true }
  }
}

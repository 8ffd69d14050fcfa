@testable import Player
import Signal
import TestSupport
import Testing

/// A session that combines all features, on the virtual clock.
@Suite struct ThreeStagesTests {
  let scene = ThreeStages()

  private func play(blockLength: Int = 480) async -> (played: RenderedProgramme, log: CommandLog) {
    let log = CommandLog()
    let commands = TimedCommands(scene.commands, log: log)
    return (await perform(scene.programme, scene.library, blockLength: blockLength, doing: commands), log)
  }

  @Test func `every frame has the expected level`() async {
    let (played, log) = await play()
    #expect(log.outcomes.allSatisfy { $0 == .done })
    #expect(played.frames.count == ThreeStagesSound.length)
    let wrong = played.frames.indices.first { index in
      let (left, right) = ThreeStagesSound.frame(index)
      return 1e-5 < max(abs(Double(played.frames[index].left) - left), abs(Double(played.frames[index].right) - right))
    }
    #expect(wrong == nil, "at \(Double(wrong ?? 0) / 8_000) s")
  }

  @Test func `the events are reported in the expected order`() async throws {
    let (played, _) = await play()
    let reported = try EventSummary(played.lines).timed
    for (line, expected) in zip(reported, ThreeStagesEvents.lines) { #expect(line == expected) }
    #expect(reported.count == ThreeStagesEvents.lines.count)
  }

  /// Commands come at run times, and the run's clock continues during a pause.
  @Test func `a pause takes run time but no session time`() async {
    let (played, _) = await play()
    let reported = played.events.filter { if case .command("pause", _, .ended) = $0.event { true } else { false } }
    #expect(reported.map(\.session) == [7.35, 14.1, 26, 33])
    #expect(reported.map { ($0.run * 1_000).rounded() } == [7_350, 44_080, 75_960, 92_940])
    // All but the 80 ms of the four ramps.
    #expect(abs((played.events.last?.run ?? 0) - (41 + 30 + 20 + 10 + 360 - 0.08)) < 1e-6)
  }

  @Test func `the block length changes neither the sound nor the events`() async {
    let (first, second) = (await play().played, await play(blockLength: 5_000).played)
    let isSame = first.frames == second.frames && first.lines == second.lines
    #expect(isSame)
  }
}

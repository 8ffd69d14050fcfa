import ProsperKit
import TestSupport
import Testing

/// Commands and streams while a session plays in real time.
@Suite struct ControllingTests {
  @Test func `commands have outcomes, and their effects are streamed`() async throws {
    let session = try await session("  - {name: One, duration: open, tracks: [endless.count, 8000.count]}\n")
    let player = try SessionPlayer(session, output: .null())
    let (states, tracks) = (player.states(), player.tracks())
    #expect(player.status.state == .idle && player.status.title == "Counted")
    async let result = player.play()
    for await state in states where state.kind == .playing { break }
    #expect(await tracks.first { _ in true }?.title == "endless.count")
    #expect(await player.track()?.title == "8000.count")
    for steps in [Int.max, Int.min] { _ = await player.track(after: steps) }
    #expect(await player.perform(.pause) == .done)
    for await state in states where state.kind == .paused { break }
    #expect(player.status.state == .paused && player.status.stage == "One")
    #expect(await player.perform([.resume, .volume(0.5)]) == [.done, .done])
    guard case .rejected(let error) = await player.perform(.go(toStage: "Two")) else {
      Issue.record("a stage that does not exist was entered")
      return
    }
    #expect(error.code == "noSuchStage" && error.description == "there is no stage 'Two'; use one of: One")
    #expect(await player.perform(.stop) == .done)
    #expect(try await result.reason == .stopped)
    let metrics = try #require(await player.metrics())
    #expect(metrics.totalOperations == 5 && metrics.totalFailures == 1 && metrics.isIdle)
    #expect(metrics.execution.count == 5 && metrics.description.contains(#""totalOperations":5"#))
  }

  @Test func `positions come ten times a second`() async throws {
    let session = try await session("  - {name: One, tracks: [16000.count]}\n")
    let player = try SessionPlayer(session, output: .null())
    let positions = player.positions()
    async let result = player.play()
    var tenths: [Int] = []
    for await position in positions {
      #expect(position.track == "16000.count" && position.duration == 2 && position.position == position.sessionTime)
      tenths.append(Int((10 * position.sessionTime).rounded()))
    }
    // They begin at the first whole second. The buffer of a reader has room for all of them.
    #expect(tenths == [10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
    _ = try await result
  }

  @Test func `a cancelled task ends its session`() async throws {
    let session = try await session("  - {name: One, duration: open, tracks: [endless.count]}\n")
    let player = try SessionPlayer(session, output: .null())
    let states = player.states()
    let task = Task { try await player.play() }
    for await state in states where state.kind == .playing { break }
    task.cancel()
    #expect(try await task.value.reason == .interrupted)
  }
}

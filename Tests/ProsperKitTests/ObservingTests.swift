import ProsperKit
import TestSupport
import Testing

/// What an embedding program learns while a session plays.
@Suite struct ObservingTests {
  @Test func `the stream of tracks has silence, identities and formats`() async throws {
    let session = try await session(
      """
        - {name: One, repeat: track, repeatCount: 1, tracks: [8000.count]}
        - {name: Sit, duration: 1s}
        - {name: Two, tracks: [4000.count, {generate: bowl}]}

      """)
    let player = try SessionPlayer(session, output: .null(isRealTime: false))
    let stream = player.tracks()
    _ = try await player.play()
    var (seen, ids): ([String], Set<TrackInfo.ID>) = ([], [])
    for await track in stream {
      guard let track else {
        seen.append("silence")
        continue
      }
      ids.insert(track.id)
      seen.append("\(track.title) \(track.index) \(track.pass) \(track.format?.sampleRate ?? 0)")
    }
    #expect(seen == ["8000.count 0 0 16000", "8000.count 0 1 16000", "silence", "4000.count 0 0 16000", "bowl 1 0 0"])
    #expect(ids.count == 4)
  }

  @Test func `a navigation says at once where it leads, also in a pause`() async throws {
    let session = try await session(
      "  - {name: One, duration: open, tracks: [endless.count, 8000.count, 4000.count]}\n"
        + "  - {name: Two, duration: open, tracks: [16000.count]}\n")
    let player = try SessionPlayer(session, output: .null())
    let (states, stream) = (player.states(), player.tracks())
    #expect(await player.playlist() == [])
    async let result = player.play()
    for await state in states where state.kind == .playing { break }
    var tracks = stream.makeAsyncIterator()
    #expect(await tracks.next()??.title == "endless.count")
    #expect(await player.playlist().map(\.title) == ["endless.count", "8000.count", "4000.count"])
    #expect(await player.perform(.pause) == .done)
    let (next, outcome) = await player.navigate(.next)
    #expect(next?.title == "8000.count" && next?.index == 1)
    #expect(await outcome.value == .done)
    #expect(await tracks.next()??.title == "8000.count")
    #expect(player.currentPosition.track == "8000.count" && player.currentPosition.position == 0)
    let (two, moved) = await player.navigate(.goto(stage: "Two"))
    #expect(two?.title == "16000.count" && two?.index == 0)
    #expect(await moved.value == .done)
    for command in [Command.jump(track: 9), .nextStage, .pause] {
      #expect(await player.navigate(command).track == nil)
    }
    await player.perform(.stop)
    _ = try await result
    #expect(await player.navigate(.next).track == nil)
  }

  @Test func `metrics start again from zero after a reset`() async throws {
    let session = try await session("  - {name: One, duration: open, tracks: [endless.count]}\n")
    let player = try SessionPlayer(session, output: .null())
    let states = player.states()
    async let result = player.play()
    for await state in states where state.kind == .playing { break }
    await player.perform(.pause)
    #expect(await player.metrics(reset: true)?.totalOperations == 1)
    #expect(await player.metrics()?.totalOperations == 0)
    await player.perform(.stop)
    _ = try await result
  }

  @Test func `the built-in sounds are listed, and can be struck`() async throws {
    #expect(GeneratorDescription.builtIn.contains { $0.name == "bowl" && !$0.isEndless && !$0.settings.isEmpty })
    let session = try await session("  - {name: One, duration: open, tracks: [endless.count]}\n")
    let player = try SessionPlayer(session, output: .null())
    let (states, events) = (player.states(), player.events())
    async let result = player.play()
    for await state in states where state.kind == .playing { break }
    let bell = Cue(source: SoundSource(.generated(Recipe(generator: "bowl"))), gain: Gain(decibels: -6))
    #expect(await player.perform(.gong(bell)) == .done)
    #expect(await player.perform(.overlay(.play(OverlayRequest(cue: bell, fadeIn: 1)))) == .done)
    #expect(await player.perform(.playlist(.append([bell]))) == .done)
    #expect(await player.playlist().map(\.title) == ["endless.count", "bowl"])
    await player.perform(.stop)
    var names: Set<String> = []
    for await event in events { names.insert(event.event.name) }
    #expect(names.isSuperset(of: ["gong", "overlay.started"]))
    _ = try await result
  }
}

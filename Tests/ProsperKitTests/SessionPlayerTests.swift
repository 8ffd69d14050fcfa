import Foundation
import ProsperKit
import Synchronization
import TestSupport
import Testing

/// A session in the hands of an embedding program.
@Suite struct SessionPlayerTests {
  @Test(arguments: [false, true])
  func `a sink receives exactly the frames of a decoder`(isRealTime: Bool) async throws {
    // No longer than what is decoded before a sound starts: this real-time sink never gives decoders time.
    let session = try await session("  - {name: One, tracks: [{file: 16000.count, start: 500ms, end: 1.1s}]}\n")
    let sink = MemorySink(isRealTime: isRealTime)
    let player = try SessionPlayer(session, output: .sink(sink))
    let result = try await player.play()
    #expect(sink.frames.withLock { $0 } == (4_000..<8_800).map { CountingDecoder.frame($0) })
    #expect(sink.calls.withLock { $0 } == ["start 8000", "finish"])
    #expect(result.reason == .completed && result.damage == [])
    #expect(result.totals.played == 0.6 && result.totals.tracks == 1 && result.totals.gongs == 0)
  }

  @Test func `a file holds exactly the frames that a sink receives`() async throws {
    let folder = try TemporaryFolder()
    let original = try await session("  - {name: One, tracks: [16000.count]}\n")
    _ = try await SessionPlayer(original, output: .file(folder.path("sit.wav"), encoding: .f32)).play()
    #expect(folder.names == ["sit.wav"])
    let copy = try await session("  - {name: One, tracks: [\(folder.path("sit.wav"))]}\n")
    let sink = MemorySink()
    _ = try await SessionPlayer(copy, output: .sink(sink)).play()
    #expect(sink.frames.withLock { $0 } == (0..<16_000).map { CountingDecoder.frame($0) })
  }

  @Test func `the first event says which session plays, and into what`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("sit.yaml")
    _ = try folder.write(Array("prosper: 1\ntitle: Sit\nstages: [{name: One, duration: 0.1}]\n".utf8), to: "sit.yaml")
    let session = try #require(try await SessionReader().read(path: path).session)
    var origins: [SessionOrigin] = []
    for output: AudioOutput in [.file(folder.path("sit.FLAC")), .sink(MemorySink()), .null(isRealTime: false)] {
      let player = try SessionPlayer(session, output: output)
      let events = player.events()
      _ = try await player.play()
      for await event in events {
        if case .sessionStarted(_, _, _, let origin) = event.event { origins.append(origin) }
      }
    }
    #expect(origins.map(\.output) == ["flac", "sink", "null:fast"])
    #expect(origins.allSatisfy { $0.path == path && $0.version?.isEmpty == false })
    #expect(Set(origins.map(\.fingerprint)).count == 1 && origins[0].fingerprint?.count == 16)
  }

  @Test func `a session starts at the position of the options`() async throws {
    let session = try await session(
      "  - {name: One, tracks: [8000.count]}\n  - {name: Two, tracks: [16000.count]}\n")
    var options = SessionPlayer.Options()
    (options.startStage, options.startPosition) = ("Two", 1)
    let sink = MemorySink()
    _ = try await SessionPlayer(session, output: .sink(sink), options: options).play()
    let frames = sink.frames.withLock { $0 }
    // A sound that starts in its middle fades in over 20 ms.
    #expect(frames.count == 8_000)
    #expect(frames.dropFirst(160) == (8_160..<16_000).map { CountingDecoder.frame($0) }[...])
    options.startStage = "Three"
    #expect { try SessionPlayer(session, output: .null(), options: options) } throws: { error in
      (error as? PlayerError)?.code == "noSuchStage"
    }
    options.startStage = nil
    for position in [3, -1, 1e300, Double.infinity, Double.nan] {
      options.startPosition = position
      #expect { try SessionPlayer(session, output: .null(), options: options) } throws: { error in
        (error as? PlayerError)?.code == "invalidConfiguration"
      }
    }
  }

  @Test func `a render that would not end, or would destroy its input, is refused`() async throws {
    let endless = try await session("  - {name: One, duration: open, tracks: [8000.count]}\n")
    #expect { try SessionPlayer(endless, output: .sink(MemorySink())) } throws: { error in
      (error as? PlayerError)?.description.hasPrefix("stage 'One' is open and would never end") == true
    }
    let folder = try TemporaryFolder()
    let path = try folder.write(TestWave.stereo(TestSound.noise(8_000), rate: 8_000), to: "bell.wav")
    let session = try await session("  - {name: One, tracks: [\(path)]}\n")
    #expect { try SessionPlayer(session, output: .file(path)) } throws: { error in
      (error as? PlayerError)?.description == "\(path) is a file that the session uses; choose another name"
    }
  }

  @Test func `the volume of a session scales it, and its limits hold`() async throws {
    var session = try await session("  - {name: One, tracks: [800.count]}\n")
    session.volume = 0.5
    let sink = MemorySink()
    _ = try await SessionPlayer(session, output: .sink(sink)).play()
    #expect(sink.frames.withLock { $0 }.map(\.left) == (0..<800).map { CountingDecoder.frame($0).left / 2 })
  }

  @Test func `events are numbered, and each reader has all of them`() async throws {
    let session = try await session(
      "  - {name: One, tracks: [16000.count, 16000.count], gongs: [{sound: 800.count, at: 1s}]}\n")
    let player = try SessionPlayer(session, output: .sink(MemorySink()))
    let (first, second) = (player.events(), player.events())
    async let result = player.play()
    var lines: [String] = []
    var kinds: [String] = []
    for await event in first {
      lines.append(event.json)
      #expect(event.number == lines.count)
      #expect(event.run == event.session)
      switch event.event {
      case .sessionStarted(let title, let rate, let duration, _):
        kinds.append("\(title) \(rate.hertz) \(duration ?? 0)")
      case .track(let title, let index, _, let duration): kinds.append("\(index) \(title) \(duration ?? 0)")
      case .gong(let title): kinds.append("\(title) at \(event.session)")
      case .state(let state, let previous): kinds.append("\(previous) \(state.kind)")
      case .sessionFinished(let reason, let totals): kinds.append("\(reason) \(totals.gongs)")
      default: break
      }
    }
    _ = try await result
    #expect(
      kinds == [
        "Counted 8000 4.0", "idle preparing", "0 16000.count 2.0", "preparing playing", "800.count at 1.0",
        "1 16000.count 2.0", "playing playing", "playing finished", "completed 1",
      ])
    #expect(lines.first?.hasPrefix(#"{"v":1,"seq":1,"run":0.000,"#) == true)
    var others: [String] = []
    for await event in second { others.append(event.json) }
    #expect(others == lines)
    #expect(await player.events().first { _ in true } == nil)
  }

  @Test func `playing throws the error of a sink`() async throws {
    let session = try await session("  - {name: One, tracks: [80000.count]}\n")
    let sink = MemorySink(capacity: 8_000)
    let player = try SessionPlayer(session, output: .sink(sink))
    let events = player.events()
    await #expect(throws: MemorySink.Full()) { try await player.play() }
    var codes: [String] = []
    for await event in events { if case .error(let error) = event.event { codes.append(error.code) } }
    #expect(codes == ["outputFailed"])
    #expect(sink.calls.withLock { $0 } == ["start 8000", "cancel"])
  }

  @Test func `a sound that ends early is damage, not an error`() async throws {
    let session = try await session(
      "  - {name: One, tracks: [8000.count]}\n",
      reader: SessionReader(decoders: [CountingDecoder(brokenAt: 4_000)]))
    let sink = MemorySink()
    let result = try await SessionPlayer(session, output: .sink(sink)).play()
    #expect(
      result.damage.map(\.description) == [
        "/counts/8000.count: is damaged at 0.50 s: the counter is broken; replace it with an intact copy"
      ])
    #expect(result.totals.damaged == 1)
    #expect(sink.frames.withLock { $0.count } == 8_000)
  }

  @Test(.timeLimit(.minutes(20))) func `a player that is released ends its streams and releases its sink`() async throws
  {
    let session = try await session("  - {name: One, tracks: [800.count]}\n")
    for plays in [false, true] {
      var sink: MemorySink? = MemorySink()
      weak let leftover = sink
      var player: SessionPlayer? = try SessionPlayer(session, output: .sink(try #require(sink)))
      let (events, states) = (try #require(player).events(), try #require(player).states())
      if plays { _ = try await player?.play() }
      (player, sink) = (nil, nil)
      #expect((await events.reduce(0) { count, _ in count + 1 } > 0) == plays)
      #expect(await states.reduce(nil) { $1 } == (plays ? .finished : .idle))
      #expect(eventually { leftover == nil })
    }
  }

  @Test func `a player plays once, and refuses an unknown file format`() async throws {
    let session = try await session("  - {name: One, tracks: [800.count]}\n")
    let player = try SessionPlayer(session, output: .null(isRealTime: false))
    _ = try await player.play()
    await #expect { try await player.play() } throws: { ($0 as? PlayerError)?.code == "sessionEnded" }
    #expect(await player.perform(.pause) != .done)
    #expect { try SessionPlayer(session, output: .file("sit.xyz")) } throws: { error in
      (error as? PlayerError)?.code == "invalidConfiguration"
    }
  }
}

extension SessionPlayerTests {
  @Test func `a session can be fitted to a time, and keeps the volume that the program has set`() async throws {
    var session = try await session(
      "  - {name: One, duration: 2s}\n  - {name: Two, duration: 6s, tracks: [8000.count]}\n")
    session.volume = 0.5
    let fitted = try session.fitted(to: 4)
    #expect(fitted.timeline.stages.map(\.end) == [1, 4] && fitted.volume == 0.5)
    #expect(session.timeline.stages.map(\.end) == [2, 8])
    #expect { try session.fitted(to: 0) } throws: { error in
      (error as? PlayerError)?.code == "invalidConfiguration"
    }
  }

  @Test func `a lead-in precedes the session in the output`() async throws {
    let session = try await session("  - {name: One, tracks: [8000.count]}\n")
    var options = SessionPlayer.Options()
    options.leadIn = 0.25
    let sink = MemorySink()
    let result = try await SessionPlayer(session, output: .sink(sink), options: options).play()
    let silence = StereoFrame(left: 0, right: 0)
    #expect(
      sink.frames.withLock { $0 }
        == Array(repeating: silence, count: 2_000) + (0..<8_000).map { CountingDecoder.frame($0) })
    #expect(result.totals.played == 1)
    options.leadIn = 61
    #expect { try SessionPlayer(session, output: .null(), options: options) } throws: { error in
      (error as? PlayerError)?.code == "invalidConfiguration"
    }
  }
}

import Engine
import Schedule
import Signal
import Synchronization
import TestSupport
import Testing

@testable import Player

/// What is open or in memory before it is asked for.
@Suite struct PreparedSoundsTests {
  private let library = CountingLibrary(
    TestLibrary([
      "A": .constant(0.1, length: 800_000), "B": .constant(0.2, length: 800_000),
      "bell": .noise(seed: 1, length: 30_000, level: 0.2), "long": .constant(0, length: 8_000 * 61),
    ]))

  private var session: Programme {
    programme([Programme.Stage("S", [track("A", 800_000), track("B", 800_000)], for: .frames(1_600_000))])
  }

  private static func cue(_ name: String) -> Cue {
    Cue(name)
  }

  @Test func `a gong that has been asked for strikes again from memory, at once and over itself`() async {
    let bell = Self.cue("bell")
    let commands: [(Double, [Command])] = [
      (1, [.gong(bell)]), (1.1, [.gong(bell), .gong(bell)]), (9, [.finish(fade: 0)]),
    ]
    let played = await perform(session, library, doing: TimedCommands(commands))
    #expect(library.opens("bell") == 1)
    #expect(played.events.count { $0.event.name == "gong" } == 3)
    // Past the ring of decoded frames too, each is whole.
    let sound = TestLibrary.Sound.noise(seed: 1, length: 30_000, level: 0.2)
    let isThrice = stride(from: 8_800, to: 38_000, by: 7).allSatisfy { frame in
      let expected = 0.1 + sound.sample(FrameTime(frame - 8_000)).left + 2 * sound.sample(FrameTime(frame - 8_800)).left
      return abs(played.left[frame] - expected) < 1e-5
    }
    #expect(isThrice)
  }

  @Test func `preloaded, a gong is opened once; unloaded, again`() async {
    let bell = Self.cue("bell")
    let commands: [(Double, [Command])] = [
      (1, [.effects(.preload([bell]))]), (2, [.gong(bell)]), (6, [.effects(.unload([bell]))]), (7, [.gong(bell)]),
      (8, [.stop]),
    ]
    _ = await perform(session, library, doing: TimedCommands(commands))
    #expect(library.opens("bell") == 2)
  }

  @Test func `a sound of more than a minute is not kept in memory`() async {
    let commands: [(Double, [Command])] = [
      (1, [.gong(Self.cue("long"))]), (2, [.gong(Self.cue("long"))]), (3, [.stop]),
    ]
    _ = await perform(session, library, doing: TimedCommands(commands))
    #expect(library.opens("long") == 2)
  }

  @Test func `the shelf keeps the ten asked for last`() {
    let shelf = EffectShelf()
    for number in 0..<10 { shelf.put(EffectShelf.Effect(source: TestLibrary.source("\(number)"), frames: [])) }
    #expect(shelf.effect(TestLibrary.source("0")) != nil)
    shelf.put(EffectShelf.Effect(source: TestLibrary.source("10"), frames: []))
    #expect(shelf.effect(TestLibrary.source("1")) == nil && shelf.effect(TestLibrary.source("0")) != nil)
  }

  @Test func `live, the track that next leads to is open before anybody asks`() async {
    let library = library
    let player = AudioPlayerService(playing: session, from: library, into: NullSink(pace: .listener)) { _ in }
    async let performance = player.play()
    await until { library.opens("B") == 1 }
    #expect(await player.perform(.next) == .done)
    #expect(library.opens("B") == 1, "it was opened once, and taken")
    player.finish(fade: 0, reason: .stopped)
    #expect(await performance.reason == .stopped)
  }
}

/// Counts how often each sound is opened.
private final class CountingLibrary: SoundLibrary {
  private let library: TestLibrary
  private let counts = Mutex<[String: Int]>([:])

  init(_ library: TestLibrary) { self.library = library }

  func opens(_ name: String) -> Int { counts.withLock { $0[name] ?? 0 } }

  func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
    try library.probe(source, at: rate)
  }

  func open(_ source: SoundSource, at rate: SampleRate, from offset: FrameCount) throws(SourceError) -> any Decoder {
    counts.withLock { $0[source.label, default: 0] += 1 }
    return try library.open(source, at: rate, from: offset)
  }
}

import Engine
import Foundation
import Rings
import Schedule
import Signal
import Sounds
import Synchronization
import TestSupport
import Testing

@testable import Player

/// Sounds that are open or in memory before they are requested.
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

  @Test func `a gong that has been played strikes again from memory, at once and over itself`() async {
    let bell = Self.cue("bell")
    let commands: [(Double, [Command])] = [
      (1, [.gong(bell)]), (1.1, [.gong(bell), .gong(bell)]), (9, [.finish(fade: 0)]),
    ]
    let played = await perform(session, library, doing: TimedCommands(commands))
    #expect(library.opens("bell") == 1)
    #expect(played.events.count { $0.event.name == "gong" } == 3)
    // Each strike is complete, even beyond the ring buffer of decoded frames.
    let sound = TestLibrary.Sound.noise(seed: 1, length: 30_000, level: 0.2)
    let isThrice = stride(from: 8_800, to: 38_000, by: 7).allSatisfy { frame in
      let expected = 0.1 + sound.sample(FrameTime(frame - 8_000)).left + 2 * sound.sample(FrameTime(frame - 8_800)).left
      return abs(played.left[frame] - expected) < 1e-5
    }
    #expect(isThrice)
  }

  @Test func `a preloaded gong is opened once, and again after it is unloaded`() async {
    let bell = Self.cue("bell")
    let commands: [(Double, [Command])] = [
      (1, [.effects(.preload([bell]))]), (2, [.gong(bell)]), (6, [.effects(.unload([bell]))]), (7, [.gong(bell)]),
      (8, [.stop]),
    ]
    _ = await perform(session, library, doing: TimedCommands(commands))
    #expect(library.opens("bell") == 2)
  }

  @Test func `a sound longer than a minute is not kept in memory`() async {
    let commands: [(Double, [Command])] = [
      (1, [.gong(Self.cue("long"))]), (2, [.gong(Self.cue("long"))]), (3, [.stop]),
    ]
    _ = await perform(session, library, doing: TimedCommands(commands))
    #expect(library.opens("long") == 2)
  }

  @Test func `the cache keeps the ten most recently used sounds`() {
    let effectCache = EffectCache()
    let sound = DecodedSound(DecodedSound.Frames(capacity: 0) { _ in 0 }, length: 0, damage: nil)
    for number in 0..<10 { effectCache.insert(sound, for: TestLibrary.source("\(number)")) }
    #expect(effectCache.sound(TestLibrary.source("0")) != nil)
    effectCache.insert(sound, for: TestLibrary.source("10"))
    #expect(effectCache.sound(TestLibrary.source("1")) == nil && effectCache.sound(TestLibrary.source("0")) != nil)
  }

  @Test func `in a live session, a relative seek uses the sound that was opened for it`() async {
    let library = library
    let player = AudioPlayerService(
      playing: session, from: library, into: NullSink(pace: .listener), memoryPressure: ""
    ) { _ in }
    async let performance = player.play()
    await until { library.opens("B") == 1 }
    #expect(await player.perform(.seek(.by(20))) == .done)
    await until { 21 < player.status.moment.position ?? 0 }
    player.finish(fade: 0, reason: .stopped)
    #expect(await performance.reason == .stopped)
    #expect(library.opens("A") == 2, "once for the session, and once for the seek")
  }

  @Test func `a sound that was opened for a slightly earlier frame starts at the wanted one`() throws {
    let (bell, count) = (TestLibrary.source("bell"), 2 * 2_048 + 1_000)
    let sound = try PrimedSound(bell, from: library, at: testRate, offset: 500, priming: count)
    let opened = PrimedSource(
      need: .init(source: bell, offset: 500), result: .success(Loaded(value: sound, seconds: 0)))
    let later = try #require(opened.suiting(.init(source: bell, offset: 1_500), exactly: false))
    #expect(try later.result.get().value.head == Array(sound.head.dropFirst(1_000)))
    for offset in [499, 1_501] {
      #expect(opened.suiting(.init(source: bell, offset: FrameCount(offset)), exactly: false) == nil)
    }
    #expect(opened.suiting(.init(source: TestLibrary.source("A"), offset: 1_000), exactly: false) == nil)
    // A render needs exactly the same frames.
    #expect(opened.suiting(.init(source: bell, offset: 1_500), exactly: true) == nil)
    #expect(opened.suiting(opened.need, exactly: true) != nil)
  }

  @Test func `in a live session, the next track is open before next is requested`() async {
    let library = library
    let player = AudioPlayerService(
      playing: session, from: library, into: NullSink(pace: .listener), memoryPressure: ""
    ) { _ in }
    async let performance = player.play()
    await until { library.opens("B") == 1 }
    #expect(await player.perform(.next) == .done)
    #expect(library.opens("B") == 1, "next uses the sound that was opened ahead")
    player.finish(fade: 0, reason: .stopped)
    #expect(await performance.reason == .stopped)
  }

  @Test func `in a live session, the track before is open before previous is requested`() async {
    let library = library
    let player = AudioPlayerService(
      playing: session, from: library, into: NullSink(pace: .listener), memoryPressure: ""
    ) { _ in }
    async let performance = player.play()
    #expect(await player.perform(.next) == .done)
    await until { library.opens("A") == 2 }
    #expect(await player.perform(.previous) == .done)
    #expect(library.opens("A") == 2, "previous uses the sound that was opened ahead")
    player.finish(fade: 0, reason: .stopped)
    #expect(await performance.reason == .stopped)
  }

  @Test func `in a live session, the track that peek names is opened ahead, whatever else begins with it`() async {
    let library = library
    var second = Programme.Stage("T", [track("B", 800_000)], for: .frames(800_000))
    second.overlays = [Programme.Overlay("bell", 30_000, at: 0)]
    let session = programme([Programme.Stage("S", [track("A", 800_000)], for: .frames(800_000)), second])
    let player = AudioPlayerService(
      playing: session, from: library, into: NullSink(pace: .listener), memoryPressure: ""
    ) { _ in }
    async let performance = player.play()
    await until { library.opens("B") == 1 }
    #expect(await player.peek()?.title == "B" && library.opens("bell") == 0)
    #expect(await player.perform(.playlist(.append([Self.cue("bell")]))) == .done)
    await until { library.opens("bell") == 1 }
    #expect(await player.peek()?.title == "bell")
    #expect(await player.perform(.next) == .done)
    #expect(library.opens("bell") == 1, "next uses the sound that was opened ahead")
    player.finish(fade: 0, reason: .stopped)
    _ = await performance
  }

  @Test func `after the cache is cleared, the next track and a preloaded gong are opened again`() async {
    let library = library
    let player = AudioPlayerService(
      playing: session, from: library, into: NullSink(pace: .listener), memoryPressure: ""
    ) { _ in }
    async let performance = player.play()
    await until { library.opens("B") == 1 }
    #expect(await player.perform([.effects(.preload([Self.cue("bell")])), .cache(.clear)]) == [.done, .done])
    #expect(await player.perform([.next, .gong(Self.cue("bell"))]) == [.done, .done])
    #expect(library.opens("B") == 2 && library.opens("bell") == 2)
    let cache = await player.queueMetrics()?.cache
    #expect(cache?.clears == 1 && cache?.hits == 0 && cache?.misses == 1)
    player.finish(fade: 0, reason: .stopped)
    _ = await performance
  }

  @Test func `memory pressure releases the sounds that were opened ahead`() async throws {
    let library = library
    let report = FileManager.default.temporaryDirectory.appendingPathComponent("prosper-memory-\(UUID())")
    try Data("some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n".utf8).write(to: report)
    defer { try? FileManager.default.removeItem(at: report) }
    let player = AudioPlayerService(
      playing: session, from: library, into: NullSink(pace: .listener), memoryPressure: report.path
    ) { _ in }
    async let performance = player.play()
    await until { library.opens("B") == 1 }
    try Data("some avg10=25.50 avg60=9.00 avg300=2.00 total=9\nfull avg10=1.00 total=9\n".utf8).write(to: report)
    while await player.queueMetrics()?.cache?.clears != 1 { await Task.yield() }
    #expect(await player.queueMetrics()?.operations.map(\.name) == ["release"])
    #expect(await player.perform(.next) == .done)
    #expect(library.opens("B") == 2)
    player.finish(fade: 0, reason: .stopped)
    _ = await performance
  }

  @Test func `memory is not released again until the last release has ended`() async throws {
    let report = FileManager.default.temporaryDirectory.appendingPathComponent("prosper-memory-\(UUID())")
    try Data("some avg10=25.50 avg60=9.00 avg300=2.00 total=9\n".utf8).write(to: report)
    defer { try? FileManager.default.removeItem(at: report) }
    let begun = Mutex(0)
    let end = Mutex<[CheckedContinuation<Void, Never>]>([])
    let monitor = MemoryPressureMonitor(path: report.path) {
      begun.withLock { $0 += 1 }
      await withCheckedContinuation { continuation in end.withLock { $0.append(continuation) } }
    }
    for now in [0.0, 2, 4] { monitor.check(at: now) }
    await until { end.withLock { $0.count } == 1 }
    #expect(begun.withLock { $0 } == 1)
    end.withLock { $0.removeFirst() }.resume()
    await until {
      monitor.check(at: 6)
      return begun.withLock { $0 } == 2
    }
    await until { end.withLock { $0.count } == 1 }
    end.withLock { $0.removeFirst() }.resume()
  }

  @Test(arguments: [
    ("some avg10=0.00 avg60=3.00 avg300=0.00 total=1008860\nfull avg10=7.00 avg60=0.00", 0.0),
    ("some avg10=12.25 avg60=3.00", 12.25), ("", 0), ("some avg10=much", 0),
  ])
  func `the kernel's report of memory pressure is parsed, and an unreadable one counts as none`(
    _ report: String, _ pressure: Double
  ) {
    #expect(MemoryPressureMonitor.pressure(in: report) == pressure)
  }
}

/// Counts how often each sound is opened.
final class CountingLibrary: SoundLibrary {
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

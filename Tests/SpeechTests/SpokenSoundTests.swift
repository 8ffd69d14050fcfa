import AudioFiles
import Files
import Foundation
import Signal
import Sounds
import Synchronization
import TestSupport
import Testing

@testable import Speech

@Suite struct SpokenSoundTests {
  private static let text = "[pause 1s] Breathe in. [pause 2333ms] Breathe out. And rest.\n\nSit. ~"

  private func frames(
    _ library: SpokenLibrary, _ source: SoundSource, at rate: SampleRate, from offset: Int64 = 0, block: Int = 4_096
  ) throws -> [Frame] {
    let decoder = try library.open(source, at: rate, from: offset)
    var (frames, piece) = ([Frame](), [Frame](repeating: .silence, count: block))
    while true {
      let count = piece.withUnsafeMutableBufferPointer { decoder.read(into: $0) }
      frames += piece[..<count]
      if count < block {
        #expect(decoder.damage == nil)
        return frames
      }
    }
  }

  /// The frames of a file of the cache.
  private func sentence(_ text: String, _ engine: FakeEngine, at rate: SampleRate) throws -> [Frame] {
    let path = try #require(
      try engine.stored().first { String(decoding: $0.value, as: UTF8.self).contains("\0\(text)") }?.key)
    let source = SoundSource(.file(path: engine.scratch.path("cache/" + path)))
    let length = try AudioFileLibrary().probe(source, at: rate).length
    var frames = [Frame](repeating: .silence, count: Int(length))
    let decoder = try AudioFileLibrary().open(source, at: rate, from: 0)
    #expect(frames.withUnsafeMutableBufferPointer { decoder.read(into: $0) } == frames.count)
    return frames
  }

  @Test(arguments: [44_100, 48_000, 22_050, 8_000])
  func `pauses are exact, and sentences have the frames of their files`(hertz: Int) throws {
    let rate = try #require(SampleRate(hertz: hertz))
    let engine = try FakeEngine()
    defer { engine.keep() }
    let library = SpokenLibrary(try engine.sounds())
    let source = SoundSource(.spoken(Spoken(Self.text)))
    let silence = { (seconds: Double) in [Frame](repeating: .silence, count: Int((seconds * Double(hertz)).rounded())) }
    var expected = silence(1) + (try sentence("Breathe in.", engine, of: library, source, at: rate)) + silence(2.333)
    expected += try sentence("Breathe out.", engine, at: rate) + silence(0.6)
    expected += try sentence("And rest.", engine, at: rate) + silence(1.5)
    expected += try sentence("Sit.", engine, at: rate) + silence(2)
    let found = try frames(library, source, at: rate)
    #expect(found == expected)
    #expect(try library.probe(source, at: rate).length == Int64(expected.count))
    // The silence of the engine is gone, so a sentence is as long as its sound.
    #expect(try sentence("Sit.", engine, at: .cd).count == 1_000)
  }

  private func sentence(
    _ text: String, _ engine: FakeEngine, of library: SpokenLibrary, _ source: SoundSource, at rate: SampleRate
  ) throws -> [Frame] {
    _ = try library.probe(source, at: rate)
    return try sentence(text, engine, at: rate)
  }

  @Test func `a sound is the same from any frame and at any block size`() throws {
    let engine = try FakeEngine()
    defer { engine.keep() }
    let library = SpokenLibrary(try engine.sounds())
    let source = SoundSource(.spoken(Spoken(Self.text)))
    for rate in [SampleRate.cd, .studio] {
      let whole = try frames(library, source, at: rate)
      #expect(try frames(library, source, at: rate, block: 37) == whole)
      let edges = try library.probe(source, at: rate).captions.flatMap { [$0.begin, $0.end] }
      let offsets = edges.flatMap { [$0 - 1, $0, $0 + 1, $0 + 333] } + [0, 20_000, Int64(whole.count), .max]
      for offset in offsets {
        let expected = whole.dropFirst(Int(min(offset, Int64(whole.count))))
        #expect(try frames(library, source, at: rate, from: offset, block: 1_000) == Array(expected), "\(offset)")
      }
    }
  }

  @Test func `a part of a text is a cut of the whole`() throws {
    let engine = try FakeEngine()
    defer { engine.keep() }
    let library = SpokenLibrary(try engine.sounds())
    let origin = SoundSource.Origin.spoken(Spoken(Self.text))
    let whole = try frames(library, SoundSource(origin), at: .studio)
    let part = try frames(library, SoundSource(origin, start: 1.01, end: 4), at: .studio)
    #expect(part == Array(whole[48_480..<192_000]))
    #expect(throws: SourceError.self) { try library.probe(SoundSource(origin, start: 1_000), at: .studio) }
  }

  @Test func `the places of sentences are known`() throws {
    let engine = try FakeEngine()
    defer { engine.keep() }
    let facts = try SpokenLibrary(try engine.sounds()).probe(
      SoundSource(.spoken(Spoken("A b. [pause 1s] C."))), at: .cd)
    #expect(facts.captions.map(\.text) == ["A b.", "C."])
    #expect(facts.captions.map { $0.begin..<$0.end } == [0..<1_000, 45_100..<45_700] && facts.length == 45_700)
  }

  @Test func `each sentence is spoken once, and again only with another engine, voice or text`() throws {
    let engine = try FakeEngine()
    defer { engine.keep() }
    let voices = "a: {engine: espeak-ng}\nb: {engine: espeak-ng, speed: 90}"
    try engine.sounds(voices: voices).prepare([Spoken("One. Two. One."), Spoken("Two. ~~ Two.", voice: "a")])
    #expect(engine.calls.map(\.text).sorted() == ["One.\n", "Two.\n"])
    let before = try engine.stored()
    try engine.sounds().prepare([Spoken("One. [pause 1h] Two.", breath: 3)])
    #expect(engine.calls.count == 2)
    #expect(try engine.sounds(voices: voices).problem(of: Spoken("One.", voice: "b")) == nil && engine.calls.count == 3)
    try engine.write("say(text)", version: "1.1")
    #expect(try engine.sounds().problem(of: Spoken("One.")) == nil && engine.calls.count == 4)
    #expect(try engine.stored().filter { before[$0.key] != nil } == before && engine.stored().count == 4)
  }

  @Test func `without its cache, the same text has the same bytes`() throws {
    let engine = try FakeEngine()
    defer { engine.keep() }
    #expect(try engine.sounds().problem(of: Spoken(Self.text)) == nil)
    #expect(try engine.sounds(cache: "other").problem(of: Spoken(Self.text)) == nil)
    #expect(try engine.stored() == engine.stored(in: "other") && engine.stored().count == 4)
  }

  @Test(
    arguments: [
      { (bytes: [UInt8]) in Array(bytes.dropLast()) }, { bytes in Array(bytes.prefix(30)) }, { _ in [] },
      { bytes in bytes + [0] }, { bytes in Array(bytes.prefix(50) + [1] + bytes.dropFirst(51)) },
    ] as [@Sendable ([UInt8]) -> [UInt8]])
  func `a damaged file of the cache is replaced`(damage: @Sendable ([UInt8]) -> [UInt8]) throws {
    let engine = try FakeEngine()
    defer { engine.keep() }
    let spoken = Spoken("Sit.")
    #expect(try engine.sounds().problem(of: spoken) == nil)
    let before = try engine.stored()
    let name = try #require(before.keys.first)
    _ = try engine.scratch.write(damage(before[name] ?? []), to: "cache/" + name)
    #expect(try engine.sounds().problem(of: spoken) == nil)
    #expect(try engine.stored() == before && engine.calls.count == 2)
  }

  @Test func `a file that disappears while a text plays is spoken again`() throws {
    let engine = try FakeEngine()
    defer { engine.keep() }
    let library = SpokenLibrary(try engine.sounds())
    let source = SoundSource(.spoken(Spoken("One. Two.")))
    let whole = try frames(library, source, at: .cd)
    let decoder = try library.open(source, at: .cd, from: 0)
    for name in try engine.stored().keys {
      try FileManager.default.removeItem(atPath: engine.scratch.path("cache/" + name))
    }
    var found = [Frame](repeating: .silence, count: whole.count)
    #expect(found.withUnsafeMutableBufferPointer { decoder.read(into: $0) } == whole.count)
    #expect(found == whole && decoder.damage == nil)
  }

  @Test func `what can't be spoken any more is silent, and reported as damage`() throws {
    let engine = try FakeEngine()
    defer { engine.keep() }
    let library = SpokenLibrary(try engine.sounds())
    let decoder = try library.open(SoundSource(.spoken(Spoken("One. Two. [pause 1s]"))), at: .cd, from: 0)
    try FileManager.default.removeItem(atPath: engine.scratch.path("cache"))
    try engine.write("sys.exit(1)")
    var frames = [Frame](repeating: Frame(left: 1, right: 1), count: 200_000)
    let count = frames.withUnsafeMutableBufferPointer { decoder.read(into: $0) }
    #expect(count == 1_000 + 26_460 + 1_000 + 44_100 && frames[1_001..<count].allSatisfy { $0 == .silence })
    let damage = try #require(decoder.damage)
    #expect(damage.frame == 27_460)
  }

  @Test func `nothing is spoken where nothing may be`() throws {
    let engine = try FakeEngine()
    defer { engine.keep() }
    let silent = try engine.sounds(isSpeaking: false)
    silent.prepare([Spoken("Sit.")])
    #expect(silent.problem(of: Spoken("Sit.")) == .speech(.notRendered(text: "Sit.")) && engine.calls.isEmpty)
    #expect(try engine.sounds().problem(of: Spoken("Sit.")) == nil)
    #expect(try engine.sounds(isSpeaking: false).problem(of: Spoken("Sit.")) == nil)
  }

  @Test func `the progress counts the sentences that are missing`() throws {
    let engine = try FakeEngine()
    defer { engine.keep() }
    let sounds = try engine.sounds()
    let steps = Mutex<[[Int]]>([])
    sounds.prepare([Spoken("One. Two.")])
    sounds.prepare([Spoken("One. Two. Three. Four. Four.")]) { done, all in steps.withLock { $0.append([done, all]) } }
    #expect(steps.withLock { $0.sorted { $0[0] < $1[0] } } == [[0, 2], [1, 2], [2, 2]])
  }

  @Test func `the oldest sentences make room, but none that plays`() throws {
    let engine = try FakeEngine()
    defer { engine.keep() }
    let sounds = try engine.sounds()
    #expect(sounds.problem(of: Spoken("One. Two. Three.")) == nil)
    var cache = SpeechCache(folder: engine.scratch.path("cache"))
    let paths = try engine.stored().keys.sorted().map { engine.scratch.path("cache/" + $0) }
    for (index, path) in paths.enumerated() {
      let date = Date(timeIntervalSince1970: 1_000_000 + Double(index))
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }
    cache.capacity = 1_500
    cache.makeRoom(besides: [paths[0]])
    #expect(try engine.stored().keys.sorted() == [String(paths[0].split(separator: "/").last ?? "")])
  }

  @Test func `positions of earlier versions stay readable, and texts are saved`() throws {
    let old = #"{"origin":{"file":{"path":"/a.wav"}},"start":1}"#
    #expect(
      try JSONDecoder().decode(SoundSource.self, from: Data(old.utf8)) == SoundSource(.file(path: "/a.wav"), start: 1))
    let source = SoundSource(.spoken(Spoken("a\n\nb", voice: "anna", language: "de", breath: 3)), end: 2)
    #expect(try JSONDecoder().decode(SoundSource.self, from: JSONEncoder().encode(source)) == source)
  }
}

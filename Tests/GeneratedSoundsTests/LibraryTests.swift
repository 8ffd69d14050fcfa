import Signal
import Sounds
import Testing

@testable import GeneratedSounds

@Suite struct LibraryTests {
  @Test(arguments: finiteNames) func `a finite sound has exactly the length that was probed`(name: String) throws {
    for hertz in [8_000, 44_100] {
      let facts = try library.probe(source(name), at: rate(hertz))
      #expect(try FrameCount(wholeSound(source(name), at: rate(hertz)).count) == facts.length)
      #expect(facts.channels == 2 && facts.rate == nil && facts.title == name)
    }
  }

  @Test(arguments: endlessNames) func `an endless sound reports an endless length`(name: String) throws {
    #expect(try library.probe(source(name), at: .studio).length == .endless)
  }

  @Test func `struck sounds are about as long as those of real instruments`() throws {
    let expected: [(String, ClosedRange<Double>)] = [
      ("bowl", 20...30), ("gong", 15...25), ("bell", 6...10), ("wood", 0.2...1), ("beep", 0.15...0.15),
    ]
    for (name, range) in expected {
      #expect(range.contains(SampleRate.studio.seconds(try library.probe(source(name), at: .studio).length)), "\(name)")
    }
  }

  @Test func `a part is cut out of the whole sound`() throws {
    var part = source("rain")
    (part.start, part.end) = (1.5, 2)
    #expect(try library.probe(part, at: .studio).length == 24_000)
    #expect(try frames(part, 30_000) == frames(source("rain"), from: 72_000, 24_000))
    #expect(try frames(part, from: 23_990, 100).count == 10)
    #expect(try frames(part, from: .endless, 100).isEmpty)
  }

  @Test func `a part after the end is rejected`() {
    var part = source("beep")
    part.start = 2
    #expect(throws: SourceError.emptyPart(path: "beep", start: 2, length: 0.15)) {
      try library.probe(part, at: .studio)
    }
  }

  @Test func `an unknown generator is reported by its name`() {
    #expect(throws: SourceError.noSuchGenerator(name: "didgeridoo")) {
      try library.open(source("didgeridoo"), at: .studio, from: 0)
    }
  }

  @Test func `files and addresses are rejected`() {
    #expect(throws: SourceError.self) { try library.probe(SoundSource(.file(path: "/bowl")), at: .studio) }
    #expect(throws: SourceError.self) { try library.probe(SoundSource(.remote(address: "http://x/y")), at: .studio) }
  }

  @Test func `a setting outside its range counts as the nearest value within it`() throws {
    let wild = try frames(source("beep", ["pitch": 1e9, "length": .nan]), 7_200)
    #expect(try wild == frames(source("beep", ["pitch": 3_000]), 7_200))
  }

  @Test func `the catalogue names each sound and setting once, with a default value within its range`() {
    #expect(Set(everyName).count == everyName.count)
    for sound in GeneratorDescription.builtIn {
      #expect(Set(sound.settings.map(\.name)).count == sound.settings.count)
      #expect(sound.settings.allSatisfy { $0.range.contains($0.standard) && !$0.summary.isEmpty })
    }
  }
}

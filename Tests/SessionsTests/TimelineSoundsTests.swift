import Dispatch
import Engine
import Signal
import Sounds
import Synchronization
import TestSupport
import Testing

@testable import Markup
@testable import Scripts
@testable import SessionFiles
@testable import Timelines

@Suite struct TimelineSoundsTests {
  /// Each probe waits until another one is in progress, if the machine can run two threads.
  private final class MeetingSounds: SoundLibrary {
    private let arrived = Mutex(0)
    private let both = DispatchSemaphore(value: 0)
    private let missing = Mutex(0)
    /// Probes that met no other one.
    var lonely: Int { missing.withLock { $0 } }
    var probes: Int { arrived.withLock { $0 } }

    func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
      let number = arrived.withLock { count in
        count += 1
        return count
      }
      if number.isMultiple(of: 2) {
        both.signal()
      } else if 1 < Processors.available, both.wait(timeout: .now() + 30) == .timedOut {
        missing.withLock { $0 += 1 }
      }
      return SoundFacts(length: rate.frames(10), rate: rate.hertz, channels: 2)
    }

    func open(_ source: SoundSource, at rate: SampleRate, from offset: FrameCount) throws(SourceError) -> any Decoder {
      throw .missing(path: source.label)
    }
  }

  @Test func `sounds are probed at the same time, and each of them once`() async throws {
    let (lonely, probes) = try await onOwnThread {
      let sounds = MeetingSounds()
      let names = (0..<200).map { "\($0).wav" }
      _ = try Timeline.compile(session([stage("A", .natural, names + names)]), library: sounds)
      return (sounds.lonely, sounds.probes)
    }
    #expect(lonely == 0 && probes == 200)
  }

  /// Like libsndfile, it reports a wrong cause if two sounds fail at the same time.
  private final class ConfusedSounds: SoundLibrary {
    private let open = Atomic<Int>(0)

    func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
      let others = open.add(1, ordering: .relaxed).oldValue
      // Time for another probe to begin.
      for _ in 0..<10_000 where open.load(ordering: .relaxed) == 1 {}
      let isAlone = open.subtract(1, ordering: .relaxed).newValue == 0 && others == 0
      if isAlone { throw .unknownFormat(path: source.label) }
      throw .empty(path: source.label)
    }

    func open(_ source: SoundSource, at rate: SampleRate, from offset: FrameCount) throws(SourceError) -> any Decoder {
      throw .missing(path: source.label)
    }
  }

  @Test func `sounds that fail at the same time are reported with their own causes`() throws {
    let names = (0..<100).map { "\($0).wav" }
    let failure = #expect(throws: TimelineFailure.self) {
      try Timeline.compile(session([stage("A", .natural, names)]), library: ConfusedSounds())
    }
    #expect(failure?.problems.map(\.cause) == names.map { .unknownFormat(path: $0) })
  }

  @Test func `the rate is that of most of the material, but never less than 44100 Hz`() throws {
    func rate(_ sounds: [(hertz: Int?, seconds: Double)]) throws -> Int {
      var library = DeclaredSounds(seconds: [:])
      for (index, sound) in sounds.enumerated() {
        (library.seconds["\(index)"], library.rates["\(index)"]) = (sound.seconds, sound.hertz)
      }
      let names = sounds.indices.map { "\($0)" }
      return try Timeline.compile(session([stage("A", .seconds(600), names)], rate: nil), library: library)
        .timeline.rate.hertz
    }
    #expect(try rate([(8_000, 300), (nil, .infinity)]) == 48_000)
    #expect(try rate([(24_000, 300), (nil, 3)]) == 48_000)
    #expect(try rate([(32_000, 300), (44_099, 300)]) == 48_000)
    #expect(try rate([(8_000, 300), (24_000, 300), (44_100, 1)]) == 44_100)
    #expect(try rate([(44_100, 10), (96_000, 9), (8_000, 99)]) == 44_100)
    #expect(try rate([(44_100, 10), (96_000, 6), (96_000, 5)]) == 96_000)
    #expect(try rate([(44_100, 10), (48_000, 10)]) == 48_000)
    #expect(try rate([]) == 48_000)
  }

  @Test func `problems of sounds are in the order of the file`() throws {
    let names = (0..<50).map { "\($0).wav" }
    let failure = #expect(throws: TimelineFailure.self) {
      try Timeline.compile(session([stage("A", .natural, names)]), library: DeclaredSounds(seconds: ["7.wav": 3]))
    }
    let missing = failure?.problems.map { $0.cause }
    #expect(missing == names.filter { $0 != "7.wav" }.map { .missing(path: $0) })
  }
}

import Signal
import Sounds
import Synchronization
import Testing

@testable import ProsperKit

/// The parts of one sound, which `prosper check` decodes to find damage and silence.
@Suite struct PartSurveyTests {
  private func part(_ start: Double, _ end: Double?) -> SoundSource {
    SoundSource(.file(path: "/a"), start: start, end: end)
  }

  private func survey(_ parts: [SoundSource], in library: BrokenSound) -> [SoundSource: String] {
    let played = parts.map { (source: $0, seconds: ($0.end ?? BrokenSound.seconds) - $0.start) }
    return PartSurvey(of: played, in: library).findings.mapValues { finding in
      switch finding {
      case .silent: "silent"
      case .damaged(let error): "\(error)"
      }
    }
  }

  @Test func `each part is judged as if it was decoded alone, and what they share is decoded once`() throws {
    let parts = (0..<98).map { part(Double($0), Double($0) + 2) }
    let (library, alone) = (BrokenSound(), BrokenSound())
    let found = survey(parts, in: library)
    let expected = parts.reduce(into: [:]) { all, one in all.merge(survey([one], in: alone)) { $1 } }
    #expect(found == expected)
    let silent = Set(found.filter { $0.value == "silent" }.map(\.key.start))
    #expect(silent == Set((20...28).map(Double.init)))
    #expect(Set(found.keys.map(\.start)).subtracting(silent) == [59, 60])
    // 99 seconds, and what follows the damage again from the next part on.
    #expect(library.decoded <= 100 * 8_000 && 190 * 8_000 <= alone.decoded)
  }

  @Test func `parts that do not overlap are decoded alone`() {
    let library = BrokenSound()
    #expect(survey([part(0, 1), part(20, 21), part(90, nil)], in: library) == [part(20, 21): "silent"])
    #expect(library.decoded == 12 * 8_000)
  }

  @Test func `a part that can't be opened does not hide the others`() {
    let found = survey([part(50, 70), part(55, 62), part(58, 59), part(61, 63)], in: BrokenSound(missing: 50))
    #expect(found[part(50, 70)] == "\(SourceError.missing(path: "/a"))")
    #expect(found[part(55, 62)]?.contains("broken") == true && found[part(58, 59)] == nil && found[part(61, 63)] == nil)
  }
}

/// A sound of 100 seconds at 8,000 Hz: silent from second 20 to 30, and broken at second 60.
private struct BrokenSound: SoundLibrary {
  static let seconds = 100.0

  final class Counter: Sendable {
    let frames = Mutex(0)
  }

  /// The start, in seconds, of the parts that can't be opened.
  var missing: Double?
  private let counter = Counter()

  init(missing: Double? = nil) { self.missing = missing }

  var decoded: Int { counter.frames.withLock { $0 } }

  func probe(_ source: SoundSource, at rate: SampleRate) throws(SourceError) -> SoundFacts {
    if source.start == missing { throw .missing(path: "/a") }
    return SoundFacts(length: rate.frames((source.end ?? Self.seconds) - source.start), rate: 8_000, channels: 1)
  }

  func open(_ source: SoundSource, at rate: SampleRate, from offset: FrameCount) throws(SourceError) -> any Decoder {
    Part(rate.frames(source.start) + offset, rate.frames(source.end ?? Self.seconds), counter)
  }

  private final class Part: Decoder {
    private let start, end: FrameTime
    private let counter: Counter
    private let position: Mutex<FrameTime>

    init(_ start: FrameTime, _ end: FrameTime, _ counter: Counter) {
      (self.start, self.end, self.counter) = (start, end, counter)
      position = Mutex(start)
    }

    private var broken: FrameTime { start <= 480_000 ? min(end, 480_000) : end }

    func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int {
      position.withLock { position in
        let count = max(0, min(frames.count, Int(broken - position)))
        for index in 0..<count {
          let isSilent = 160_000..<240_000 ~= position + FrameTime(index)
          frames[index] = isSilent ? .silence : Frame(left: 0.5, right: 0.5)
        }
        position += FrameTime(count)
        counter.frames.withLock { $0 += count }
        return count
      }
    }

    var damage: SoundDamage? {
      guard broken < end, position.withLock({ broken <= $0 }) else { return nil }
      return SoundDamage(.damaged(path: "/a", atSecond: 60, cause: "it is broken"), atFrame: broken - start)
    }
  }
}

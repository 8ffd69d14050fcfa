import Rings
import Signal
import Testing

@testable import Engine

/// A voice whose feed is late: what a listener hears, and what is reported.
@Suite struct GapTests {
  /// A level that identifies the frame, from 0.25 to 0.5 and back without a step.
  private static func sample(_ frame: Int) -> Float {
    let phase = frame % 2_000
    return 0.25 + Float(phase < 1_000 ? phase : 2_000 - phase) / 4_000
  }

  private final class Ramp: Decoder, Sendable {
    private let position = Position()

    func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int {
      let first = position.advance(by: frames.count)
      for index in frames.indices { frames[index] = Frame(mono: GapTests.sample(first + index)) }
      return frames.count
    }
  }

  private struct Bench: ~Copyable {
    let mixer: Mixer
    let feed: VoiceFeed
    var reports: RingReader<RenderReport>
    var commands: RingWriter<RenderCommand>
    let part: VoiceStart

    /// One voice at half its level, whose feed has delivered 8,192 frames.
    init(length: FrameCount = 400_000) throws {
      let commands = Ring<RenderCommand>(capacity: 16)
      let reports = Ring<RenderReport>(capacity: 64)
      let ring = Ring<Frame>(capacity: 131_072, holding: 65_536)
      let voices = UnsafeMutablePointer<Voice>.allocate(capacity: 1)
      voices.initialize(to: Voice(ring: ring.reader))
      feed = VoiceFeed(writer: ring.writer)
      mixer = Mixer(
        from: 0, commands: commands.reader, reports: reports.writer, agendaCapacity: 16, voices: voices, voiceCount: 1,
        patience: 24_000)
      self.reports = reports.reader
      self.commands = commands.writer
      part = VoiceStart(
        voice: 0, ordinal: 1, bus: .music, begin: 0, length: length, isUnderWay: false, gain: 0.5, fadeIn: .unity,
        fadeOut: .unity, leave: .unity, ramp: .unity)
      feed.begin(try PrimedSound(Ramp(), priming: 8_192))
      _ = self.commands.push(RenderCommand(at: 0, action: .start(part)))
    }

    func render(_ count: Int) -> [Float] {
      var frames = [Frame](repeating: .silence, count: count)
      frames.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { mixer.render(into: base, count: count) } }
      return frames.map(\.left)
    }

    mutating func reported() -> [RenderReport] {
      var reported: [RenderReport] = []
      while let report = reports.pop() { reported.append(report) }
      return reported
    }
  }

  private func planned(_ range: Range<Int>) -> [Float] { range.map { 0.5 * Self.sample($0) } }

  private func largestStep(_ sound: [Float]) -> Float {
    zip(sound, sound.dropFirst()).map { abs($1 - $0) }.max() ?? 0
  }

  @Test func `a voice that starves fades out and in without a click, and keeps its position`() throws {
    var bench = try Bench()
    let before = bench.render(8_000)
    let gap = bench.render(1_192) + bench.render(808)
    _ = bench.feed.fill {}
    let after = bench.render(2_000)
    #expect(before + gap[..<192] == planned(0..<8_192))
    #expect(gap[(192 + Gap.fade)...].allSatisfy { $0 == 0 } && gap[192 + Gap.fade / 2] != 0)
    #expect(after[(Gap.fade - 1)...].elementsEqual(planned(10_000..<12_000)[(Gap.fade - 1)...]))
    #expect(largestStep(before + gap + after) < 0.002)
    let reported = bench.reported()
    #expect(reported.count == 2)
    guard case .starved(0, 10_000, 1_808)? = reported.last else { return #expect(Bool(false), "\(reported)") }
  }

  @Test func `a gap that ends during the fade has no step either`() throws {
    let bench = try Bench()
    let sound = bench.render(8_292)
    _ = bench.feed.fill {}
    let after = bench.render(1_708)
    #expect(largestStep(sound + after) < 0.002)
    #expect(after[Gap.fade...].elementsEqual(planned(8_292 + Gap.fade..<10_000)))
  }

  @Test func `the mixer waits for a voice that is not late yet, but not for one that is late already`() throws {
    let bench = try Bench()
    _ = bench.render(8_000)
    #expect(bench.mixer.holds(192) && !bench.mixer.holds(193))
    _ = bench.render(193)
    #expect(bench.mixer.holds(2_048) && !bench.mixer.hasCaughtUp(0))
    _ = bench.feed.fill {}
    #expect(bench.mixer.hasCaughtUp(2_048) && !bench.mixer.hasCaughtUp(131_072))
    _ = bench.render(1)
    #expect(bench.mixer.holds(2_048) && !bench.mixer.holds(131_072))
  }

  @Test func `a voice that stays away is reported once, and again with the length of its gap when it ends`() throws {
    var bench = try Bench(length: 100_000)
    for _ in 0..<60 { _ = bench.render(2_000) }
    let reported = bench.reported()
    guard reported.count == 4, case .stalled(0, let stalled) = reported[1], case .starved(0, _, 91_808) = reported[2],
      case .ended(0, 100_000, 0) = reported[3]
    else { return #expect(Bool(false), "\(reported)") }
    #expect(abs(8_192 + 24_000 - stalled) <= 1_024)
  }

  @Test func `a command that arrives after its frame is executed at once and reported with its voice`() throws {
    // The voice is already free when the command arrives.
    var bench = try Bench(length: 400)
    _ = bench.render(500)
    var part = bench.part
    part.begin = 100
    _ = bench.commands.push(RenderCommand(at: 100, action: .start(part)))
    _ = bench.commands.push(RenderCommand(at: 200, action: .master(.unity)))
    _ = bench.render(1)
    let reported = bench.reported()
    guard reported.count == 5, case .ended(0, 400, 0) = reported[1], case .late(.some(0), 100, 400) = reported[2],
      case .late(nil, 200, 300) = reported[4]
    else { return #expect(Bool(false), "\(reported)") }
  }

  @Test func `after a rewind, sound that has arrived meanwhile is heard at its position`() throws {
    var bench = try Bench()
    _ = bench.render(12_000)
    _ = bench.feed.fill {}
    bench.mixer.rewind(to: 4_000)
    var part = bench.part
    part.isUnderWay = true
    _ = bench.commands.push(RenderCommand(at: 4_000, action: .start(part)))
    #expect(bench.render(8_000) == planned(4_000..<12_000))
  }

  /// Sound that was written earlier continues until it is overwritten: it has been heard up to the second frame.
  @Test func `after two rewinds and one render, a voice continues from the second frame without a gap`() throws {
    var bench = try Bench()
    _ = bench.feed.fill {}
    _ = bench.render(12_000)
    bench.mixer.rewind(to: 4_000)
    bench.mixer.rewind(to: 5_000)
    var part = bench.part
    part.isUnderWay = true
    _ = bench.commands.push(RenderCommand(at: 5_000, action: .start(part)))
    #expect(bench.render(9_000) == planned(5_000..<14_000))
    let reported = bench.reported()
    guard reported.count == 1, case .started(0, 0) = reported[0] else { return #expect(Bool(false), "\(reported)") }
  }
}

import Synchronization

/// Counts the frames that have been read.
private final class Position: Sendable {
  private let frames = Atomic<Int>(0)
  func advance(by count: Int) -> Int { frames.add(count, ordering: .relaxed).oldValue }
}

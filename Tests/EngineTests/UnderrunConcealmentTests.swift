import Rings
import Signal
import Testing

@testable import Engine
import Sounds

/// A voice whose feed is late: what is heard, and what is reported.
@Suite struct UnderrunConcealmentTests {
  /// A level from which the frame can be identified. It moves from 0.25 to 0.5 and back in small steps.
  private static func sample(_ frame: Int) -> Float {
    let phase = frame % 2_000
    return 0.25 + Float(phase < 1_000 ? phase : 2_000 - phase) / 4_000
  }

  private final class Ramp: Decoder, Sendable {
    private let position = ReadPosition()

    func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int {
      let first = position.advance(by: frames.count)
      for index in frames.indices { frames[index] = Frame(mono: UnderrunConcealmentTests.sample(first + index)) }
      return frames.count
    }
  }

  private struct Fixture: ~Copyable {
    let mixer: Mixer
    let feed: HandFeed
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
      feed = HandFeed(ring.writer, holding: 65_536)
      mixer = Mixer(
        from: 0, commands: commands.reader, reports: reports.writer, agendaCapacity: 16, voices: voices, voiceCount: 1,
        stallLimit: 24_000)
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

  /// The slot has played another sound before. The second sound should have started 2,000 frames ago.
  @Test(arguments: [true, false])
  func `a late sound whose start was undone or dropped by a rewind begins after the rewind`(isUndone: Bool) throws {
    var fixture = try Fixture(length: 2_000)
    _ = fixture.render(3_000)
    #expect(fixture.feed.end())
    fixture.feed.begin(try PrimedSound(Ramp(), priming: 8_192))
    var part = VoiceStart(
      voice: 0, ordinal: 2, bus: .music, begin: 1_000, length: 50_000, gain: 0.5, fadeIn: .unity, fadeOut: .unity,
      leave: .unity)
    _ = fixture.commands.push(RenderCommand(at: 1_000, action: .start(part)))
    if isUndone { #expect(fixture.render(1_000) == planned(0..<1_000)) }
    fixture.mixer.rewind(to: 2_500)
    _ = fixture.reported()
    part.isUnderWay = true
    _ = fixture.commands.push(RenderCommand(at: 2_500, action: .start(part)))
    #expect(fixture.render(1_000) == planned(0..<1_000))
    guard case .started(0, 2_500)? = fixture.reported().first else {
      Issue.record("the start is not reported")
      return
    }
  }

  @Test func `a voice fades out and in at an underrun without a click, and keeps its position`() throws {
    var fixture = try Fixture()
    let before = fixture.render(8_000)
    let gap = fixture.render(1_192) + fixture.render(808)
    fixture.feed.fill()
    let after = fixture.render(2_000)
    #expect(before + gap[..<192] == planned(0..<8_192))
    #expect(
      gap[(192 + UnderrunConcealment.fadeLength)...].allSatisfy { $0 == 0 }
        && gap[192 + UnderrunConcealment.fadeLength / 2] != 0)
    #expect(
      after[(UnderrunConcealment.fadeLength - 1)...].elementsEqual(
        planned(10_000..<12_000)[(UnderrunConcealment.fadeLength - 1)...]))
    #expect(largestStep(before + gap + after) < 0.002)
    let reported = fixture.reported()
    #expect(reported.count == 2)
    guard case .starved(0, 10_000, 1_808)? = reported.last else { return #expect(Bool(false), "\(reported)") }
  }

  @Test func `a gap that ends during its fade-out has no click either`() throws {
    let fixture = try Fixture()
    let sound = fixture.render(8_292)
    fixture.feed.fill()
    let after = fixture.render(1_708)
    #expect(largestStep(sound + after) < 0.002)
    #expect(
      after[UnderrunConcealment.fadeLength...].elementsEqual(planned(8_292 + UnderrunConcealment.fadeLength..<10_000)))
  }

  @Test func `the mixer waits for a voice that is not late yet, but not for one that is already late`() throws {
    let fixture = try Fixture()
    _ = fixture.render(8_000)
    #expect(fixture.mixer.hasBuffered(192) && !fixture.mixer.hasBuffered(193))
    _ = fixture.render(193)
    #expect(fixture.mixer.hasBuffered(2_048) && !fixture.mixer.hasCaughtUp(0))
    fixture.feed.fill()
    #expect(fixture.mixer.hasCaughtUp(2_048) && !fixture.mixer.hasCaughtUp(131_072))
    _ = fixture.render(1)
    #expect(fixture.mixer.hasBuffered(2_048) && !fixture.mixer.hasBuffered(131_072))
  }

  @Test func `a stalled voice is reported once, and again with the length of its gap when the voice ends`() throws {
    var fixture = try Fixture(length: 100_000)
    for _ in 0..<60 { _ = fixture.render(2_000) }
    let reported = fixture.reported()
    guard reported.count == 4, case .stalled(0, let stalled) = reported[1], case .starved(0, _, 91_808) = reported[2],
      case .ended(0, 100_000, 0) = reported[3]
    else { return #expect(Bool(false), "\(reported)") }
    #expect(abs(8_192 + 24_000 - stalled) <= 1_024)
  }

  @Test func `a command that arrives after its frame is executed at once and reported with its voice`() throws {
    // The voice has already ended when the command arrives.
    var fixture = try Fixture(length: 400)
    _ = fixture.render(500)
    var part = fixture.part
    part.begin = 100
    _ = fixture.commands.push(RenderCommand(at: 100, action: .start(part)))
    _ = fixture.commands.push(RenderCommand(at: 200, action: .master(.unity)))
    _ = fixture.render(1)
    let reported = fixture.reported()
    guard reported.count == 5, case .ended(0, 400, 0) = reported[1], case .late(.some(0), 100, 400) = reported[2],
      case .late(nil, 200, 300) = reported[4]
    else { return #expect(Bool(false), "\(reported)") }
  }

  @Test func `after a rewind, frames that have been decoded meanwhile are heard at their position`() throws {
    var fixture = try Fixture()
    _ = fixture.render(12_000)
    fixture.feed.fill()
    fixture.mixer.rewind(to: 4_000)
    var part = fixture.part
    part.isUnderWay = true
    _ = fixture.commands.push(RenderCommand(at: 4_000, action: .start(part)))
    #expect(fixture.render(8_000) == planned(4_000..<12_000))
  }

  /// Frames that were written before a rewind are heard until others overwrite them, so a second rewind may lead to a
  /// later frame than the first one.
  @Test func `after two rewinds and one render, a voice continues from the second frame without a gap`() throws {
    var fixture = try Fixture()
    fixture.feed.fill()
    _ = fixture.render(12_000)
    fixture.mixer.rewind(to: 4_000)
    fixture.mixer.rewind(to: 5_000)
    var part = fixture.part
    part.isUnderWay = true
    _ = fixture.commands.push(RenderCommand(at: 5_000, action: .start(part)))
    #expect(fixture.render(9_000) == planned(5_000..<14_000))
    let reported = fixture.reported()
    guard reported.count == 1, case .started(0, 0) = reported[0] else { return #expect(Bool(false), "\(reported)") }
  }
}

import Synchronization

/// Counts the frames that have been read.
private final class ReadPosition: Sendable {
  private let frames = Atomic<Int>(0)
  func advance(by count: Int) -> Int { frames.add(count, ordering: .relaxed).oldValue }
}

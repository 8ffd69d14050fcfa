import CAllocationProbe
@testable import Engine
import Rings
import Signal
import Sounds
import Testing

/// The render half of the engine alone. The test sends commands and decodes on the same thread.
@Suite struct RenderThreadTests {
  private final class Constant: Decoder {
    func read(into frames: UnsafeMutableBufferPointer<Frame>) -> Int {
      for index in frames.indices { frames[index] = Frame(mono: 1) }
      return frames.count
    }
  }

  /// A minute of crossfades, ducking, changes of the master volume, and sums above full scale for the limiter.
  @Test func `rendering a session allocates no memory`() throws {
    let rate = SampleRate.studio
    var fixture = Self.makeFixture(voices: 8)
    var limiter = Limiter(rate: rate)
    let block = UnsafeMutablePointer<Frame>.allocate(capacity: 2_048)
    defer { block.deallocate() }
    var calls = 0
    var peak: Float = 0
    for second in 0..<60 as Range<FrameTime> {
      try Self.command(&fixture.commands, fixture.feeds, second: second, at: second * 48_000)
      for _ in 0..<24 {
        for feed in fixture.feeds { feed.fill() }
        allocation_probe_arm()
        fixture.mixer.render(into: block, count: 2_000)
        limiter.process(block, count: 2_000)
        calls += allocation_probe_disarm()
        for index in 0..<2_000 { peak = max(peak, block[index].peak) }
      }
    }
    #expect(calls == 0)
    #expect(0.99 < peak && peak <= 1, "sound must be rendered and limited")
  }

  @Test func `the allocation probe counts allocations`() {
    allocation_probe_arm()
    let memory = UnsafeMutablePointer<Int>.allocate(capacity: 100)
    memory.deallocate()
    let calls = allocation_probe_disarm()
    #expect(calls == (allocation_probe_counts() ? 2 : 0))
  }

  private static func command(
    _ writer: inout RingWriter<RenderCommand>, _ feeds: [HandFeed], second: FrameTime, at frame: FrameTime
  ) throws {
    let voice = Int(second % 4)
    if second >= 4 { _ = feeds[voice].end() }
    feeds[voice].begin(try PrimedSound(Constant()))
    let part = VoiceStart(
      voice: Int32(voice), ordinal: UInt128(second), bus: .music, begin: frame, length: 96_000, gain: 0.9,
      fadeIn: .rising(at: frame, over: 48_000, .equalPower),
      fadeOut: .falling(at: frame + 48_000, over: 48_000, .equalPower),
      leave: .unity)
    let duck = Fade(from: 1, to: second % 2 == 0 ? 0.5 : 1, start: frame, length: 9_600, curve: .sCurve)
    let master = Fade(from: 1, to: second % 3 == 0 ? 1 : 0.8, start: frame + 5, length: 960, curve: .linear)
    _ = writer.push(RenderCommand(at: frame, action: .start(part)))
    _ = writer.push(RenderCommand(at: frame, action: .duck(owner: 7, duck)))
    _ = writer.push(RenderCommand(at: frame + 5, action: .master(master)))
  }

  private struct Fixture: ~Copyable {
    var commands: RingWriter<RenderCommand>
    let mixer: Mixer
    let feeds: [HandFeed]
  }

  private static func makeFixture(voices count: Int) -> Fixture {
    let commands = Ring<RenderCommand>(capacity: 64)
    let reports = Ring<RenderReport>(capacity: 1_024)
    let voices = UnsafeMutablePointer<Voice>.allocate(capacity: count)
    var feeds: [HandFeed] = []
    for index in 0..<count {
      let ring = Ring<Frame>(capacity: 16_384)
      (voices + index).initialize(to: Voice(ring: ring.reader))
      feeds.append(HandFeed(ring.writer))
    }
    let mixer = Mixer(
      from: 0, commands: commands.reader, reports: reports.writer, agendaCapacity: 64, voices: voices,
      voiceCount: count,
      stallLimit: 24_000)
    return Fixture(commands: commands.writer, mixer: mixer, feeds: feeds)
  }
}

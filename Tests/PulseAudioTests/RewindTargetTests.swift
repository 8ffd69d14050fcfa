@testable import PulseAudio
import Engine
import Signal
import Testing

/// All positions are frames at 48 kHz: 1 ms is 48 frames.
struct RewindTargetTests {
  /// The server reads frame 48,000 next, and the device holds `left` seconds.
  private func reading(
    _ left: Double, at read: FrameTime = 48_000, period: Double = 0.02, isPlaying: Bool = true, waited: Double = 0.001
  ) -> RewindTarget.Reading {
    .init(read: read, left: left, period: period, isPlaying: isPlaying, waited: waited, tolerance: 0.002)
  }

  @Test func `a corked stream is replaced from the frame that the server reads next`() {
    var target = RewindTarget(at: .studio, after: 0.003)
    #expect(target.next(reading(0.4), isCorked: true, in: .rewindable, .confirmed) == .frame(48_000))
  }

  @Test func `a stream that does not play is replaced a millisecond later`() {
    var target = RewindTarget(at: .studio, after: 0.003)
    let step = target.next(reading(0.4, isPlaying: false), isCorked: false, in: .rewindable, .confirmed)
    #expect(step == .frame(48_048))
  }

  /// 400 ms are not heard. 1 ms passed before the answer and 3 ms will pass; 3 ms can't be replaced, and 1 ms is added.
  @Test(arguments: [PulseBuffer.rewindable, .grown])
  func `a device that rewinds is replaced up to what plays meanwhile`(buffer: PulseBuffer) {
    var target = RewindTarget(at: .studio, after: 0.003)
    let step = target.next(reading(0.4), isCorked: false, in: buffer, .confirmed)
    #expect(step == .frame(48_000 - 48 * (400 - 1 - 3 - 3) + 48))
  }

  @Test func `a message that would arrive after the device's refill waits for it once`() {
    var target = RewindTarget(at: .studio, after: 0.003)
    #expect(target.next(reading(0.004), isCorked: false, in: .rewindable, .confirmed) == .wait(seconds: 0.004 + 0.0005))
    let step = target.next(reading(0.5, at: 72_000), isCorked: false, in: .rewindable, .confirmed)
    #expect(step == .frame(72_000 - 48 * (500 - 1 - 3 - 3) + 48))
  }

  @Test func `an unknown device is probed once, and then treated as the probe has found`() {
    for (support, buffer) in [(DeviceWatch.RewindSupport.confirmed, PulseBuffer.rewindable), (.absent, .fixed)] {
      var target = RewindTarget(at: .studio, after: 0.003)
      let first = reading(0.4)
      #expect(target.next(first, isCorked: false, in: .rewindable, .unknown) == .probe(first))
      let step = target.next(first, isCorked: false, in: buffer, support)
      // A device that holds more than it reads at once reads at an unknown time: perhaps 20 ms already.
      let frame: FrameTime = support == .confirmed ? 48_000 - 48 * 393 + 48 : 48_000 + 48 * (1 + 20)
      #expect(step == .frame(frame))
    }
  }

  @Test func `a device whose probe was impossible is not probed again, and not rewound`() {
    var target = RewindTarget(at: .studio, after: 0.003)
    let first = reading(0.4)
    #expect(target.next(first, isCorked: false, in: .rewindable, .unknown) == .probe(first))
    #expect(target.next(first, isCorked: false, in: .rewindable, .unknown) == .frame(48_048))
  }

  @Test func `a device that holds less than 25 ms is not rewound`() {
    var target = RewindTarget(at: .studio, after: 0.003)
    #expect(target.next(reading(0.025), isCorked: false, in: .rewindable, .confirmed) == .frame(48_048))
  }

  @Test func `a device that reads periods is replaced after the read that a message would miss`() {
    var target = RewindTarget(at: .studio, after: 0.003)
    #expect(target.next(reading(0.015), isCorked: false, in: .fixed, .absent) == .frame(48_048))
    target = RewindTarget(at: .studio, after: 0.003)
    let step = target.next(reading(0.005), isCorked: false, in: .fixed, .absent)
    #expect(step == .wait(seconds: 0.0075))
    // The awaited read had 10 ms, although up to 20 ms were announced; the next one is due in 9 ms.
    let next = target.next(reading(0.009, at: 48_480), isCorked: false, in: .fixed, .absent)
    #expect(next == .frame(48_528))
  }

  @Test func `a read that is late is expected to take whole periods`() {
    var target = RewindTarget(at: .studio, after: 0.003)
    #expect(target.next(reading(0.005), isCorked: false, in: .fixed, .absent) == .wait(seconds: 0.0075))
    // The answer took 25 ms: the device has read two more periods of 10 ms by the time a message arrives.
    let late = reading(0.009, at: 48_480, waited: 0.025)
    let step = target.next(late, isCorked: false, in: .fixed, .absent)
    #expect(step == .frame(48_480 + 48 + 48 * 20))
  }

  @Test func `a message that is later than planned replaces what follows the reads that it has missed`() {
    var target = RewindTarget(at: .studio, after: 0.003)
    #expect(target.next(reading(0.015), isCorked: false, in: .fixed, .absent) == .frame(48_048))
    // With the millisecond before the answer, the device reads up to 20 ms after 14 ms, and as much as it plays later.
    #expect([0, 0.013, 0.015, 0.035].map { target.first(after: $0) } == [48_048, 48_048, 49_056, 50_016])
    target = RewindTarget(at: .studio, after: 0.003)
    _ = target.next(reading(0.005), isCorked: false, in: .fixed, .absent)
    _ = target.next(reading(0.009, at: 48_480), isCorked: false, in: .fixed, .absent)
    // It has been seen to read 10 ms at once.
    #expect([0.007, 0.009, 0.019].map { target.first(after: $0) } == [48_528, 49_008, 49_488])
    // A device that rewinds plays on. It may take 2 ms more than planned.
    target = RewindTarget(at: .studio, after: 0.003)
    _ = target.next(reading(0.4), isCorked: false, in: .rewindable, .confirmed)
    let planned: FrameTime = 48_000 - 48 * (400 - 1 - 3 - 3) + 48
    #expect([0, 0.005, 0.015].map { target.first(after: $0) } == [planned, planned, planned + 480])
    target = RewindTarget(at: .studio, after: 0.003)
    _ = target.next(reading(0.4), isCorked: true, in: .rewindable, .confirmed)
    #expect(target.first(after: 1) == 48_000)
  }

  @Test func `a probe sends the first half of what the device holds, if the stream holds enough to play on`() {
    var replay = Replay(seconds: 4, at: .studio)
    Array(repeating: Frame.silence, count: 96_000).withUnsafeBufferPointer { replay.append($0) }
    func probe(_ reading: RewindTarget.Reading, until end: FrameTime = 96_000) -> Range<FrameTime>? {
      RewindTarget.probe(of: replay, until: end, reading, in: .rewindable, at: .studio, after: 0.003)
    }
    let first: FrameTime = 48_000 - 48 * 393 + 48
    #expect(probe(reading(0.4)) == first..<first + (48_000 - first) / 2)
    #expect(probe(reading(0.04)) == nil)
    #expect(probe(reading(0.4, isPlaying: false)) == nil)
    #expect(probe(reading(0.4), until: 60_000) == nil)
  }
}

struct UnderrunsTests {
  @Test func `an underrun counts only if its frame is still missing when it is due`() {
    let underruns = Underruns()
    underruns.reported(480, due: 1_000)
    #expect(underruns.count(now: 1_000) == 0)
    underruns.sent(to: 481, now: 999)
    #expect(!underruns.isReported)
    underruns.reported(480, due: 1_000)
    underruns.sent(to: 480, now: 999)
    underruns.sent(to: 481, now: 1_000)
    #expect(underruns.count(now: 1_001) == 1)
    #expect(underruns.ended(now: 501_000) == 0.5)
    #expect(underruns.count(now: 501_000) == 1)
    underruns.reported(960, due: 502_000)
    #expect(underruns.ended(now: 502_000) == nil)
    underruns.reported(960, due: 502_000)
    underruns.forget()
    #expect(underruns.count(now: 600_000) == 1)
  }
}

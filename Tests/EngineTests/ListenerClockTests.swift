import Signal
import Synchronization
import TestSupport
import Testing

@testable import Engine

/// The clock of outputs that have none of their own, at times that the test chooses.
@Suite struct ListenerClockTests {
  private let rate = SampleRate(hertz: 8_000) ?? .studio
  private let start = SuspendingClock().now

  /// A clock with half a second of sound buffered at most, and a quarter of a second at least.
  private func playing() -> ListenerClock {
    var clock = ListenerClock(rate: rate, ahead: 0.5, refill: 0.25)
    #expect(clock.wrote(4_000, at: start) == 0)
    return clock
  }

  @Test func `a block that arrives while sound is still buffered is in time`() {
    var clock = playing()
    let hiccup = start + .milliseconds(499)
    #expect(clock.due(800, at: hiccup) == nil && clock.wrote(800, at: hiccup) == 0)
    // The delay was shorter than the buffered sound, so nothing was missing.
    #expect(clock.heard(at: start + .milliseconds(550)) == 4_400)
    #expect(clock.wrote(800, at: start + .milliseconds(600)) == 0)
  }

  @Test func `after a delay of three seconds, sound continues at its next frame and in real time`() {
    var clock = playing()
    let back = start + .seconds(3)
    #expect(clock.heard(at: back) == 4_000)
    #expect(clock.due(800, at: back) == nil)
    #expect(clock.wrote(800, at: back) == 2.5)
    #expect(clock.heard(at: back) == 4_000 && clock.heard(at: back + .milliseconds(50)) == 4_400)
    // No more than half a second is written at once.
    var burst: FrameCount = 800
    while clock.due(800, at: back) == nil {
      #expect(clock.wrote(800, at: back) == 0)
      burst += 800
    }
    #expect(burst == 4_000)
    // The next block is due when a quarter of a second is left.
    #expect(clock.due(800, at: back) == back + .milliseconds(250))
  }

  @Test func `a block longer than the buffered sound is accepted before the buffer is empty`() {
    var clock = playing()
    #expect(clock.due(4_096, at: start) == start + .milliseconds(250))
    #expect(clock.due(4_096, at: start + .milliseconds(250)) == nil)
    #expect(clock.wrote(4_096, at: start + .milliseconds(251)) == 0)
    #expect(clock.due(800, at: start + .milliseconds(251)) == start + .milliseconds(250 + 512))
  }

  @Test func `a gap of one frame is reported`() {
    var clock = playing()
    #expect(clock.wrote(800, at: start + .milliseconds(500)) == 0)
    #expect(clock.wrote(800, at: start + .milliseconds(600) + .microseconds(125)) == 0.000125)
  }

  @Test func `sound that is cut off continues until it is overwritten`() {
    var clock = playing()
    clock.cut(at: clock.heard(at: start + .milliseconds(100)) + clock.near)
    #expect(clock.written == 840)
    // 295 ms after the cut, and 100 ms before the end of the old sound.
    #expect(clock.wrote(80, at: start + .milliseconds(400)) == 0)
    // After that write, the old sound lasted 100 ms and the new sound 10 ms.
    #expect(clock.wrote(80, at: start + .milliseconds(700)) == 0.2)
  }

  @Test func `a null output reports a gap in real time, and none in a render`() async throws {
    let reported = Mutex<[OutputEvent]>([])
    try await onOwnThread {
      try Self.stop(NullSink(pace: .listener) { event in reported.withLock { $0.append(event) } })
    }
    let events = reported.withLock { $0 }
    guard events.count == 1, case .starved(let seconds) = events[0] else { return #expect(Bool(false), "\(events)") }
    #expect(0.099 < seconds)
    try await onOwnThread {
      try Self.stop(NullSink(pace: .players) { event in reported.withLock { $0.append(event) } })
    }
    #expect(reported.withLock { $0.count } == 1)
  }

  /// Writes a tenth of a second of sound, and again after another tenth has passed.
  private static func stop(_ sink: NullSink) throws {
    try sink.start(at: SampleRate(hertz: 8_000) ?? .studio)
    let tenth = Array(repeating: Frame.silence, count: 800)
    try write(tenth, to: sink)
    letPass(seconds: 0.2)
    try write([], to: sink)
    try write(tenth, to: sink)
  }
}

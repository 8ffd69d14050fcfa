import Engine
import PulseAudio
import Signal
import Sounds
import TestSupport
import Testing

@Suite(.serialized) struct RewindTests {
  let old = noise(120_000)
  let new = noise(12_000, seed: 2)
  let newest = noise(4_800, seed: 3)

  /// The new sound is shorter than the old one, whose end must not be heard.
  @Test(arguments: 0..<10)
  func `new sound replaces old sound at the exact position of a rewind`(moment: Int) async throws {
    try await inTime {
      let rewinds = moment % 3 == 2
      let (sink, capture) = try playing(self.old, until: 15_000 + 331 * moment, rewinds: rewinds)
      spin(microseconds: 1_100 * moment)
      let position = try rewound(sink)
      try sink.play(self.new)
      try sink.finish()
      #expect(capture.waitForTheEnd())
      if 0 < sink.underruns { throw TooLate() }
      #expect(sink.heard == position + 12_000)
      // A device that rewinds begins in the middle of its idle block, so some of the first frames may be missing.
      let begin = rewinds ? self.old.firstIndex(of: capture.sound.first ?? .silence) ?? 0 : 0
      return Array(capture.sound) == self.old[begin..<Int(position)] + self.new
    }
  }

  @Test func `the new sound may have any length`() async throws {
    let long = noise(150_000, seed: 3)
    try await inTime {
      let (sink, capture) = try playing(self.old, until: 9_600)
      let position = try rewound(sink)
      try sink.play(long)
      try sink.finish()
      #expect(capture.waitForTheEnd())
      if 0 < sink.underruns { throw TooLate() }
      return Array(capture.sound) == self.old[..<Int(position)] + long
    }
  }

  @Test func `two successive rewinds both take effect, with or without a write between them`() async throws {
    try await inTime {
      let (sink, capture) = try playing(self.old, until: 9_600)
      let first = try rewound(sink)
      let second = try rewound(sink)
      try sink.play(self.new)
      let third = try rewound(sink)
      try sink.play(self.newest)
      try sink.finish()
      #expect(first <= second)
      #expect(second <= third)
      #expect(third < second + 12_000)
      #expect(capture.waitForTheEnd())
      let beginning = self.old[..<Int(second)] + self.new[..<Int(third - second)]
      return Array(capture.sound) == beginning + self.newest
    }
  }

  @Test(arguments: [0, 480, 2_000, 4_800])
  func `a rewind takes effect shortly before and after the sound begins`(count: Int) async throws {
    try await inTime {
      let server = try PulseServer()
      let capture = try Capture(of: server)
      let sink = PulseSink(server: server.address)
      try sink.start(at: .studio)
      try sink.play(Array(self.old[..<count]))
      let position = try rewound(sink)
      try sink.play(self.new)
      try sink.finish()
      #expect(capture.waitForTheEnd())
      return Array(capture.sound) == self.old[..<Int(position)] + self.new
    }
  }

  @Test func `after an underrun, the new sound continues after the last frame`() async throws {
    try await onOwnThread {
      let (sink, capture) = try playing(noise(9_600), until: 9_599)
      #expect(eventually { sink.underruns == 1 })
      #expect(sink.rewind() == 9_600)
      try sink.play(self.new)
      try sink.finish()
      #expect(capture.waitForTheEnd())
      #expect(sink.underruns == 1)
      let isSame = capture.sound.filter { $0 != .silence } == noise(9_600) + self.new
      #expect(isSame)
    }
  }

  /// The device has read the silence that follows the last frame, and can't be rewound.
  @Test func `a new sound after the last frame is heard from its beginning`() async throws {
    let first = noise(48_000)
    try await inTime {
      let server = try PulseServer()
      let capture = try Capture(of: server)
      let sink = PulseSink(server: server.address)
      try sink.start(at: .studio)
      try sink.play(first)
      try sink.playOut()
      #expect(eventually { FrameCount(first.count) - 300 < sink.heard })
      try #expect(first.count <= Int(#require(sink.rewind())))
      try sink.play(self.new)
      try sink.finish()
      #expect(capture.waitForTheEnd())
      return capture.sound.filter { $0 != .silence } == first + self.new
    }
  }

  @Test func `a new sound of a few frames is heard`() async throws {
    let few = noise(100, seed: 2)
    try await inTime {
      let (sink, capture) = try playing(self.old, until: 9_600)
      let position = try rewound(sink)
      try sink.play(few)
      try sink.finish()
      #expect(capture.waitForTheEnd())
      return Array(capture.sound) == self.old[..<Int(position)] + few
    }
  }

  /// The device reads 20 ms at a time, so it has read several times before the new sound arrives.
  @Test(arguments: [false, true])
  func `new sound that is very late crossfades with the old sound, or is postponed in silence`(isSilent: Bool)
    async throws
  {
    let level = Array(repeating: Frame(mono: isSilent ? 0 : 0.5), count: 90_000)
    try await inTime {
      let (sink, capture) = try playing(self.old[..<9_600] + level, until: isSilent ? 5_000 : 15_000)
      if isSilent { #expect(eventually { 15_000 < sink.heard }) }
      let position = try rewound(sink)
      spin(microseconds: 65_000)
      if isSilent {
        let start = try #require(sink.postpone())
        #expect(position + 1_900 <= start)
        try sink.play(self.new)
      } else {
        try sink.play(Array(repeating: Frame(mono: 0.1), count: 12_000))
      }
      try sink.finish()
      #expect(capture.waitForTheEnd())
      if 0 < sink.underruns { throw TooLate() }
      let sound = Array(capture.sound.dropFirst(9_600))
      if isSilent { return Array(sound.drop { $0 == .silence }) == self.new }
      // An S-curve of 960 frames falls by at most 1.5 · 0.4 / 960 per frame.
      let largestStep = zip(sound, sound.dropFirst()).map { abs($1.left - $0.left) }.max() ?? 1
      let begin = sound.firstIndex { $0 != Frame(mono: 0.5) } ?? 0
      #expect(Int(position) + 1_900 <= 9_600 + begin)
      return largestStep < 0.0007 && sound.last == Frame(mono: 0.1)
    }
  }

  /// A combined output has the flags of a device that can rewind. Its sound is resampled, so the test plays no noise:
  /// the level rises evenly up to the position and then stays constant.
  @Test func `a device that wrongly claims to support rewinding continues without a click`() async throws {
    let rise = (0..<120_000).map { Frame(mono: 0.1 + Float($0) / 240_000) }
    try await inTime {
      let server = try PulseServer(rewinds: true)
      try server.pactl(
        "load-module", "module-combine-sink", "sink_name=both", "slaves=\(server.sink)", "rate=48000", "channels=2")
      // With a capture that requests a shorter latency, the device would buffer too little for a rewind.
      let capture = try Capture(of: server, milliseconds: 2_000)
      let reported = ReportedEvents()
      let sink = PulseSink(device: "both", server: server.address, report: reported.note)
      try sink.start(at: .studio)
      sink.interrupt()
      try rise.withUnsafeBufferPointer { try sink.write($0) }
      #expect(capture.wait(seconds: 10) { $0.sound.count > 9_600 })
      var position = try rewound(sink)
      // At other moments the device buffers too little for the test to notice.
      for _ in 0..<40 where reported.grants.count < 2 {
        try sink.play(Array(rise[Int(position)...]))
        spin(microseconds: 33_000)
        position = try rewound(sink)
      }
      try sink.play(Array(repeating: rise[Int(position)], count: 12_000))
      try sink.finish()
      #expect(capture.waitForTheEnd())
      if 0 < sink.underruns { throw TooLate() }
      #expect(reported.grants.map(\.isRewindable) == [true, false])
      let heard = capture.sound.dropFirst(100).dropLast(100).map(\.left)
      let largestStep = zip(heard, heard.dropFirst()).map { abs($1 - $0) }.max() ?? 1
      return largestStep < 0.001 && abs((heard.last ?? 0) - rise[Int(position)].left) < 0.001
    }
  }

  @Test func `if nothing is written after a rewind, the sound ends at the position`() async throws {
    try await onOwnThread {
      let (sink, capture) = try playing(self.old, until: 9_600)
      let position = try rewound(sink)
      try sink.finish()
      #expect(capture.waitForTheEnd())
      let isBegin = capture.sound[...] == self.old[..<capture.sound.count]
      #expect(isBegin)
      #expect(capture.sound.count >= Int(position))
      #expect(capture.sound.count < Int(position) + 9_600)
    }
  }

  /// A server that has stopped answering while it plays `old`.
  private func stalled() throws -> (PulseServer, PulseSink) {
    let server = try PulseServer()
    let sink = PulseSink(server: server.address)
    try sink.start(at: .studio)
    try sink.play(old)
    server.stall()
    return (server, sink)
  }

  @Test func `a rewind on a stalled server fails soon`() async throws {
    try await onOwnThread {
      let (server, sink) = try self.stalled()
      let took = SuspendingClock().measure { #expect(sink.rewind() == nil) }
      #expect(took < .seconds(1))
      server.resume()
    }
  }

  /// libpulse permits 32 requests without an answer.
  @Test func `a server that was stalled during many rewinds rewinds again afterwards`() async throws {
    try await onOwnThread {
      let (server, sink) = try self.stalled()
      for _ in 0..<36 { #expect(sink.rewind() == nil) }
      server.resume()
      #expect(eventually { sink.rewind() != nil })
    }
  }

  @Test func `a retraction after a rewind fades out the new sound, and nothing older is heard`() async throws {
    try await onOwnThread {
      let level = Array(repeating: Frame(mono: 0.5), count: 90_000)
      let (sink, capture) = try playing(level, until: 9_600)
      #expect(sink.rewind() != nil)
      try sink.play(Array(level[..<24_000]))
      #expect(sink.retract(over: 960))
      try sink.finish()
      #expect(capture.waitForTheEnd())
      #expect(capture.sound.filter { $0 != Frame(mono: 0.5) }.count == 959)
    }
  }
}

/// Expects that `body` returns true. If the machine is late between the rewind and the write, the new sound begins too
/// late: then `body` runs again.
private func inTime(_ body: @escaping @Sendable () throws -> Bool) async throws {
  try await best(hasServer: true, handovers: RetractTests.handovers, where: { $0 }) {
    try await onOwnThread {
      do { return try body() } catch is TooLate { return false }
    }
  }
}

private struct TooLate: Error {}

/// - Throws: `TooLate` if the server has not answered in time.
private func rewound(_ sink: PulseSink) throws -> FrameCount {
  guard let position = sink.rewind() else { throw TooLate() }
  return position
}

/// A private server that plays `sound`, more than `count` frames of which have been captured.
private func playing(_ sound: [Frame], until count: Int, rewinds: Bool = false) throws -> (PulseSink, Capture) {
  let server = try PulseServer(rewinds: rewinds)
  let capture = try Capture(of: server)
  let sink = PulseSink(server: server.address)
  try sink.start(at: .studio)
  // The interrupted write fills the buffer, and the rest is staged.
  sink.interrupt()
  try sound.withUnsafeBufferPointer { try sink.write($0) }
  #expect(capture.wait(seconds: 10) { $0.sound.count > count })
  return (sink, capture)
}

/// Busy-waits for a short time, so that the next call happens in another phase of the device's period.
private func spin(microseconds: Int) {
  let end = SuspendingClock.now + .microseconds(microseconds)
  while SuspendingClock.now < end {}
}

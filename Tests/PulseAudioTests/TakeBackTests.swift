import Engine
import PulseAudio
import Signal
import TestSupport
import Testing

@Suite(.serialized) struct TakeBackTests {
  let old = noise(120_000)
  let new = noise(12_000, seed: 2)
  let newest = noise(4_800, seed: 3)

  /// What is written anew is shorter than what was there: the old end must not be heard.
  @Test(arguments: 0..<10)
  func `the old sound up to the position and the new one from there, to the frame`(moment: Int) async throws {
    try await inTime {
      let rewinds = moment % 3 == 2
      let (sink, capture) = try playing(self.old, until: 15_000 + 331 * moment, rewinds: rewinds)
      spin(microseconds: 1_100 * moment)
      let position = try takenBack(sink)
      try sink.play(self.new)
      try sink.finish()
      #expect(capture.waitForTheEnd())
      if 0 < sink.underruns { throw TooLate() }
      #expect(sink.heard == position + 12_000)
      // A device that rewinds begins in the middle of its idle block: some of the first frames are before its time.
      let begin = rewinds ? self.old.firstIndex(of: capture.sound.first ?? .silence) ?? 0 : 0
      return Array(capture.sound) == self.old[begin..<Int(position)] + self.new
    }
  }

  @Test func `what follows is of any length`() async throws {
    let long = noise(150_000, seed: 3)
    try await inTime {
      let (sink, capture) = try playing(self.old, until: 9_600)
      let position = try takenBack(sink)
      try sink.play(long)
      try sink.finish()
      #expect(capture.waitForTheEnd())
      if 0 < sink.underruns { throw TooLate() }
      return Array(capture.sound) == self.old[..<Int(position)] + long
    }
  }

  @Test func `twice at once, with and without words between`() async throws {
    try await inTime {
      let (sink, capture) = try playing(self.old, until: 9_600)
      let first = try takenBack(sink)
      let second = try takenBack(sink)
      try sink.play(self.new)
      let third = try takenBack(sink)
      try sink.play(self.newest)
      try sink.finish()
      #expect(first <= second)
      #expect(second <= third)
      #expect(third < second + 12_000)
      #expect(capture.waitForTheEnd())
      let kept = self.old[..<Int(second)] + self.new[..<Int(third - second)]
      return Array(capture.sound) == kept + self.newest
    }
  }

  @Test(arguments: [0, 480, 2_000, 4_800])
  func `in the first moments, before and after the sound begins`(count: Int) async throws {
    try await inTime {
      let server = try PulseServer()
      let capture = try Capture(of: server)
      let sink = PulseSink(title: "test", server: server.address)
      try sink.start(at: .studio)
      try sink.play(Array(self.old[..<count]))
      let position = try takenBack(sink)
      try sink.play(self.new)
      try sink.finish()
      #expect(capture.waitForTheEnd())
      return Array(capture.sound) == self.old[..<Int(position)] + self.new
    }
  }

  @Test func `when the sound has run out, it goes on behind the last frame`() async throws {
    try await onOwnThread {
      let (sink, capture) = try playing(noise(9_600), until: 9_599)
      #expect(eventually { sink.underruns == 1 })
      #expect(sink.takeBack() == 9_600)
      try sink.play(self.new)
      try sink.finish()
      #expect(capture.waitForTheEnd())
      #expect(sink.underruns == 1)
      let isSame = capture.sound.filter { $0 != .silence } == noise(9_600) + self.new
      #expect(isSame)
    }
  }

  @Test func `a few frames at the end are all that is heard`() async throws {
    let few = noise(100, seed: 2)
    try await inTime {
      let (sink, capture) = try playing(self.old, until: 9_600)
      let position = try takenBack(sink)
      try sink.play(few)
      try sink.finish()
      #expect(capture.waitForTheEnd())
      return Array(capture.sound) == self.old[..<Int(position)] + few
    }
  }

  /// A combined output has the flags of a device that can be rewound. Its sound is resampled, so it is no noise here: it
  /// rises evenly until the position, and then stays where it is.
  @Test func `a device that says it can be rewound and can't goes on without a jump`() async throws {
    let rise = (0..<120_000).map { Frame(mono: 0.1 + Float($0) / 240_000) }
    try await inTime {
      let server = try PulseServer(rewinds: true)
      try server.pactl(
        "load-module", "module-combine-sink", "sink_name=both", "slaves=\(server.sink)", "rate=48000", "channels=2")
      // With a capture that asks for less, the device would hold too little to be rewound.
      let capture = try Capture(of: server, milliseconds: 2_000)
      let told = Told()
      let sink = PulseSink(device: "both", title: "test", server: server.address, told: told.note)
      try sink.start(at: .studio)
      sink.interrupt()
      try rise.withUnsafeBufferPointer { try sink.write($0) }
      #expect(capture.wait(seconds: 10) { $0.sound.count > 9_600 })
      var position = try takenBack(sink)
      // At other moments the device holds too little for it to be seen.
      for _ in 0..<40 where told.grants.count < 2 {
        try sink.play(Array(rise[Int(position)...]))
        spin(microseconds: 33_000)
        position = try takenBack(sink)
      }
      try sink.play(Array(repeating: rise[Int(position)], count: 12_000))
      try sink.finish()
      #expect(capture.waitForTheEnd())
      if 0 < sink.underruns { throw TooLate() }
      #expect(told.grants.map(\.isRewindable) == [true, false])
      let heard = capture.sound.dropFirst(100).dropLast(100).map(\.left)
      let largestStep = zip(heard, heard.dropFirst()).map { abs($1 - $0) }.max() ?? 1
      return largestStep < 0.001 && abs((heard.last ?? 0) - rise[Int(position)].left) < 0.001
    }
  }

  @Test func `with nothing written anew the sound ends at the position`() async throws {
    try await onOwnThread {
      let (sink, capture) = try playing(self.old, until: 9_600)
      let position = try takenBack(sink)
      try sink.finish()
      #expect(capture.waitForTheEnd())
      let isBegin = capture.sound[...] == self.old[..<capture.sound.count]
      #expect(isBegin)
      #expect(capture.sound.count >= Int(position))
      #expect(capture.sound.count < Int(position) + 9_600)
    }
  }

  @Test func `a stalled server takes nothing back, and says so soon`() async throws {
    try await onOwnThread {
      let server = try PulseServer()
      let sink = PulseSink(title: "test", server: server.address)
      try sink.start(at: .studio)
      try sink.play(self.old)
      server.stall()
      let took = SuspendingClock().measure { #expect(sink.takeBack() == nil) }
      #expect(took < .seconds(1))
    }
  }

  @Test func `a retraction behind it fades what sounds, and nothing older is heard`() async throws {
    try await onOwnThread {
      let level = Array(repeating: Frame(mono: 0.5), count: 90_000)
      let (sink, capture) = try playing(level, until: 9_600)
      #expect(sink.takeBack() != nil)
      try sink.play(Array(level[..<24_000]))
      #expect(sink.retract(over: 960))
      try sink.finish()
      #expect(capture.waitForTheEnd())
      #expect(capture.sound.filter { $0 != Frame(mono: 0.5) }.count == 959)
    }
  }
}

/// Whether `body` holds: where the machine stands still between the step back and the words, they come too late.
private func inTime(_ body: @escaping @Sendable () throws -> Bool) async throws {
  try await best(hasServer: true, handovers: RetractTests.handovers, where: { $0 }) {
    try await onOwnThread {
      do { return try body() } catch is TooLate { return false }
    }
  }
}

private struct TooLate: Error {}

/// - Throws: `TooLate` where the server has not answered in time.
private func takenBack(_ sink: PulseSink) throws -> FrameCount {
  guard let position = sink.takeBack() else { throw TooLate() }
  return position
}

/// A private server that plays `sound`, of which more than `count` frames have been captured.
private func playing(_ sound: [Frame], until count: Int, rewinds: Bool = false) throws -> (PulseSink, Capture) {
  let server = try PulseServer(rewinds: rewinds)
  let capture = try Capture(of: server)
  let sink = PulseSink(title: "test", server: server.address)
  try sink.start(at: .studio)
  // All the room is taken, and the rest waits.
  sink.interrupt()
  try sound.withUnsafeBufferPointer { try sink.write($0) }
  #expect(capture.wait(seconds: 10) { $0.sound.count > count })
  return (sink, capture)
}

/// Another moment of the device's period.
private func spin(microseconds: Int) {
  let end = SuspendingClock.now + .microseconds(microseconds)
  while SuspendingClock.now < end {}
}

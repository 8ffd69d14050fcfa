import Engine
import PulseAudio
import Signal
import TestSupport
import Testing

@Suite(.serialized) struct InterruptTests {
  /// Three seconds longer than what the server accepts at once.
  static let long = noise(240_000)

  @Test func `an interrupted write returns, and all frames are still heard`() async throws {
    try await onOwnThread {
      let server = try PulseServer()
      let capture = try Capture(of: server)
      let sink = PulseSink(server: server.address)
      try sink.start(at: .studio)
      let player = Background { try sink.whole(Self.long) }
      #expect(eventually { sink.heard > 4_800 })
      sink.interrupt()
      try player.value(within: 2)
      #expect(sink.heard < 96_000)
      try sink.whole(noise(100, seed: 2))
      // This write waits until all but four seconds are heard: two seconds are staged, and the rest is on the server.
      #expect(sink.heard > 240_000 - 4 * 48_000 - 4_800)
      try sink.finish()
      #expect(capture.waitForTheEnd())
      let isSame = Array(capture.sound) == Self.long + noise(100, seed: 2)
      #expect(isSame)
    }
  }

  @Test func `an interrupt before a write affects that write, and a rewind drops the staged frames`() async throws {
    // On a late machine, the new sound comes after the old sound.
    try await best(hasServer: true, where: { $0 }) {
      try await onOwnThread {
        let server = try PulseServer()
        let capture = try Capture(of: server)
        let sink = PulseSink(server: server.address)
        try sink.start(at: .studio)
        sink.interrupt()
        try sink.whole(Self.long)
        #expect(sink.heard < 96_000)
        let new = noise(9_600, seed: 2)
        let position = try #require(sink.rewind())
        try sink.whole(new)
        try sink.finish()
        #expect(capture.waitForTheEnd())
        return Array(capture.sound) == Self.long[..<Int(position)] + new
      }
    }
  }
}

extension Sink {
  /// Writes all frames in one block.
  fileprivate func whole(_ frames: [Frame]) throws { try frames.withUnsafeBufferPointer { try write($0) } }
}

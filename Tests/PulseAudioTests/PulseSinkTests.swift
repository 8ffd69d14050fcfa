import Engine
import Player
import PulseAudio
import Signal
import TestSupport
import Testing

@Suite(.serialized) struct PulseSinkTests {
  @Test(arguments: 1...10) func `the captured sound equals the written sound, to the last sample`(seed: UInt64)
    async throws
  {
    // The sink reports an underrun.
    try await best(hasServer: true, where: { $0 == 0 }) {
      try await onOwnThread {
        let server = try PulseServer()
        let capture = try Capture(of: server)
        let sink = PulseSink(server: server.address)
        let sound = noise(20_000 + 997 * Int(seed), seed: seed)
        try sink.start(at: .studio)
        try sink.play(sound)
        try sink.finish()
        #expect(sink.heard == FrameCount(sound.count))
        #expect(capture.waitForTheEnd())
        let isSame = Array(capture.sound) == sound
        #expect(isSame || 0 < sink.underruns)
        return sink.underruns
      }
    }
  }

  /// The server waits for 150 ms of sound before it plays, or for two seconds in an external session, which uses the
  /// server's default.
  @Test(arguments: [(AudioSessionManager.Mode.managed, 4_800), (.external, 48_000)])
  func `a short sound is heard although nothing follows it`(mode: AudioSessionManager.Mode, count: Int) async throws {
    try await onOwnThread {
      let server = try PulseServer()
      let sink = PulseSink(server: server.address, session: AudioSessionManager(mode: mode))
      try sink.start(at: .studio)
      try sink.play(noise(count))
      try sink.playOut()
      #expect(eventually { sink.heard == FrameCount(count) })
    }
  }

  /// The device reads the end of the sound before it is heard, and then silence.
  @Test func `the end of a sound can be rewound until it is heard`() async throws {
    let server = try await onOwnThread { try PulseServer(rewinds: true) }
    try await best(hasServer: true, where: { $0 < 115_000 }) {
      try await onOwnThread {
        let sink = PulseSink(server: server.address)
        try sink.start(at: .studio)
        let sound = noise(120_000)
        try sink.play(sound)
        try sink.playOut()
        #expect(eventually { sink.heard > 100_000 })
        let position = try #require(sink.rewind())
        try sink.play(Array(sound[Int(position)...]))
        try sink.playOut()
        #expect(eventually { sink.heard == 120_000 })
        #expect(sink.underruns == 0)
        try sink.finish()
        #expect(sink.heard == 120_000)
        return position
      }
    }
  }
}

extension PulseSink {
  convenience init(
    device: String? = nil, server: String, session: AudioSessionManager = AudioSessionManager(),
    report: @escaping @Sendable (OutputEvent) -> Void = { _ in }
  ) { self.init(device: device, title: "test", server: server, policy: session, report: report) }

  /// Writes an empty block: nothing follows for now.
  func playOut() throws { try write(UnsafeBufferPointer(start: nil, count: 0)) }
}

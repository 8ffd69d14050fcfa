import Engine
import PulseAudio
import Signal
import TestSupport
import Testing

@Suite(.serialized) struct PulseSinkTests {
  @Test(arguments: 1...10) func `what is captured is what was written, to the last sample`(seed: UInt64) async throws {
    // Where it ran dry, the sink says so.
    try await best(hasServer: true, where: { $0 == 0 }) {
      try await onOwnThread {
        let server = try PulseServer()
        let capture = try Capture(of: server)
        let sink = PulseSink(title: "test", server: server.address)
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
}

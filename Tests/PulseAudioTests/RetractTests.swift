import Engine
import PulseAudio
import Signal
import TestSupport
import Testing

@Suite(.serialized) struct RetractTests {
  static let ramp: FrameCount = 960

  @Test(arguments: [(false, 1), (false, 2), (false, 3), (false, 4), (false, 5), (true, 6), (true, 7), (true, 8)])
  func `what is unheard fades out without a jump and soon`(rewinds: Bool, seed: Int) async throws {
    let ran = try await onOwnThread { try retractWhilePlaying(rewinds: rewinds, after: 20_000 + 331 * seed) }
    #expect(ran.sound.first == Frame(mono: 0.5))
    let jumps = zip(ran.sound, ran.sound.dropFirst()).map { abs($0.left - $1.left) }
    // An S-curve of 960 frames from 0.5 falls by at most 1.5 · 0.5 / 960 a frame.
    #expect((jumps.max() ?? 1) <= 0.0008)
    #expect(ran.sound.filter { $0 != Frame(mono: 0.5) }.count == Int(Self.ramp) - 1)
    #expect(ran.sound.count - Int(ran.heardBefore) < 2_400)
    #expect(ran.heardAfter < 100_000)
    #expect(ran.underruns == 0)
  }
}

struct Retraction {
  var sound: [Frame]
  var heardBefore: FrameCount
  var heardAfter: FrameCount
  var underruns: Int
  var retract: Duration
  var finish: Duration
}

/// Plays a constant level without an end, and takes it back when `count` frames of it were captured.
private func retractWhilePlaying(rewinds: Bool, after count: Int) throws -> Retraction {
  let server = try PulseServer(rewinds: rewinds)
  let capture = try Capture(of: server)
  let sink = PulseSink(title: "test", server: server.address)
  let isOver = Flag()
  try sink.start(at: .studio)
  let player = Background {
    while !isOver.isUp { try sink.play(Array(repeating: Frame(mono: 0.5), count: 512)) }
  }
  _ = capture.wait(seconds: 10) { $0.sound.count > count }
  let heard = sink.heard
  let clock = SuspendingClock()
  let retract = clock.measure { _ = sink.retract(over: RetractTests.ramp) }
  isOver.raise()
  try player.value(within: 1)
  let finish = try clock.measure { try sink.finish() }
  #expect(capture.waitForTheEnd())
  return Retraction(
    sound: Array(capture.sound), heardBefore: heard, heardAfter: sink.heard, underruns: sink.underruns,
    retract: retract, finish: finish)
}

import PulseAudio
import Signal
import Sounds
import TestSupport
import Testing

@Suite(.serialized) struct RetractTests {
  /// The threads that handle a message one after another: libpulse's, the server's and its device's.
  static let handovers = 3
  static let ramp: FrameCount = 960

  @Test(arguments: [(false, 1), (false, 2), (false, 3), (false, 4), (false, 5), (true, 6), (true, 7), (true, 8)])
  func `sound that has not been heard fades out soon and without a click`(rewinds: Bool, seed: Int) async throws {
    try await best(handovers: Self.handovers, where: \.isInTime) {
      let retraction = try await onOwnThread { try retractWhilePlaying(rewinds: rewinds, after: 20_000 + 331 * seed) }
      #expect(retraction.first == Frame(mono: 0.5))
      #expect(retraction.rises == 0)
      return retraction
    }
  }

  @Test(arguments: [false, true])
  func `a second retraction shortens the fade of the first one without a click`(rewinds: Bool) async throws {
    // The first retraction leaves 24,000 frames; the second one comes after 2,400.
    let isWanted = { (retraction: Retraction) in retraction.tail < 12_000 && retraction.largestStep <= 0.0008 }
    try await best(handovers: Self.handovers, where: isWanted) {
      let retraction = try await onOwnThread {
        try retractWhilePlaying(rewinds: rewinds, after: 20_000, over: 24_000) { sink in
          _ = eventually(within: 0.05) { false }
          _ = sink.retract(over: RetractTests.ramp)
        }
      }
      #expect(retraction.first == Frame(mono: 0.5))
      #expect(retraction.rises == 0)
      return retraction
    }
  }
}

/// Properties of the sound around a retraction. On a busy machine, the server may have read more before the message
/// arrives: then there is a step down, or more is heard.
private struct Retraction {
  var first: Frame?
  /// How often a frame is louder than the one before.
  var rises: Int
  /// The largest step from one frame to the next.
  var largestStep: Float
  /// Frames that are neither silent nor as loud as before.
  var rampLength: Int
  /// How many frames followed the one that was heard when the retraction was called.
  var tail: Int
  var heardAfter: FrameCount
  var underruns: Int

  var isInTime: Bool {
    // An S-curve of 960 frames from 0.5 falls by at most 1.5 · 0.5 / 960 per frame.
    largestStep <= 0.0008 && rampLength == Int(RetractTests.ramp) - 1 && tail < 2_400 && heardAfter < 100_000
      && underruns == 0
  }

  init(_ sound: [Frame], heardBefore: FrameCount, sink: PulseSink) {
    let steps = zip(sound, sound.dropFirst()).map { $1.left - $0.left }
    first = sound.first
    rises = steps.count { 0 < $0 }
    largestStep = steps.lazy.map(abs).max() ?? 1
    rampLength = sound.count { $0 != Frame(mono: 0.5) }
    tail = sound.count - Int(heardBefore)
    heardAfter = sink.heard
    underruns = sink.underruns
  }
}

/// Plays a constant level without an end, and retracts it when `count` frames have been captured.
///
/// - Parameter during: Called while the retraction drains.
private func retractWhilePlaying(
  rewinds: Bool, after count: Int, over ramp: FrameCount = RetractTests.ramp,
  during: @escaping @Sendable (PulseSink) -> Void = { _ in }
) throws -> Retraction {
  let server = try PulseServer(rewinds: rewinds)
  let capture = try Capture(of: server)
  let sink = PulseSink(server: server.address)
  let isOver = Flag()
  try sink.start(at: .studio)
  let player = Background {
    while !isOver.isRaised { try sink.play(Array(repeating: Frame(mono: 0.5), count: 512)) }
  }
  #expect(capture.wait(seconds: 60) { $0.sound.count > count })
  let heard = sink.heard
  _ = sink.retract(over: ramp)
  let doing = Background { during(sink) }
  isOver.raise()
  try player.value(within: 60)
  try sink.finish()
  try doing.value(within: 60)
  #expect(capture.waitForTheEnd())
  return Retraction(Array(capture.sound), heardBefore: heard, sink: sink)
}

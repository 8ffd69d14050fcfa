import CSndFile
import Signal
import Sounds
import TestSupport
import Testing

@testable import AudioFiles

@Suite struct ChannelTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func first(_ samples: [Float]) throws -> Frame {
    let bytes = TestWave.float(samples, channels: samples.count, rate: 44_100)
    return try #require(try read(folder.write(bytes, to: "a.wav")).frames.first)
  }

  @Test func `mono plays unchanged on both sides`() throws {
    #expect(try first([0.5]) == Frame(left: 0.5, right: 0.5))
  }

  @Test func `six channels are mixed down with centre and surrounds at −3 dB and no low frequencies`() throws {
    let half = Float(0.5).squareRoot()
    let scale = 1 / (1 + 2 * half)
    #expect(try first([1, 0, 0, 0, 0, 0]) == Frame(left: scale, right: 0))
    #expect(try first([0, 0, 1, 0, 0, 0]) == Frame(left: half * scale, right: half * scale))
    #expect(try first([0, 0, 0, 1, 0, 0]) == .silence)
    #expect(try first([0, 0, 0, 0, 0, 1]) == Frame(left: 0, right: half * scale))
    #expect(try first([1, 1, 1, 1, 1, 1]).peak <= 1)
  }

  @Test func `the channels of Vorbis have their own order`() throws {
    var samples: [Float] = []
    for _ in 0..<20_000 { samples += [0, 0.5, 0, 0, 0, 0] }
    let path = try write(samples, to: folder.path("a.ogg"), format: vorbis, rate: 44_100, channels: 6)
    let frame = try read(path).frames[10_000]
    #expect(abs(frame.left - frame.right) < 0.01)
    #expect(frame.left > 0.1)
  }

  @Test(arguments: 1...12) func `any number of channels becomes stereo within full scale`(channels: Int) throws {
    let frame = try first(Array(repeating: 1, count: channels))
    #expect(frame.peak <= 1.000001)
    #expect(frame.peak > 0.5)
  }
}

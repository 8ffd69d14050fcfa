import CEbur128
import Foundation
import Levels
import Signal
import TestSupport
import Testing

/// Facts about loudness that EBU R128 and ITU-R BS.1770 state, and levels that can be computed by hand.
struct SoundMeterTests {
  private static let rate = 48_000
  /// The amplitude of a sine of −23 dBFS.
  private static let amplitude = pow(10, -23.0 / 20)

  private static func sine(seconds: Double, amplitude: Double = amplitude) -> [Frame] {
    TestSound.sine(1_000, rate: rate, count: Int(seconds * Double(rate)), amplitude: amplitude)
  }

  /// Measures frames in blocks of an odd length.
  private static func levels(_ frames: [Frame], channels: Int = 2, block: Int = 1_009) throws -> SoundLevels {
    let meter = try SoundMeter(rate: rate, channels: channels, findsPeak: true)
    for start in stride(from: 0, to: frames.count, by: block) {
      meter.add(frames[start..<min(start + block, frames.count)])
    }
    return meter.finish()
  }

  @Test func `1 kHz at -23 dBFS has -22.99 LUFS in stereo and -26.00 LUFS in mono`() throws {
    let sine = Self.sine(seconds: 20)
    let (stereo, mono) = (try Self.levels(sine), try Self.levels(sine, channels: 1))
    #expect(abs(stereo.integrated + 22.99) < 0.01 && abs(mono.integrated + 26) < 0.01)
    for levels in [stereo, mono] {
      #expect(abs(levels.momentary - levels.integrated) < 0.01 && abs(levels.shortTerm - levels.integrated) < 0.01)
      #expect(levels.range < 0.01 && levels.fullScaleSamples == 0 && levels.longestSilence < 0.001)
      #expect(abs(levels.samplePeak + 23) < 0.01 && abs((levels.truePeak ?? 0) + 23) < 0.01)
      // A sine is 3.01 dB below its peak.
      #expect(abs(levels.rms + 26.01) < 0.01 && abs(levels.noiseFloor + 26.01) < 0.01)
    }
  }

  @Test func `a second of tone in every five has -24.04 LUFS`() throws {
    let second = Self.sine(seconds: 1)
    let pause = Array(repeating: Frame.silence, count: 4 * Self.rate)
    let levels = try Self.levels(Array(repeating: second + pause, count: 4).flatMap(\.self))
    #expect(abs(levels.integrated + 24.04) < 0.01)
    #expect(abs(levels.longestSilence - 4) < 0.001 && levels.noiseFloor == -.infinity)
    #expect(abs(levels.momentary + 22.99) < 0.02)
  }

  @Test func `a sound of 300 ms is measured as if silence followed`() throws {
    // Three quarters of the power of 400 ms.
    let expected = -22.99 + 10 * log10(0.75)
    let levels = try Self.levels(Self.sine(seconds: 0.3))
    #expect(abs(levels.integrated - expected) < 0.02 && abs(levels.momentary - expected) < 0.02)
    #expect(levels.seconds == 0.3)
  }

  @Test func `silence has no loudness, and samples at full scale are counted on both channels`() throws {
    let silent = try Self.levels(Array(repeating: .silence, count: Self.rate))
    #expect(silent.integrated == -.infinity && silent.rms == -.infinity && silent.longestSilence == 1)
    #expect(try Self.levels([]).integrated == -.infinity)
    let frames = [Frame(left: 1, right: -1), Frame(left: 32_767 / 32_768, right: 0.99), Frame(left: -0.5, right: 0)]
    #expect(try Self.levels(frames).fullScaleSamples == 3)
    #expect(try Self.levels(frames, channels: 1).fullScaleSamples == 2)
  }

  @Test func `the true peak is found between the samples`() throws {
    // A sine of a quarter of the rate, sampled 45° beside its peaks, is 3.01 dB above its largest sample.
    let frames = (0..<Self.rate).map { Frame(mono: [0.5, 0.5, -0.5, -0.5][$0 % 4]) }
    let levels = try Self.levels(frames)
    #expect(abs(levels.samplePeak + 6.02) < 0.01)
    #expect(abs((levels.truePeak ?? 0) + 3.01) < 0.2)
  }

  @Test func `the noise floor is the level of the quietest half second`() throws {
    let quiet = Self.sine(seconds: 0.5, amplitude: 0.001)
    let levels = try Self.levels(Self.sine(seconds: 2) + quiet + Self.sine(seconds: 1))
    #expect(abs(levels.noiseFloor + 63.01) < 0.02)
  }

  @Test(arguments: [8_000, 11_025, 22_050, 44_100, 48_000, 88_200, 96_000, 192_000])
  func `the loudness is that of libebur128 at all rates, for low and high notes on either channel`(rate: Int) throws {
    var state = ebur128_init(2, UInt(rate), Int32(EBUR128_MODE_I.rawValue))
    defer { ebur128_destroy(&state) }
    let low = TestSound.sine(40, rate: rate, count: 2 * rate, amplitude: 0.5)
    let high = TestSound.sine(3_500, rate: rate, count: 2 * rate, amplitude: 0.2)
    let frames = zip(low, high).map { Frame(left: $0.left, right: $1.right) } + high + low
    let meter = try SoundMeter(rate: rate)
    meter.add(frames[...])
    let samples = frames.flatMap { [$0.left, $0.right] }
    #expect(ebur128_add_frames_float(state, samples, frames.count) == 0)
    var expected = 0.0
    #expect(ebur128_loudness_global(state, &expected) == 0)
    #expect(abs(meter.finish().integrated - expected) < 0.001)
  }

  @Test func `silences count from 65 frames on, wherever the blocks end`() throws {
    let sound = Self.sine(seconds: 1).map { Frame(mono: 0.5 + $0.left) }
    for (gap, expected) in [(62, 0), (64, 0), (65, 65), (70, 70), (4_000, 4_000)] {
      let frames = sound[..<1_000] + Array(repeating: .silence, count: gap) + sound[1_000..<9_000]
      for block in [1, 64, 1_009, 20_000] {
        let levels = try Self.levels(Array(frames), block: block)
        #expect(abs(levels.longestSilence * Double(Self.rate) - Double(expected)) < 0.01, "\(gap), \(block)")
        #expect(abs(levels.longestSilenceAt * Double(Self.rate) - (expected == 0 ? 0 : 1_000)) < 0.01)
      }
    }
  }

  @Test func `a target names everything that is not met`() throws {
    let levels = try Self.levels(Self.sine(seconds: 5))
    let acx = try #require(PublishingTarget(name: "acx"))
    #expect(
      acx.problems(of: levels) == [
        "the RMS is -26.0 dBFS instead of -23.0 to -18.0 dBFS", "the noise floor is -26.0 dBFS, above -60.0 dBFS",
        "it has 2 channels instead of 1",
      ])
    #expect(try #require(PublishingTarget(name: "ebu-r128")).problems(of: levels) == [])
    #expect(
      try #require(PublishingTarget(name: "podcast")).problems(of: levels)
        == ["the loudness is -23.0 LUFS instead of -16.0 LUFS"])
    #expect(PublishingTarget(name: "radio") == nil)
  }
}

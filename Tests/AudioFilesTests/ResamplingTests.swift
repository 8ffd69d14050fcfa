import Engine
import Foundation
import Signal
import TestSupport
import Testing

@testable import AudioFiles
@testable import Encoding

@Suite struct ResamplingTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [8_000, 24_000, 44_100, 48_000, 96_000, 192_000], [SampleRate.cd, .studio])
  func `a sine keeps its level and gains no other frequency`(rate: Int, session: SampleRate) throws {
    for share in [0.02, 0.1, 0.4] {
      let frequency = share * Double(min(rate, session.hertz))
      let sine = TestSound.sine(frequency, rate: rate, count: rate)
      let samples = sine.map(\.left)
      let path = try folder.write(TestWave.float(samples, channels: 1, rate: rate), to: "\(share).wav")
      let output = try read(path, at: session).frames
      #expect(output.count == session.hertz)
      let fit = SineFit(output[2_000..<output.count - 2_000], frequency: frequency, rate: session.hertz)
      #expect(abs(fit.level.decibels + 6.02) < 0.1)
      #expect(fit.residue.decibels < -110, "\(frequency) Hz from \(rate) to \(session.hertz): \(fit.residue)")
    }
  }

  @Test func `a conversion that is not possible is reported`() throws {
    #expect(try Encoder.resampler(from: 48_000, to: 48_000, for: "a.opus") == nil)
    #expect(try Encoder.resampler(from: 44_100, to: 48_000, for: "a.opus") != nil)
    let cause = "the rate can't be converted from 0 to 48000 Hz; choose another format"
    #expect(throws: SinkError.cannotCreate(path: "a.opus", cause: cause)) {
      try Encoder.resampler(from: 0, to: 48_000, for: "a.opus")
    }
  }

  @Test(arguments: [23_000.0, 30_000, 47_000])
  func `frequencies above the session's range leave no alias`(frequency: Double) throws {
    let sine = TestSound.sine(frequency, rate: 96_000, count: 96_000).map(\.left)
    let path = try folder.write(TestWave.float(sine, channels: 1, rate: 96_000), to: "a.wav")
    let output = try read(path, at: .cd).frames
    #expect(Level(rms: output[2_000..<40_000]).decibels < -110)
  }

  @Test(arguments: [8_000, 24_000, 48_000, 96_000])
  func `an impulse keeps its position`(rate: Int) throws {
    var samples = [Float](repeating: 0, count: rate)
    samples[rate / 2] = 1
    let path = try folder.write(TestWave.float(samples, channels: 1, rate: rate), to: "a.wav")
    let output = try read(path, at: .cd).frames
    let peak = output.indices.max { output[$0].peak < output[$1].peak }
    #expect(peak == 22_050)
  }

  /// So a resumed session sounds exactly like an uninterrupted one.
  @Test(arguments: [
    (44_100, 48_000), (48_000, 44_100), (22_050, 48_000), (96_000, 48_000), (32_000, 48_000), (11_025, 8_000),
  ])
  func `a reader that starts in the middle receives the same bits`(rate: Int, session: Int) throws {
    let noise = TestWave.stereo(TestSound.noise(rate * 12), rate: rate)
    let path = try folder.write(noise, to: "a.wav")
    let session = try #require(SampleRate(hertz: session))
    let whole = try read(path, at: session).frames
    for seconds in [0.04, 1, 3.3, 7.1, 11.9] {
      let offset = session.frames(seconds)
      let isTail = try read(path, at: session, from: offset).frames[...] == whole[Int(offset)...]
      #expect(isTail, "from \(seconds) s")
    }
  }
}

/// The level of a sine within a sound, found by least squares, and the level of the remaining sound.
private struct SineFit {
  var level: Level
  var residue: Level

  init(_ frames: ArraySlice<Frame>, frequency: Double, rate: Int) {
    let samples = frames.map { Double($0.left) }
    let angles = samples.indices.map { 2 * .pi * frequency * Double($0) / Double(rate) }
    var (ss, cc, sc, xs, xc) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for (sample, angle) in zip(samples, angles) {
      let (s, c) = (sin(angle), cos(angle))
      (ss, cc, sc, xs, xc) = (ss + s * s, cc + c * c, sc + s * c, xs + sample * s, xc + sample * c)
    }
    let determinant = ss * cc - sc * sc
    let a = (xs * cc - xc * sc) / determinant
    let b = (xc * ss - xs * sc) / determinant
    level = Level(decibels: 20 * log10((a * a + b * b).squareRoot()))
    let rest = zip(samples, angles).map { sample, angle in Float(sample - a * sin(angle) - b * cos(angle)) }
    residue = Level(rms: rest.map { Frame(mono: $0) })
  }
}

import Signal
import Sounds
import Testing

@testable import GeneratedSounds

@Suite struct SpectrumTests {
  @Test(arguments: [8_000, 44_100, 192_000]) func `the modes of a bowl have their frequencies`(hertz: Int) throws {
    let rate = try rate(hertz)
    let sound = try frames(source("bowl", ["pitch": 200]), at: rate, hertz / 2).map(\.left)
    let floor = tone(350, in: sound, at: rate)
    for ratio in [1, 2.76, 5.17, 8.11] {
      #expect(100 * floor < tone(200 * ratio, in: sound, at: rate) * ratio, "mode \(ratio) at \(hertz)")
    }
  }

  @Test func `a hard strike has more high frequencies than a soft one`() throws {
    let upper = try [0.0, 0.5, 1].map { strike in
      let sound = try frames(source("bowl", ["strike": strike]), 24_000).map(\.left)
      return tone(196 * 5.17, in: sound, at: .studio) / tone(196, in: sound, at: .studio)
    }
    #expect(2 * upper[0] < upper[1] && 1.3 * upper[1] < upper[2])
  }

  @Test func `partials that are too high for the sample rate are omitted and cause no alias`() throws {
    let sound = try frames(source("bell", ["pitch": 2_500]), at: rate(8_000), 8_000).map(\.left)
    // The octave at 5,000 Hz would alias to 3,000 Hz.
    #expect(100 * tone(3_000, in: sound, at: try rate(8_000)) < tone(2_500, in: sound, at: try rate(8_000)))
  }

  @Test(arguments: [("pink", -3.0), ("brown", -6.0), ("white", 0.0)])
  func `a noise has the slope of its colour`(name: String, slope: Double) throws {
    let sound = try frames(source(name), 24 * 8_192).map(\.left)
    let octaves = stride(from: 7.0, through: 13, by: 1).map { density(exp2(Int($0)), in: sound, at: .studio) }
    let mean = (octaves[6] - octaves[0]) / 6
    #expect(abs(mean - slope) < 0.5, "\(name): \(octaves)")
    for (low, high) in zip(octaves, octaves.dropFirst(2)) {
      #expect(abs((high - low) / 2 - slope) < 1, "\(name): \(octaves)")
    }
  }

  @Test func `the tones of a binaural beat lie half of the beat below and above the carrier`() throws {
    let sound = try frames(source("binaural", ["carrier": 200, "beat": 10]), from: 48_000, 48_000)
    let left = [195.0, 200, 205].map { tone($0, in: sound.map(\.left), at: .studio) }
    let right = [195.0, 200, 205].map { tone($0, in: sound.map(\.right), at: .studio) }
    #expect(abs(left[0] - 0.1) < 1e-4 && left[1] < 1e-5 && left[2] < 1e-5)
    #expect(abs(right[2] - 0.1) < 1e-4 && right[1] < 1e-5 && right[0] < 1e-5)
  }

  @Test func `a beat glides to its second value and stays there`() throws {
    let settings = ["carrier": 200.0, "beat": 20, "beatTo": 4, "glide": 10]
    let half = try frames(source("binaural", settings), from: 5 * 48_000 - 4_800, 9_600).map(\.right)
    #expect(tone(206, in: half, at: .studio) > 0.09)
    let after = try frames(source("binaural", settings), from: 3_000 * 48_000, 48_000).map(\.right)
    #expect(abs(tone(202, in: after, at: .studio) - 0.1) < 1e-4)
  }

  @Test func `points move carrier, beat and volume, and a part begins in their middle`() throws {
    var recipe = Recipe(generator: "binaural", settings: ["level": -6])
    recipe.points = [
      Recipe.Point(at: 0, settings: ["carrier": 200, "beat": 10, "volume": 0]),
      Recipe.Point(at: 10, settings: ["volume": 0.4]), Recipe.Point(at: 20, settings: ["carrier": 100, "beat": -10]),
      Recipe.Point(at: 30, settings: ["volume": 0.4]), Recipe.Point(at: 30, settings: ["volume": 0.1]),
    ]
    let source = SoundSource(.generated(recipe))
    // The level of -6 dB is a half. At 5 s the volume is 0.2, at 25 s it is 0.4, and from 30 s on 0.1.
    for (second, left, right, level) in [(5, 171.25, 178.75, 0.1), (25, 105, 95, 0.2), (31, 105, 95, 0.05)] {
      let sound = try frames(source, from: FrameTime(second * 48_000 - 4_800), 9_600)
      #expect(abs(tone(left, in: sound.map(\.left), at: .studio) - level) < 0.01, "\(second)")
      #expect(abs(tone(right, in: sound.map(\.right), at: .studio) - level) < 0.01, "\(second)")
    }
    var part = source
    (part.start, part.end) = (15, 16)
    #expect(try frames(part, 48_000) == frames(source, from: 15 * 48_000, 48_000))
    // The sound does not jump, neither at a point nor between two blocks.
    #expect(roughness(try frames(source, from: 48_000, 28 * 48_000).map(\.left)) < 0.001)
  }

  @Test func `an isochronic tone is silent between its pulses`() throws {
    let sound = try frames(source("isochronic", ["carrier": 480, "beat": 4]), from: 48_000, 12_000)
    #expect(peak(Array(sound[2_000..<5_900])) > 0.15)
    #expect(peak(Array(sound[7_600..<11_900])) == 0)
  }

  @Test func `a drone contains its root, the octave below, the fifth and harmonics`() throws {
    let sound = try frames(source("drone", ["pitch": 100, "movement": 0]), 48_000).map(\.left)
    for ratio in [0.5, 1, 1.5, 2, 3, 4] {
      #expect(50 * tone(123, in: sound, at: .studio) < tone(100 * ratio, in: sound, at: .studio), "\(ratio)")
    }
  }

  private func exp2(_ exponent: Int) -> Double { Double(1 << exponent) }
}

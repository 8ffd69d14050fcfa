import Signal
import Sounds
import Testing

@testable import GeneratedSounds

@Suite struct LevelTests {
  @Test(arguments: endlessNames) func `an endless sound has a moderate level, far below full scale`(name: String) throws
  {
    let sound = try frames(source(name), at: rate(16_000), 16_000 * 60)
    #expect((-27 ... -19.5).contains(level(sound)), "\(level(sound)) dBFS")
    #expect(Level(peak: peak(sound)) < Level(decibels: -3))
  }

  @Test(arguments: finiteNames) func `a strike's peak is below -3 dBFS at any setting`(name: String) throws {
    for strike in [0.0, 1] {
      for pitch in [1.0, 440, 10_000] {
        let sound = try frames(source(name, ["strike": strike, "pitch": pitch]), at: rate(16_000), 64_000)
        #expect(peak(sound) < 0.71, "strike \(strike) pitch \(pitch)")
        #expect(0.4 < peak(sound), "strike \(strike) pitch \(pitch)")
      }
    }
  }

  @Test(arguments: finiteNames) func `a strike sounds from its first frames on`(name: String) throws {
    let sound = try frames(source(name), 4_800)
    #expect(sound[1] != .silence)
    #expect(sound[0].peak < 0.01, "the sound begins at a zero crossing")
    #expect(0.1 * peak(sound) < peak(Array(sound[..<192])), "the sound is audible within 4 ms")
  }

  @Test(arguments: ["bowl", "gong", "bell", "wood"])
  func `a strike decays below -90 dB and ends in silence`(name: String) throws {
    let sound = try wholeSound(source(name), at: rate(16_000))
    let last = Array(sound.suffix(160 + sound.count / 50))
    #expect(peak(last) < 1.0 / 31_623 * peak(sound) * 1.3)
    #expect(sound.last == .silence)
    #expect(sound[sound.count / 2] != .silence)
  }

  @Test(arguments: ["drone", "binaural", "isochronic"]) func `a tone of a minute has no click`(name: String) throws {
    let sound = try frames(source(name), at: rate(48_000), 48_000 * 60)
    // The second difference of a sine of amplitude a is at most a·ω² per frame². The loudest and highest sine of each
    // sound sets the bound.
    #expect(roughness(sound.map(\.left)) < 0.0035)
  }

  @Test(arguments: ["brown", "ocean", "pink", "rain"])
  func `there is no click between two blocks of a noise`(name: String) throws {
    let sound = try frames(source(name), at: rate(8_000), 8_000 * 20).map(\.left)
    let seams = (1..<20).map { roughness(Array(sound[$0 * 8_000 - 2..<$0 * 8_000 + 2])) }
    let inside = (1..<20).map { roughness(Array(sound[$0 * 8_000 + 1_000..<$0 * 8_000 + 7_000])) }
    #expect(seams.max() ?? 1 < inside.max() ?? 0)
  }

  @Test(arguments: everyName) func `every sound is finite and within full scale at any setting and rate`(name: String)
    throws
  {
    let settings = try #require(GeneratorDescription.builtIn.first { $0.name == name }).settings
    for hertz in [8_000, 192_000] {
      for bound in [-Double.infinity, .infinity] {
        let extreme = Dictionary(settings.map { ($0.name, bound) }) { first, _ in first }
        let sound = try frames(source(name, seed: .max, extreme), at: rate(hertz), 20_000)
        #expect(peak(sound).isFinite && peak(sound) < 1 && 0 < peak(sound))
        #expect(sound.allSatisfy { $0.left.isFinite && $0.right.isFinite })
      }
    }
  }

  @Test func `a wave breaks every 8 to 14 seconds`() throws {
    let sound = try frames(source("ocean"), at: rate(8_000), 8_000 * 120)
    let seconds = (0..<120).map { level(Array(sound[$0 * 8_000..<($0 + 1) * 8_000])) }
    let crests = (2..<118).filter { seconds[$0] == seconds[$0 - 2...$0 + 2].max() && -26 < seconds[$0] }
    #expect((8...14).contains(crests.count), "\(crests)")
    #expect(zip(crests, crests.dropFirst()).allSatisfy { (7...15).contains($1 - $0) }, "\(crests)")
  }
}

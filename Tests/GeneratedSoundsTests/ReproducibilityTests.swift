import Signal
import Sounds
import Testing

@testable import GeneratedSounds

@Suite struct ReproducibilityTests {
  @Test(arguments: everyName) func `a recipe gives the same sound twice`(name: String) throws {
    #expect(try frames(source(name), 100_000) == frames(source(name), 100_000))
  }

  @Test(arguments: everyName) func `the size of the reads changes no frame`(name: String) throws {
    let whole = try frames(source(name), 60_000)
    for piece in [1, 7, 480] {
      #expect(try frames(source(name), 60_000, piece: piece) == whole, "in pieces of \(piece)")
    }
  }

  @Test(arguments: everyName) func `a decoder opened at an offset delivers what a continuous decoder delivers`(
    name: String
  ) throws {
    let whole = try frames(source(name), 200_000)
    for offset in offsets(in: FrameCount(whole.count)) {
      let count = min(3_000, whole.count - Int(offset))
      let late = try frames(source(name), from: offset, count, piece: 480)
      #expect(late == Array(whole[Int(offset)..<Int(offset) + count]), "from \(offset)")
    }
  }

  @Test(arguments: endlessNames) func `an endless sound after an hour is audible and differs from its beginning`(
    name: String
  ) throws {
    let hour = SampleRate.studio.frames(3_600)
    let late = try frames(source(name), from: hour, 9_600)
    #expect(try late == frames(source(name), from: hour - 100, 9_700).dropFirst(100).map { $0 })
    #expect(try late != frames(source(name), 9_600))
    #expect(0.001 < peak(late))
  }

  @Test(arguments: endlessNames) func `an endless sound can be opened at the largest possible offset`(name: String)
    throws
  {
    #expect(try frames(source(name), from: .endless - 10, 100).count == 10)
  }

  @Test(arguments: noiseNames + ["drone", "bowl", "wood"]) func `another seed gives another sound`(name: String) throws
  {
    #expect(try frames(source(name, seed: 1), 4_800) != frames(source(name, seed: 2), 4_800))
  }

  @Test(arguments: noiseNames) func `the two channels of a noise are uncorrelated`(name: String) throws {
    let sound = try frames(source(name), 96_000)
    var (both, left, right) = (0.0, 0.0, 0.0)
    for frame in sound {
      both += Double(frame.left * frame.right)
      left += Double(frame.left * frame.left)
      right += Double(frame.right * frame.right)
    }
    #expect(abs(both) < 0.2 * (left * right).squareRoot())
  }
}

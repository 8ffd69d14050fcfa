import Signal
import Sounds

@testable import GeneratedSounds

let library = GeneratedSoundLibrary()
let everyName = GeneratorDescription.builtIn.map(\.name)
let endlessNames = GeneratorDescription.builtIn.filter(\.isEndless).map(\.name)
let finiteNames = GeneratorDescription.builtIn.filter { !$0.isEndless }.map(\.name)
let noiseNames = ["white", "pink", "brown", "rain", "ocean"]

func source(_ name: String, seed: UInt64 = 1, _ settings: [String: Double] = [:]) -> SoundSource {
  SoundSource(.generated(Recipe(generator: name, seed: seed, settings: settings)))
}

func rate(_ hertz: Int) throws -> SampleRate {
  struct NoSuchRate: Error {}
  guard let rate = SampleRate(hertz: hertz) else { throw NoSuchRate() }
  return rate
}

/// The first `count` frames from an offset on, read in pieces of a fixed size.
func frames(
  _ source: SoundSource, at rate: SampleRate = .studio, from offset: FrameCount = 0, _ count: Int, piece: Int = 60_000
) throws -> [Frame] {
  let decoder = try library.open(source, at: rate, from: offset)
  var sound = [Frame](repeating: .silence, count: count)
  var filled = 0
  sound.withUnsafeMutableBufferPointer { buffer in
    while filled < count {
      let wanted = min(piece, count - filled)
      let got = decoder.read(into: UnsafeMutableBufferPointer(rebasing: buffer[filled..<filled + wanted]))
      filled += got
      if got < wanted { return }
    }
  }
  return Array(sound[..<filled])
}

/// A whole sound that ends by itself.
func wholeSound(_ source: SoundSource, at rate: SampleRate = .studio) throws -> [Frame] {
  try frames(source, at: rate, Int(rate.frames(130)))
}

/// Offsets at which to open a decoder, near the boundaries of blocks and inside them.
func offsets(in length: FrameCount) -> [FrameCount] {
  [1, 511, 512, 48_001, 144_000].filter { $0 < length }
}
